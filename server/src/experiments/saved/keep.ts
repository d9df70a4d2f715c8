import { requireFewer } from "../../database/row-limit.ts";
import { limits } from "@lossless/protocol/limits";
import { requireRole } from "../../database/access/role.ts";
import { type Actor, audit } from "../../database/audit/audit.ts";
import type { Moment } from "../../ground/clock.ts";
import type { Transaction } from "../../database/database.ts";
import { ServiceError } from "../../ground/errors.ts";
import { newId } from "../../ground/ids.ts";
import { nameTaken, requireSeen, tooManyKept } from "../../ground/kept-under-names.ts";
import { readSaved, type Saved, type SavedKind } from "./saved.ts";

/** The actor of a change of saved rows, and the person who owns them. */
export interface Changing {
  organizationId: string;
  kind: SavedKind;
  by: Actor;
}

/** `saved.create`: for oneself, or for the organization, which any member may. */
export async function createSaved(
  transaction: Transaction,
  input: Changing & Pick<Saved, "name" | "scope" | "content">,
  moment: Moment,
): Promise<Saved> {
  const { organizationId, kind, by, name, content } = input;
  await requireRole(transaction, organizationId, by.actor, "member");
  const person = input.scope === "own" ? by.actor : null;
  await requireFewerSaved(transaction, organizationId, kind, person);
  await requireFree(transaction, { organizationId, kind, person, name, id: "" });
  const id = newId(moment.nowMs);
  await transaction.run(
    `INSERT INTO saved (id, organization, person, kind, name, content, revision, created_by,
       created_at_ms, changed_by, changed_at_ms)
     VALUES ($1, $2, $3, $4, $5, $6, 1, $7, $8, $7, $8)`,
    id,
    organizationId,
    person,
    kind,
    name,
    content,
    by.actor,
    moment.nowMs,
  );
  const made = await readSaved(transaction, { organizationId, kind, personId: by.actor, id });
  await note(transaction, input, made, "created", moment);
  return made;
}

/**
 * `saved.change`: omitted fields stay; a row that another member has changed since is left alone.
 */
export async function changeSaved(
  transaction: Transaction,
  input: Changing & { id: string; revision: number } & Partial<
      Pick<Saved, "name" | "scope" | "content">
    >,
  moment: Moment,
): Promise<Saved> {
  const { organizationId, kind, by, id } = input;
  await requireRole(transaction, organizationId, by.actor, "member");
  const stored = await readSeen(transaction, input);
  const next = { ...stored, ...given(input) };
  const person = next.scope === "own" ? by.actor : null;
  if (next.scope !== stored.scope) {
    if (next.scope === "own" && stored.maker !== by.actor)
      throw new ServiceError("forbidden", `Only who made this ${kind} can take it back.`);
    await requireFewerSaved(transaction, organizationId, kind, person);
  }
  await requireFree(transaction, { organizationId, kind, person, name: next.name, id });
  await transaction.run(
    `UPDATE saved SET person = $2, name = $3, content = $4, revision = revision + 1,
       changed_by = $5, changed_at_ms = $6 WHERE id = $1`,
    id,
    person,
    next.name,
    next.content,
    by.actor,
    moment.nowMs,
  );
  const changed = await readSaved(transaction, { organizationId, kind, personId: by.actor, id });
  // A row shared until now was the organization's.
  const shown = stored.scope === "shared" ? { ...changed, scope: stored.scope } : changed;
  await note(transaction, input, shown, "changed", moment);
  return changed;
}

/** `saved.delete`: a shared row is deleted by its maker or an admin. */
export async function deleteSaved(
  transaction: Transaction,
  input: Changing & { id: string; revision: number },
  moment: Moment,
): Promise<void> {
  const { organizationId, kind, by, id } = input;
  const role = await requireRole(transaction, organizationId, by.actor, "member");
  const stored = await readSeen(transaction, input);
  if (stored.scope === "shared" && stored.maker !== by.actor && role === "member")
    throw new ServiceError("forbidden", `Only who made this ${kind}, or an admin, can delete it.`);
  await transaction.run("DELETE FROM saved WHERE id = $1", id);
  await note(transaction, input, stored, "deleted", moment);
}

/**
 * Reads the row under lockOrganization, as all operations here do: it stays unchanged until the
 * transaction ends.
 */
async function readSeen(
  transaction: Transaction,
  { organizationId, kind, by, id, revision }: Changing & { id: string; revision: number },
): Promise<Saved> {
  const stored = await readSaved(transaction, { organizationId, kind, personId: by.actor, id });
  return requireSeen(kind, stored, revision);
}

function requireFewerSaved(
  transaction: Transaction,
  organizationId: string,
  kind: SavedKind,
  person: string | null,
): Promise<void> {
  const most = person === null ? limits.savedPerOrganizationMax : limits.savedPerPersonMax;
  const whose = person === null ? "An organization shares" : "A person keeps";
  return requireFewer(
    transaction,
    most,
    () => tooManyKept(whose, most, kind),
    "saved WHERE organization = $1 AND kind = $2 AND coalesce(person, '') = $3",
    organizationId,
    kind,
    person ?? "",
  );
}

async function requireFree(
  transaction: Transaction,
  wanted: {
    organizationId: string;
    kind: SavedKind;
    person: string | null;
    name: string;
    id: string;
  },
): Promise<void> {
  const { organizationId, kind, person, name, id } = wanted;
  const other = await transaction.get(
    `SELECT id FROM saved WHERE organization = $1 AND kind = $2 AND coalesce(person, '') = $3
       AND name = $4 AND id <> $5`,
    organizationId,
    kind,
    person ?? "",
    name,
    id,
  );
  if (other === undefined) return;
  const whose = person === null ? "of the organization" : "of yours";
  throw nameTaken(kind, whose);
}

/** Records the change in the audit log of the organization, unless the row is a person's own. */
async function note(
  transaction: Transaction,
  { organizationId, kind, by }: Changing,
  { id, name, scope }: Saved,
  what: "created" | "changed" | "deleted",
  moment: Moment,
): Promise<void> {
  if (scope === "own") return;
  const entry = { organizationId, action: `${kind}.${what}`, subject: id, details: { name } };
  await audit(transaction, { ...entry, ...by }, moment);
}

function given({ name, scope, content }: Partial<Pick<Saved, "name" | "scope" | "content">>) {
  return {
    ...(name !== undefined && { name }),
    ...(scope !== undefined && { scope }),
    ...(content !== undefined && { content }),
  };
}
