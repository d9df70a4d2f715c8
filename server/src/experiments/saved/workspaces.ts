import { limits } from "@lossless/protocol/limits";
import { requireRole } from "../../database/access/role.ts";
import type { Actor } from "../../database/audit/audit.ts";
import type { Reader, Transaction } from "../../database/database.ts";
import type { Moment } from "../../ground/clock.ts";
import { ServiceError } from "../../ground/errors.ts";
import { newId } from "../../ground/ids.ts";
import { shownEmail } from "../../accounts/rows/people/person.ts";
import { lockFolder, requireFolder } from "../folders/find.ts";
import {
  deleteNamed,
  findNamed,
  type NamedRow,
  type Namesakes,
  putNamed,
  requireFewerNamed,
  requireSeen,
} from "./named-rows.ts";

/** The arrangement of charts in a place: there is one for each person, and one for all. */
export interface Workspace extends NamedRow {
  scope: "own" | "shared";
  folderId: string | null;
  /** Its layout, as JSON. */
  content: string;
  /** Id of the person who saved it first. */
  maker: string;
}

export interface WorkspaceVersion {
  revision: number;
  content: string;
  changedAtMs: number;
  changedBy: string;
}

interface Looking {
  organizationId: string;
  /** Null: a key, which has none of its own. */
  personId: string | null;
}

interface Changing {
  organizationId: string;
  by: Actor;
}

interface Place {
  scope: Workspace["scope"];
  folderId: string | null;
}

/** `workspace.list`: all that the reader sees. */
export function listWorkspaces(reader: Reader, looking: Looking): Promise<Workspace[]> {
  return find(reader, looking, "ORDER BY saved.person IS NULL, saved.name, saved.id");
}

/** `workspace.applying`: those for charts of a folder, the narrowest first. */
export async function applyingWorkspaces(
  reader: Reader,
  { folderId, ...looking }: Looking & { folderId: string | null },
): Promise<Workspace[]> {
  const above = await foldersAbove(reader, looking.organizationId, folderId);
  const found = await find(
    reader,
    looking,
    `AND ${reader.isOneOf("saved.name", "$3")}`,
    JSON.stringify([...above, everywhere]),
  );
  const nearest = (scope: Place["scope"]) => [
    ...above
      .flatMap((id) => found.filter((one) => one.scope === scope && one.folderId === id))
      .slice(0, 1),
    ...found.filter((one) => one.scope === scope && one.folderId === null),
  ];
  return [...nearest("own"), ...nearest("shared")];
}

/** `workspace.versions`: the newest first. */
export async function workspaceVersions(
  reader: Reader,
  { id, ...looking }: Looking & { id: string },
): Promise<WorkspaceVersion[]> {
  await readOne(reader, looking, id);
  const rows = await reader.all<WorkspaceVersion>(
    `SELECT revision, content, changed_at_ms AS "changedAtMs", person.email AS "changedBy"
     FROM saved_version JOIN person ON person.id = changed_by
     WHERE saved = $1 ORDER BY revision DESC`,
    id,
  );
  return rows.map((row) => ({ ...row, changedBy: shownEmail(row.changedBy) }));
}

/** `workspace.save`: creates or replaces the workspace of a place, unless it was changed since. */
export async function saveWorkspace(
  transaction: Transaction,
  {
    organizationId,
    by,
    revision,
    content,
    ...place
  }: Changing & Place & { revision: number; content: string },
  moment: Moment,
): Promise<Workspace> {
  const { scope, folderId } = place;
  await requireRole(transaction, organizationId, by.actor, leastRole[scope]);
  if (folderId !== null) await lockFolder(transaction, organizationId, folderId);
  const looking = { organizationId, personId: by.actor };
  const name = folderId ?? everywhere;
  const isTheirs = scope === "own" ? "saved.person IS NOT NULL" : "saved.person IS NULL";
  const [stored] = await find(transaction, looking, `AND saved.name = $3 AND ${isTheirs}`, name);
  if (stored !== undefined) requireSeen("workspace", stored, revision);
  else if (revision !== 0)
    throw new ServiceError("conflict", "This workspace was deleted since it was read.");
  const namesakes = namesakesOf(organizationId, place, by);
  if (stored === undefined) await requireFewerNamed(transaction, namesakes);
  const id = stored?.id ?? newId(moment.nowMs);
  const columns = { kind: "workspace", person: scope === "own" ? by.actor : null, content };
  const what = stored === undefined ? "created" : "changed";
  const action = scope === "own" ? null : `workspace.${what}`;
  const written = { organizationId, by, id, name, columns, action };
  await putNamed(transaction, namesakes, written, moment);
  const saved = await readOne(transaction, looking, id);
  await keepVersion(transaction, saved, by, moment);
  return saved;
}

