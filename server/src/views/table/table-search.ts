import type { Field, Query } from "@lossless/protocol";
import { fieldsOf } from "@lossless/protocol/query-language";
import type { Reader, Value } from "../../database/database.ts";
import { ServiceError } from "../../ground/errors.ts";
import { FolderTests } from "./folder-tests.ts";
import { combiningWithin, compileQuery, ownSet, type QueryTerms } from "./compile-query.ts";
import { groupSets, type SearchedGroup } from "./group-set.ts";
import { composedByMerging } from "./merging.ts";
import { fieldsInOrder, joinedTables } from "./own-columns.ts";
import { type Combining, type IdSet, intersection, isProbed } from "./set-text.ts";
import { SqlText } from "./sql-text.ts";
import {
  isBehind,
  isPlaceOf,
  orderText,
  placeOf,
  type SortPart,
  type RowPosition,
} from "./table-order.ts";

export interface Search extends QueryTerms {
  reader: Reader;
  query: Query;
  folderId: string | undefined;
  /** Only the experiments of one group. */
  group?: SearchedGroup | undefined;
}

export interface Table {
  search: Search;
  columns: Field[];
  parts: SortPart[];
}

/** The start of a part of the rows: behind a place, or behind this number of rows. */
export interface PartStart {
  after?: RowPosition | undefined;
  offset?: number | undefined;
}

/**
 * Reads the next rows of a part, at most the given number, and the number that the search finds
 * where there are any.
 */
export async function readPlaces(
  reader: Reader,
  search: Search,
  part: SortPart,
  { after, offset }: PartStart,
  limit: number,
): Promise<{
  ids: string[];
  placeAt: (row: number) => RowPosition;
  total: number | undefined;
}> {
  const text = new SqlText();
  const id = part.strip === undefined ? "e.id" : "s.experiment";
  const terms = part.terms(text);
  if (after !== undefined && !isPlaceOf(terms, after))
    throw new ServiceError("bad_request", "`after` is the `next` of a reply with another sort.");
  const mayMerge = isMergeable(search, part, text);
  const found = foundSet(search, mayMerge ? "join" : combiningWithin(search), text);
  const isMerged = mayMerge && found?.isOrdered === true;
  const conditions = conditionsOf(search, part, isMerged, text);
  if (after !== undefined) conditions.push(isBehind(terms, after, text, id));
  const counted = isMerged ? "found.total" : "(SELECT count(*) FROM found)";
  const total = found === undefined ? "NULL" : counted;
  const selected = [
    `${id} AS id`,
    `${total} AS total`,
    ...terms.map(({ sql }, at) => `${sql} AS v${at}`),
  ];
  const skipped = offset === undefined ? "" : ` OFFSET ${text.number(offset)}`;
  const read = isMerged ? composedByMerging : composed;
  const rows = await read<Record<string, string | number | null> & { id: string }>(
    reader,
    `${withText(search, found?.sql, isMerged, text)} SELECT ${selected.join(", ")}
     ${fromText(search, part, isMerged, text)} WHERE ${conditions.join(" AND ")}
     ORDER BY ${orderText(terms, id)} LIMIT ${text.number(limit)}${skipped}`,
    text.values,
  );
  const placeAt = (at: number) => {
    const values = terms.map((_, term) => rows[at][`v${term}`]);
    return placeOf(terms, rows[at].id, values);
  };
  const ids = rows.map((row) => row.id);
  return { ids, placeAt, total: (rows[0]?.["total"] as number | null | undefined) ?? undefined };
}

/** Counts the experiments that a search finds, in a part or in all. */
export async function countFound(
  reader: Reader,
  search: Search,
  part: Pick<SortPart, "strip" | "isIn">,
): Promise<number> {
  if (findsAll(search) && part.strip === undefined && part.isIn === undefined)
    return countAll(reader, search.organizationId);
  const text = new SqlText();
  const found = foundSet(search, combiningWithin(search), text);
  const isWhole = part.strip === undefined && part.isIn === undefined && found !== undefined;
  const counted = isWhole ? "FROM found" : whereText(search, part, text);
  const [row] = await reader.composed<{ found: number }>(
    `${withText(search, found?.sql, false, text)} SELECT count(*) AS found ${counted}`,
    ...text.values,
  );
  return row.found;
}

