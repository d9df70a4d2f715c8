import { limits } from "@lossless/protocol/limits";
import { endLinks } from "../../accounts/rows/guests/links.ts";
import { requireRole } from "../../database/access/role.ts";
import type { Actor } from "../../database/audit/audit.ts";
import type { Role } from "@lossless/protocol";
import type { Reader, Transaction } from "../../database/database.ts";
import type { Moment } from "../../ground/clock.ts";
import { ServiceError } from "../../ground/errors.ts";
import { newId } from "../../ground/ids.ts";
import {
  deleteNamed,
  findNamed,
  type NamedRow,
  type Namesakes,
  putNamed,
  requireFewerNamed,
  requireSeen,
} from "./named-rows.ts";
import { keepPictures } from "./pictures.ts";

export type SavedKind = "view" | "report" | "workspace";

export interface Saved extends NamedRow {
  scope: "own" | "shared";
  /** An address of a view; the blocks of a report as JSON. */
  content: string;
  /** Id of the person who saved it first. */
  maker: string;
}

/**
 * The reader: a person sees their own rows beside the organization's, a key has none of its own.
 */
interface Looking {
  organizationId: string;
  personId: string | null;
  kind: SavedKind;
}

/** The actor of a change of saved rows, and the person who owns them. */
interface Changing {
  organizationId: string;
  kind: SavedKind;
  by: Actor;
}

type Seen = Changing & { id: string; revision: number };
type Given = Pick<Saved, "name" | "scope" | "content">;

/** `saved.list`: by name, one's own first among equals; reports without their content. */
export function listSaved(reader: Reader, looking: Looking): Promise<Saved[]> {
  const content = looking.kind === "view" ? "saved.content" : "''";
  return find(reader, looking, content, "ORDER BY saved.name, saved.person IS NULL, saved.id");
}

/** `saved.read`: throws `not_found`. */
export async function readSaved(
  reader: Reader,
  { id, ...looking }: Looking & { id: string },
): Promise<Saved> {
  const [row] = await find(reader, looking, "saved.content", "AND saved.id = $4", id);
  if (row !== undefined) return row;
  throw new ServiceError("not_found", `There is no ${looking.kind} with this id.`);
}

/** Finds rows visible to the reader: those that others keep for themselves are never visible. */
async function find(
  reader: Reader,
  { organizationId, kind, personId }: Looking,
  content: string,
  more: string,
  ...values: string[]
): Promise<Saved[]> {
  const columns = `${content} AS content, saved.person, saved.created_by AS maker`;
  const visible = "AND saved.kind = $2 AND (saved.person IS NULL OR saved.person = $3)";
  const rows = await findNamed<Omit<Saved, "scope"> & { person: string | null }>(
    reader,
    { table: "saved", columns, more: `${visible} ${more}` },
    organizationId,
    kind,
    personId,
    ...values,
  );
  return rows.map(({ person, ...row }) => ({ ...row, scope: person === null ? "shared" : "own" }));
}

/** `saved.create`: for oneself, or for the organization, which any member but viewers may. */
export async function createSaved(
  transaction: Transaction,
  input: Changing & Given,
  moment: Moment,
): Promise<Saved> {
  await requireKeeper(transaction, input, input.scope);
  await requireFewerNamed(transaction, namesakes(input));
  return put(transaction, { ...input, id: newId(moment.nowMs) }, input.scope, "created", moment);
}

/**
 * `saved.change`: omitted fields stay; a row that another member has changed since is left alone.
 */
export async function changeSaved(
  transaction: Transaction,
  input: Seen & Partial<Given>,
  moment: Moment,
): Promise<Saved> {
  await requireKeeper(transaction, input, "own");
  const stored = await readSeen(transaction, input);
  const next = { ...stored, ...input };
  if (next.scope === "shared" || stored.scope === "shared")
    await requireKeeper(transaction, input, "shared");
  if (next.scope !== stored.scope) {
    if (next.scope === "own" && stored.maker !== input.by.actor)
      throw new ServiceError(
        "forbidden",
        `Only the author of this ${input.kind} can make it private again.`,
      );
    await requireFewerNamed(transaction, namesakes(next));
    // Guests see shared reports alone.
    if (input.kind === "report" && next.scope === "own")
      await endLinks(transaction, input.organizationId, "report = $3", input.id, input.by, moment);
  }
  // A row shared until now was the organization's.
  const logged = stored.scope === "shared" ? stored.scope : next.scope;
  return put(transaction, next, logged, "changed", moment);
}

/** `saved.delete`: a shared row is deleted by its maker or an admin. */
export async function deleteSaved(
  transaction: Transaction,
  input: Seen,
  moment: Moment,
): Promise<void> {
  const { organizationId, kind, by } = input;
  await requireKeeper(transaction, input, "own");
  const { id, name, scope, maker } = await readSeen(transaction, input);
  const role = await requireKeeper(transaction, input, scope);
  if (scope === "shared" && maker !== by.actor && role === "member")
    throw new ServiceError(
      "forbidden",
      `Only the author of this ${kind}, or an admin, can delete it.`,
    );
  const action = scope === "own" ? null : `${kind}.deleted`;
  if (kind === "report") await endLinks(transaction, organizationId, "report = $3", id, by, moment);
  await deleteNamed(transaction, "saved", { organizationId, by, action, id, name }, moment);
}

/** Requires the role of the person who keeps a row: viewers keep views for themselves alone. */
function requireKeeper(
  transaction: Transaction,
  { organizationId, kind, by }: Changing,
  scope: Saved["scope"],
): Promise<Role> {
  const least = kind === "view" && scope === "own" ? "viewer" : "member";
  return requireRole(transaction, organizationId, by.actor, least);
}

async function readSeen(transaction: Transaction, input: Seen): Promise<Saved> {
  const stored = await readSaved(transaction, { ...input, personId: input.by.actor });
  return requireSeen(input.kind, stored, input.revision);
}

async function put(
  transaction: Transaction,
  row: Changing & Given & { id: string },
  logged: Saved["scope"],
  what: "created" | "changed",
  moment: Moment,
): Promise<Saved> {
  const { organizationId, kind, by, id, name, content } = row;
  const columns = { kind, person: personOf(row), content };
  const action = logged === "own" ? null : `${kind}.${what}`;
  const written = { organizationId, by, id, name, columns, action };
  await putNamed(transaction, namesakes(row), written, moment);
  if (kind === "report") {
    const looking = { organizationId, personId: by.actor, report: id };
    await keepPictures(transaction, { ...looking, content }, moment);
  }
  return readSaved(transaction, { organizationId, kind, id, personId: by.actor });
}

function personOf({ scope, by }: { scope: Saved["scope"]; by: Actor }): string | null {
  return scope === "own" ? by.actor : null;
}

/** The rows of a kind that are a person's own, or the organization's. */
function namesakes(row: Changing & Pick<Saved, "scope">): Namesakes {
  const isOwn = row.scope === "own";
  return {
    table: "saved",
    noun: row.kind,
    where: "organization = $1 AND kind = $2 AND coalesce(person, '') = $3",
    values: [row.organizationId, row.kind, personOf(row) ?? ""],
    most: isOwn ? limits.savedPerPersonMax : limits.savedPerOrganizationMax,
    owner: isOwn ? "A person keeps" : "An organization shares",
    whose: isOwn ? " of yours" : " of the organization",
  };
}
