import type { AliasList, SetAliasReply, VersionAlias } from "@lossless/protocol";
import { type Actor, audit } from "../../../database/audit/audit.ts";
import type { Reader, Transaction } from "../../../database/database.ts";
import type { Counting } from "../../../database/quotas/ledger.ts";
import { ServiceError } from "../../../ground/errors.ts";
import { type Artifact, type ArtifactName, findArtifact } from "../artifact.ts";
import {
  type AliasHistoryPage,
  type AliasMove,
  moveAlias,
  readAliasChanges,
  readAliases,
} from "./alias.ts";
import { versionNamed } from "./named-version.ts";

/** `alias.list`: the aliases of an artifact, by name. */
export async function listAliases(reader: Reader, name: ArtifactName): Promise<AliasList> {
  const artifact = await findArtifact(reader, name);
  return { aliases: artifact === undefined ? [] : await shownAliases(reader, name, artifact.id) };
}

/** Returns the aliases of an artifact with the states of their versions, or those with `alias`. */
export async function shownAliases(
  reader: Reader,
  { organizationId, artifact }: ArtifactName,
  artifactId: string,
  alias?: string,
): Promise<VersionAlias[]> {
  const found = await readAliases(reader, artifactId, alias);
  if (found.length === 0) return [];
  const names = JSON.stringify([...new Set(found.map(({ version }) => version))]);
  const present = await reader.all<{ name: string }>(
    `SELECT name FROM version WHERE artifact = $1 AND ${reader.isOneOf("name", "$2")}`,
    artifactId,
    names,
  );
  const trashed = await reader.all<{ name: string }>(
    `SELECT version AS name FROM trash WHERE organization = $1 AND kind = 'version' AND name = $2
       AND is_purging = 0 AND ${reader.isOneOf("version", "$3")}`,
    organizationId,
    artifact,
    names,
  );
  const states = new Map<string, VersionAlias["state"]>();
  for (const { name } of trashed) states.set(name, "trashed");
  for (const { name } of present) states.set(name, "present");
  return found.map((one) => ({ ...one, state: states.get(one.version) ?? "deleted" }));
}

export interface ChangedAlias extends ArtifactName, Pick<AliasMove, "alias" | "expected" | "by"> {}

/**
 * `alias.set`: sets or moves an alias to a committed version: its name, `latest`, or another alias,
 * as it is now. Throws `not_found` without that version, `conflict` unless it points to `expected`.
 */
export async function setAlias(
  transaction: Transaction,
  { organizationId, artifact: path, version, ...change }: ChangedAlias & { version: string },
  moment: Counting,
): Promise<SetAliasReply> {
  const name = { organizationId, artifact: path };
  const artifact = await lockArtifact(transaction, name);
  const to = await versionNamed(transaction, name, artifact, version);
  const there = await transaction.get(
    "SELECT 1 FROM version WHERE artifact = $1 AND name = $2",
    artifact.id,
    to,
  );
  if (there === undefined) {
    throw new ServiceError("not_found", `The artifact has no version ${to}.`);
  }
  const owner = { organizationId, id: artifact.id };
  const moved = await moveAlias(transaction, owner, { ...change, to }, moment);
  if (moved.isChanged) {
    const action = moved.previous === null ? "alias.set" : "alias.moved";
    await noteChange(
      transaction,
      name,
      artifact,
      { ...change, action, from: moved.previous, to },
      moment,
    );
  }
  const [alias] = await shownAliases(transaction, name, artifact.id, change.alias);
  return { alias, previous: moved.previous };
}

/** `alias.remove`: its version stays. Throws `not_found` for an unknown one. */
export async function removeAlias(
  transaction: Transaction,
  { organizationId, artifact: path, ...change }: ChangedAlias,
  moment: Counting,
): Promise<void> {
  const name = { organizationId, artifact: path };
  const artifact = await lockArtifact(transaction, name);
  const owner = { organizationId, id: artifact.id };
  const { previous: from } = await moveAlias(transaction, owner, { ...change, to: null }, moment);
  if (from === null) throw noAlias(change.alias);
  const noted = { ...change, action: "alias.removed", from, to: null };
  await noteChange(transaction, name, artifact, noted, moment);
}

/** `alias.history`: what aliases of an artifact pointed to, newest first. */
export async function readAliasHistory(
  reader: Reader,
  { alias, before, ...name }: ArtifactName & { alias: string | null; before: number | null },
): Promise<AliasHistoryPage> {
  const artifact = await findArtifact(reader, name);
  if (artifact === undefined) return { changes: [], next: null };
  return readAliasChanges(reader, artifact.id, { alias, before });
}

async function lockArtifact(transaction: Transaction, name: ArtifactName): Promise<Artifact> {
  const artifact = await findArtifact(transaction, name, { lock: true });
  if (artifact === undefined) throw new ServiceError("not_found", "There is no such artifact.");
  return artifact;
}

interface NotedChange {
  action: string;
  alias: string;
  from: string | null;
  to: string | null;
  by: Actor;
}

async function noteChange(
  transaction: Transaction,
  { organizationId, artifact }: ArtifactName,
  { id: subject }: Artifact,
  { action, alias, from, to, by }: NotedChange,
  moment: Counting,
): Promise<void> {
  const details = { artifact, alias, from, to };
  const { actor, address } = by;
  const entry = { actor, address, organizationId, action, subject, details };
  await audit(transaction, entry, moment);
}

export function noAlias(alias: string): ServiceError {
  return new ServiceError("not_found", `The artifact has no alias ${alias}.`);
}