/** Returns the experiments among the given ones that a search finds; none of them is deleted. */
export async function findAmong(
  search: Search,
  experimentIds: readonly string[],
): Promise<string[]> {
  const among = { ...search, hasDeleted: false, among: experimentIds };
  const text = new SqlText();
  const found = foundSet(among, combiningWithin(among), text);
  if (found === undefined) return [...experimentIds];
  const rows = await search.reader.composed<{ id: string }>(
    `${withText(among, found.sql, false, text)} SELECT id FROM found`,
    ...text.values,
  );
  return rows.map(({ id }) => id);
}

/**
 * Returns the experiments among the given ones that a search finds; some of them may be deleted or
 * gone.
 */
export async function findExisting(
  search: Search,
  experimentIds: readonly string[],
): Promise<string[]> {
  const { reader, organizationId } = search;
  const existing = await reader.all<{ id: string }>(
    `SELECT id FROM experiment
     WHERE organization = $1 AND trashed_at_ms IS NULL AND ${reader.isOneOf("id", "$2")}`,
    organizationId,
    JSON.stringify(experimentIds),
  );
  return findAmong(
    search,
    existing.map(({ id }) => id),
  );
}

/** Every write keeps the number up to date; to count so many takes as long as to sort them. */
async function countAll(reader: Reader, organizationId: string): Promise<number> {
  const row = await reader.get<{ experiments: number }>(
    `SELECT CAST(coalesce(sum(experiments), 0) AS BIGINT) AS experiments FROM stored_amount
     WHERE organization = $1`,
    organizationId,
  );
  return row!.experiments;
}

function composed<Row>(reader: Reader, sql: string, values: readonly Value[]): Promise<Row[]> {
  return reader.composed<Row>(sql, ...values);
}

/**
 * Strips lie in the order of the ids, and so does what is found by strips and by the index of an
 * organization's experiments. Folders do not; other columns would be merged with those of all
 * organizations.
 */
function isMergeable(
  { reader, query, folderId, group, folders, folderTests }: Search,
  { strip }: Pick<SortPart, "strip">,
  { joined }: SqlText,
): boolean {
  const hasFolders = folderId !== undefined || folders !== undefined || folderTests !== undefined;
  return (
    reader.dialect === "postgres" &&
    strip !== undefined &&
    !hasFolders &&
    group === undefined &&
    joined.size === 0 &&
    fieldsOf(query).every((field) => field.kind !== "own" || fieldsInOrder.has(field.name))
  );
}

function whereText(search: Search, part: Pick<SortPart, "strip" | "isIn">, text: SqlText): string {
  const conditions = conditionsOf(search, part, false, text);
  return `${fromText(search, part, false, text)} WHERE ${conditions.join(" AND ")}`;
}

function conditionsOf(
  search: Search,
  part: Pick<SortPart, "strip" | "isIn">,
  isMerged: boolean,
  text: SqlText,
) {
  const { strip, isIn } = part;
  const conditions =
    strip === undefined
      ? [`e.organization = ${text.bind(search.organizationId)}`, "e.trashed_at_ms IS NULL"]
      : [strip.condition(text)];
  conditions.push(search.reader.inTime(strip === undefined ? "e" : undefined));
  if (isIn !== undefined) conditions.push(isIn(text));
  if (findsAll(search)) {
    // The found set leaves deleted experiments out already.
    if (strip !== undefined && search.hasDeleted)
      conditions.push(`s.experiment NOT IN (${deletedSet(search, text).sql})`);
    return conditions;
  }
  if (isMerged || isJoined(search, part)) return conditions;
  const id = strip === undefined ? "e.id" : "s.experiment";
  const found = "SELECT id FROM found";
  conditions.push(search.reader.dialect === "sqlite" ? `${id} IN (${found})` : isProbed(id, found));
  return conditions;
}

