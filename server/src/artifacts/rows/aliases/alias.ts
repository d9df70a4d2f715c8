import type { AliasChange } from "@lossless/protocol";
import { limits } from "@lossless/protocol/limits";
import type { Actor } from "../../../database/audit/audit.ts";
import {
  type ActorColumns,
  actorColumns,
  actorJoins,
  shownActor,
} from "../../../database/audit/shown-actor.ts";
import type { Reader, Transaction } from "../../../database/database.ts";
import { rowBytes, textBytes } from "../../../database/quotas/amounts.ts";
import type { Counting } from "../../../database/quotas/ledger.ts";
import { ServiceError } from "../../../ground/errors.ts";

/** An artifact, or a registered model, that has aliases. */
export interface AliasOwner {
  organizationId: string;
  /** The owner's id. Its row is locked while its aliases are changed. */
  id: string;
}

export interface AliasMove {
  alias: string;
  /** The version to point to; null: the alias is removed. */
  to: string | null;
  /** The version that it has to point to, null for none; undefined: whichever. */
  expected: string | null | undefined;
  by: Actor;
}

export interface MovedAlias {
  /** The version that it pointed to; null: there was no such alias. */
  previous: string | null;
  isChanged: boolean;
}

/**
 * Sets, moves or removes an alias, and numbers the change. An alias that points to the version
 * already is left as it is, whatever was expected: the reply to the request that moved it may have
 * been lost. Under the owner's lock.
 */
export async function moveAlias(
  transaction: Transaction,
  owner: AliasOwner,
  { alias, to, expected, by }: AliasMove,
  moment: Counting,
): Promise<MovedAlias> {
  const previous = await aliasedVersion(transaction, owner.id, alias);
  if (previous === to) return { previous, isChanged: false };
  if (expected !== undefined && expected !== previous) throw otherwise(alias, previous);
  if (previous === null) await requireRoom(transaction, owner.id);
  const number = await nextNumber(transaction, owner.id);
  await transaction.run(
    `INSERT INTO alias_change (owner, number, organization, name, version_before, version_after, actor, at_ms)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
    owner.id,
    number,
    owner.organizationId,
    alias,
    previous,
    to,
    by.actor,
    moment.nowMs,
  );
  await putAlias(transaction, owner, { alias, to, number });
  const had = previous === null ? 0 : rowBytes + textBytes(alias, previous);
  const has = to === null ? 0 : rowBytes + textBytes(alias, to);
  const bytes = has - had + rowBytes + textBytes(alias, previous, to);
  // Removing an alias frees little, and has to be possible in a full organization.
  if (to === null) moment.ledger.note(owner.organizationId, { bytes });
  else await moment.ledger.charge(owner.organizationId, { bytes });
  return { previous, isChanged: true };
}

async function putAlias(
  transaction: Transaction,
  { id, organizationId }: AliasOwner,
  { alias, to, number }: { alias: string; to: string | null; number: number },
): Promise<void> {
  if (to === null) {
    await transaction.run("DELETE FROM alias WHERE owner = $1 AND name = $2", id, alias);
    return;
  }
  await transaction.run(
    `INSERT INTO alias (owner, name, organization, version, number) VALUES ($1, $2, $3, $4, $5)
     ON CONFLICT (owner, name) DO UPDATE SET version = excluded.version, number = excluded.number`,
    id,
    alias,
    organizationId,
    to,
    number,
  );
}

/** Returns the version that an alias points to, present or not; null: there is no such alias. */
export async function aliasedVersion(
  reader: Reader,
  ownerId: string,
  alias: string,
): Promise<string | null> {
  const row = await reader.get<{ version: string }>(
    "SELECT version FROM alias WHERE owner = $1 AND name = $2",
    ownerId,
    alias,
  );
  return row?.version ?? null;
}

/** An alias with its last change. */
export interface StoredAlias {
  alias: string;
  version: string;
  changedAtMs: number;
  changedBy: string;
}

/** All aliases of an owner by name, or those with `alias`. */
export async function readAliases(
  reader: Reader,
  ownerId: string,
  alias?: string,
): Promise<StoredAlias[]> {
  const rows = await reader.all<Omit<StoredAlias, "changedBy"> & ActorColumns>(
    `SELECT alias.name AS alias, alias.version, alias_change.at_ms AS "changedAtMs", ${actorColumns("alias_change.actor")}
     FROM alias JOIN alias_change ON alias_change.owner = alias.owner AND alias_change.number = alias.number
     ${actorJoins("alias_change.actor")}
     WHERE alias.owner = $1 ${alias === undefined ? "" : "AND alias.name = $2"} ORDER BY alias.name`,
    ownerId,
    ...(alias === undefined ? [] : [alias]),
  );
  return rows.map(({ actor, email, key_name: keyName, ...row }) => ({
    ...row,
    changedBy: shownActor({ actor, email, key_name: keyName }),
  }));
}

export interface AliasHistoryPage {
  changes: AliasChange[];
  next: string | null;
}

/** Changes below `before`, newest first. */
export async function readAliasChanges(
  reader: Reader,
  ownerId: string,
  { alias, before }: { alias: string | null; before: number | null },
): Promise<AliasHistoryPage> {
  const most = limits.aliasChangesPerPageMax;
  const rows = await reader.all<Omit<AliasChange, "by"> & ActorColumns>(
    `SELECT alias_change.number, alias_change.name AS alias, version_before AS previous,
       version_after AS version, at_ms AS "atMs", ${actorColumns("alias_change.actor")}
     FROM alias_change ${actorJoins("alias_change.actor")}
     WHERE owner = $1 AND number < $2 ${alias === null ? "" : "AND alias_change.name = $4"}
     ORDER BY number DESC LIMIT $3`,
    ownerId,
    before ?? Number.MAX_SAFE_INTEGER,
    most + 1,
    ...(alias === null ? [] : [alias]),
  );
  const page = rows.slice(0, most);
  return {
    changes: page.map(({ actor, email, key_name: keyName, ...row }) => ({
      ...row,
      by: shownActor({ actor, email, key_name: keyName }),
    })),
    next: page.length < rows.length ? String(page.at(-1)!.number) : null,
  };
}

async function nextNumber(transaction: Transaction, ownerId: string): Promise<number> {
  const row = await transaction.get<{ number: number | null }>(
    "SELECT max(number) AS number FROM alias_change WHERE owner = $1",
    ownerId,
  );
  return (row?.number ?? 0) + 1;
}

async function requireRoom(transaction: Transaction, ownerId: string): Promise<void> {
  const row = await transaction.get<{ aliases: number }>(
    "SELECT count(*) AS aliases FROM alias WHERE owner = $1",
    ownerId,
  );
  if ((row?.aliases ?? 0) < limits.aliasesMax) return;
  throw new ServiceError("conflict", `There are at most ${limits.aliasesMax} aliases: remove one.`);
}

function otherwise(alias: string, version: string | null): ServiceError {
  const message =
    version === null
      ? `There is no alias ${alias}: it was not set yet, or was removed.`
      : `The alias ${alias} points to version ${version}: it was moved since it was read.`;
  return new ServiceError("conflict", message);
}