/** `workspace.delete`: a shared one is deleted by its maker or an admin. */
export async function deleteWorkspace(
  transaction: Transaction,
  { organizationId, by, id, revision }: Changing & { id: string; revision: number },
  moment: Moment,
): Promise<void> {
  await requireRole(transaction, organizationId, by.actor, leastRole.own);
  const stored = await readOne(transaction, { organizationId, personId: by.actor }, id);
  const { scope, name, maker } = requireSeen("workspace", stored, revision);
  const role = await requireRole(transaction, organizationId, by.actor, leastRole[scope]);
  if (scope === "shared" && maker !== by.actor && role === "member")
    throw new ServiceError(
      "forbidden",
      "Only the author of this workspace, or an admin, can delete it.",
    );
  await transaction.run("DELETE FROM saved_version WHERE saved = $1", id);
  const action = scope === "own" ? null : "workspace.deleted";
  await deleteNamed(transaction, "saved", { organizationId, by, action, id, name }, moment);
}

/** Viewers keep own ones alone. */
const leastRole = { own: "viewer", shared: "member" } as const;

/** The name of a workspace that is for all folders; that of another one is the folder's id. */
const everywhere = "";

async function keepVersion(
  transaction: Transaction,
  { id, revision, content }: Workspace,
  by: Actor,
  moment: Moment,
): Promise<void> {
  await transaction.run(
    `INSERT INTO saved_version (saved, revision, content, changed_by, changed_at_ms)
     VALUES ($1, $2, $3, $4, $5)`,
    id,
    revision,
    content,
    by.actor,
    moment.nowMs,
  );
  await transaction.run(
    "DELETE FROM saved_version WHERE saved = $1 AND revision <= $2",
    id,
    revision - limits.workspaceVersionsMax,
  );
}

async function readOne(reader: Reader, looking: Looking, id: string): Promise<Workspace> {
  const [row] = await find(reader, looking, "AND saved.id = $3", id);
  if (row !== undefined) return row;
  throw new ServiceError("not_found", "There is no workspace with this id.");
}

/** Finds workspaces visible to the reader. */
async function find(
  reader: Reader,
  { organizationId, personId }: Looking,
  more: string,
  ...values: string[]
): Promise<Workspace[]> {
  const visible = "AND saved.kind = 'workspace' AND (saved.person IS NULL OR saved.person = $2)";
  const rows = await findNamed<Omit<Workspace, "scope" | "folderId"> & { person: string | null }>(
    reader,
    {
      table: "saved",
      columns: "saved.content, saved.person, saved.created_by AS maker",
      more: `${visible} ${more}`,
    },
    organizationId,
    personId,
    ...values,
  );
  return rows.map(({ person, ...row }) => ({
    ...row,
    scope: person === null ? "shared" : "own",
    folderId: row.name === everywhere ? null : row.name,
  }));
}

/** A folder and those that contain it, from the inside out. */
async function foldersAbove(
  reader: Reader,
  organizationId: string,
  folderId: string | null,
): Promise<string[]> {
  const above: string[] = [];
  for (let id = folderId; id !== null;) {
    const folder = await requireFolder(reader, organizationId, id);
    above.push(folder.id);
    id = folder.parent;
  }
  return above;
}

function namesakesOf(organizationId: string, { scope }: Place, by: Actor): Namesakes {
  const isOwn = scope === "own";
  return {
    table: "saved",
    noun: "workspace",
    where: "organization = $1 AND kind = 'workspace' AND coalesce(person, '') = $2",
    values: [organizationId, isOwn ? by.actor : ""],
    most: limits.workspacesMax,
    owner: isOwn ? "A person keeps" : "An organization shares",
    whose: isOwn ? " of yours" : " of the organization",
  };
}