/**
 * PostgreSQL joins experiments with what is found: their rows are long, and where these are few it
 * looks them up. Over strips it passes.
 */
function isJoined({ reader: { dialect } }: Search, { strip }: Pick<SortPart, "strip">): boolean {
  return dialect === "postgres" && strip === undefined;
}

/** Returns the set of found experiments; undefined: all experiments. */
function foundSet(search: Search, combining: Combining, text: SqlText): IdSet | undefined {
  if (findsAll(search)) return undefined;
  const { query, folderId, group } = search;
  const { within, without } = group === undefined ? noSets : groupSets(search, group, text);
  const sets: IdSet[] = [...within];
  if (query.kind !== "and" || query.parts.length > 0)
    sets.push(compileQuery(search, query, text, combining));
  if (folderId !== undefined)
    sets.push(ownSet(search, "e.folder IN (SELECT id FROM below)", text.part()));
  // A group that only lacks values is sought among all experiments.
  if (sets.length === 0) sets.push(ownSet(search, "(1 = 1)", text.part()));
  const left = [...without, ...(search.hasDeleted ? [deletedSet(search, text)] : [])];
  return intersection(combining, sets, left);
}

const noSets = { within: [], without: [] };

/** Strips of metrics and metas still have them, until they are gone for good. */
function deletedSet({ organizationId }: Search, text: SqlText): IdSet {
  const organization = text.part().bind(organizationId);
  const sql = `SELECT id FROM experiment WHERE organization = ${organization} AND trashed_at_ms IS NOT NULL`;
  return { sql, isOnce: true };
}

export function findsAll({ query, folderId, group }: Search): boolean {
  const isNarrowed = folderId !== undefined || (group !== undefined && group.fields.length > 0);
  return query.kind === "and" && query.parts.length === 0 && !isNarrowed;
}

function fromText(
  search: Search,
  part: Pick<SortPart, "strip">,
  isMerged: boolean,
  { joined, leftJoins }: SqlText,
): string {
  const { strip } = part;
  const id = strip === undefined ? "e.id" : "s.experiment";
  const isNeeded = joined.has("experiment") || joined.has("place");
  const tables = [
    strip === undefined ? "FROM experiment e" : `FROM ${strip.table} s`,
    strip !== undefined && isNeeded && "JOIN experiment e ON e.id = s.experiment",
    !findsAll(search) && (isMerged || isJoined(search, part)) && `JOIN found ON found.id = ${id}`,
    ...joinedTables(joined, id),
    joined.has("place") && "LEFT JOIN place ON place.id = e.folder",
    ...leftJoins,
  ];
  return tables.filter((table) => table !== false).join(" ");
}

/** Folders in their order, those below the one that is asked for, and what is found. */
function withText(
  { organizationId, folderId, folders, folderTests, reader }: Search,
  found: string | undefined,
  isMerged: boolean,
  text: SqlText,
): string {
  const tables: string[] = [];
  if (text.joined.has("place")) {
    const listed = reader.listed(text.bind(JSON.stringify(folders!.ids)));
    tables.push(`place (position, id) AS MATERIALIZED (SELECT position, value FROM ${listed})`);
  }
  if (folderId !== undefined) {
    tables.push(`below (id) AS (
      SELECT id FROM folder WHERE id = ${text.bind(folderId)} AND organization = ${text.bind(organizationId)}
      UNION ALL SELECT folder.id FROM folder JOIN below ON folder.parent = below.id)`);
  }
  if (folderTests !== undefined) {
    const selected = FolderTests.selected(reader.listed(text.bind(folderTests.listed)));
    tables.push(`tested (id, tests) AS MATERIALIZED (${selected})`);
  }
  // Counted as it passes, it is not kept; that it is in order is not known otherwise.
  if (found !== undefined && isMerged) {
    tables.push(`found (id, total) AS (
      SELECT f.id, count(*) OVER () FROM (${found}) AS f (id) ORDER BY f.id)`);
  } else if (found !== undefined) tables.push(`found (id) AS MATERIALIZED (${found})`);
  return tables.length === 0 ? "" : `WITH RECURSIVE ${tables.join(", ")}`;
}
