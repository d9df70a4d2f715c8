import type { Reader } from "../../database/database.ts";
import { ServiceError } from "../../ground/errors.ts";
import { shownEmail } from "../../accounts/rows/people/person.ts";

export type SavedKind = "view" | "report";

/** A named row as stored. */
export interface Saved {
  id: string;
  name: string;
  scope: "own" | "shared";
  /** An address of a view; the blocks of a report as JSON. */
  content: string;
  revision: number;
  createdAtMs: number;
  createdBy: string;
  changedAtMs: number;
  changedBy: string;
  /** Id of the person who saved it first. */
  maker: string;
}

/**
 * The reader: a person sees their own rows beside the organization's, a key has none of its own.
 */
export interface Looking {
  organizationId: string;
  personId: string | null;
  kind: SavedKind;
}

interface Row extends Omit<Saved, "scope"> {
  person: string | null;
}

/** Selects rows visible to the reader: those that others keep for themselves are never visible. */
const select = (content: string) => `SELECT saved.id, saved.person, saved.name,
    ${content} AS content, saved.revision, saved.created_by AS maker, maker.email AS "createdBy", saved.created_at_ms AS "createdAtMs",
    changer.email AS "changedBy", saved.changed_at_ms AS "changedAtMs"
  FROM saved JOIN person AS maker ON maker.id = saved.created_by
    JOIN person AS changer ON changer.id = saved.changed_by
  WHERE saved.organization = $1 AND saved.kind = $2 AND (saved.person IS NULL OR saved.person = $3)`;

/** `saved.list`: by name, one's own first among equals; reports without their content. */
export async function listSaved(
  reader: Reader,
  { organizationId, personId, kind }: Looking,
): Promise<Saved[]> {
  const rows = await reader.all<Row>(
    `${select(kind === "view" ? "saved.content" : "''")} ORDER BY saved.name, saved.person IS NULL, saved.id`,
    organizationId,
    kind,
    personId,
  );
  return rows.map(savedOf);
}

/** `saved.read`: throws `not_found`. */
export async function readSaved(
  reader: Reader,
  { organizationId, personId, kind, id }: Looking & { id: string },
): Promise<Saved> {
  const row = await reader.get<Row>(
    `${select("saved.content")} AND saved.id = $4`,
    organizationId,
    kind,
    personId,
    id,
  );
  if (row === undefined) throw new ServiceError("not_found", `There is no ${kind} with this id.`);
  return savedOf(row);
}

function savedOf({ person, createdBy, changedBy, ...row }: Row): Saved {
  return {
    ...row,
    scope: person === null ? "shared" : "own",
    createdBy: shownEmail(createdBy),
    changedBy: shownEmail(changedBy),
  };
}
