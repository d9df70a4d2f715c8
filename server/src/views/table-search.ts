import type { Query } from "@lossless/protocol";
import type { Reader } from "../database/database.ts";
import { ServiceError } from "../ground/errors.ts";
import { compileQuery, type QueryTerms } from "./compile-query.ts";
import { SqlText } from "./sql-text.ts";
import { placesText } from "./table-rows.ts";
import { isBehind, isPlaceOf, orderText, type Part, type Place } from "./table-order.ts";

export interface Search extends QueryTerms {
  query: Query;
  folderId: string | undefined;
}

/** Where a part of the rows goes on: behind a place, or behind so many rows. */
export interface PartStart {
  after?: Place | undefined;
  offset?: number | undefined;
}

/** The next rows of a part, at most so many. */
export async function readPlaces(
  reader: Reader,
  search: Search,
  part: Part,
  { after, offset }: PartStart,
  limit: number,
): Promise<Place[]> {
  const text = new SqlText();
  const id = part.strip === undefined ? "e.id" : "s.experiment";
  const terms = part.terms(text);
  if (after !== undefined && !isPlaceOf(terms, after))
    throw new ServiceError("bad_request", "`after` is the `next` of a reply with another sort.");
  const conditions = conditionsOf(search, part, text);
  if (after !== undefined) conditions.push(isBehind(terms, after, text, id));
  const values = terms.map(({ sql }, at) => `, ${sql} AS v${at}`).join("");
  const selected = `SELECT ${id} AS id${values} ${fromText(part, text)} WHERE ${conditions.join(" AND ")}`;
  const skipped = offset === undefined ? "" : ` OFFSET ${text.number(offset)}`;
  const rows = await reader.composed<Record<string, string | number | null> & { id: string }>(
    `${withPlaces(search, text)}${selected} ORDER BY ${orderText(terms, id)}
     LIMIT ${text.number(limit)}${skipped}`,
    ...text.values,
  );
  return rows.map((row) => ({ id: row.id, values: terms.map((_, at) => row[`v${at}`]) }));
}

/** How many experiments a search finds, in a part or in all. */
export async function countFound(
  reader: Reader,
  search: Search,
  part: Pick<Part, "strip">,
): Promise<number> {
  const text = new SqlText();
  const conditions = conditionsOf(search, part, text);
  const [row] = await reader.composed<{ found: number }>(
    `${withPlaces(search, text)}SELECT count(*) AS found ${fromText(part, text)} WHERE ${conditions.join(" AND ")}`,
    ...text.values,
  );
  return row.found;
}

function conditionsOf(search: Search, part: Pick<Part, "strip" | "isLeft">, text: SqlText) {
  const { organizationId, query, folderId } = search;
  const conditions: string[] = [];
  const { strip } = part;
  if (strip === undefined) conditions.push(`e.organization = ${text.bind(organizationId)}`);
  else conditions.push(strip.condition(text));
  if (part.isLeft !== undefined) conditions.push(part.isLeft(text));
  if (folderId !== undefined) {
    text.joined.add("experiment");
    conditions.push("e.folder IN (SELECT id FROM below)");
  }
  if (query.kind !== "and" || query.parts.length > 0) {
    const id = strip === undefined ? "e.id" : "s.experiment";
    conditions.push(compileQuery(search, query, text, id));
  }
  return conditions;
}

function fromText({ strip }: Pick<Part, "strip">, { joined }: SqlText): string {
  const isNeeded = joined.has("experiment") || joined.has("place");
  const tables = [
    strip === undefined ? "FROM experiment e" : `FROM ${strip.table} s`,
    strip !== undefined && isNeeded && "JOIN experiment e ON e.id = s.experiment",
    joined.has("head") &&
      `JOIN head h ON h.experiment = ${strip === undefined ? "e.id" : "s.experiment"}`,
    joined.has("place") && "LEFT JOIN place ON place.id = e.folder",
  ];
  return tables.filter((table) => table !== false).join(" ");
}

/** Folders with their paths, and those below the one that is asked for. */
function withPlaces({ organizationId, folderId }: Search, text: SqlText): string {
  const tables: string[] = [];
  if (text.joined.has("place")) {
    tables.push(placesText(organizationId, text));
  }
  if (folderId !== undefined) {
    tables.push(`below (id) AS (
      SELECT id FROM folder WHERE id = ${text.bind(folderId)} AND organization = ${text.bind(organizationId)}
      UNION ALL SELECT folder.id FROM folder JOIN below ON folder.parent = below.id)`);
  }
  return tables.length === 0 ? "" : `WITH RECURSIVE ${tables.join(", ")} `;
}
