import type { Field, TableBody } from "@lossless/protocol";
import { QueryError } from "@lossless/protocol/query-error";
import { parseField } from "@lossless/protocol/query-field";
import { fieldsOf, parseQuery } from "@lossless/protocol/query-language";
import type { Reader } from "../../database/database.ts";
import type { Moment } from "../../ground/clock.ts";
import { ServiceError } from "../../ground/errors.ts";
import { addArray, type ReplyText } from "../../ground/reply-text.ts";
import { readFolderOrder } from "./folder-order.ts";
import { FolderTests } from "./folder-tests.ts";
import { readNames } from "./known-names.ts";
import { concernedBy } from "./may-find.ts";
import { readBehind } from "./summaries-behind.ts";
import { partsOf, type Part, type Place, type SortedBy } from "./table-order.ts";
import { readRows } from "./table-rows.ts";
import { countFound, type PartStart, readPlaces, type Search } from "./table-search.ts";

export interface ReadTable {
  organizationId: string;
  body: TableBody;
}

/** `views/experiments`: the rows of one page, and how many there are in all. */
export async function readTable(
  reader: Reader,
  { organizationId, body }: ReadTable,
  text: ReplyText,
  { nowMs }: Moment,
): Promise<void> {
  const table = await openTable(reader, organizationId, body, nowMs);
  const { ids, next, total } = await readPage(reader, table, startOf(body), body.limit);
  const rows = await readRows(reader, table.search, table.columns, ids);
  const concerned = concernedBy(table.search);
  const behind = await readBehind(reader, organizationId, nowMs, { concerned });
  const cursor = next === undefined ? {} : { next: cursorText(next) };
  await text.add('{"rows":');
  await addArray(text, rows, (row) => JSON.stringify(row));
  const found = total ?? (await countFound(reader, table.search, {}));
  await text.add(`,${JSON.stringify({ total: found, ...cursor, ...behind }).slice(1)}`);
}

export interface Table {
  search: Search;
  columns: Field[];
  parts: Part[];
}

/** Reads the words of a request. Throws `bad_request`. */
export async function openTable(
  reader: Reader,
  organizationId: string,
  body: { [Name in "query" | "folderId" | "sort" | "columns"]?: TableBody[Name] | undefined },
  nowMs: number,
): Promise<Table> {
  const query = readWords("query", () => parseQuery(body.query ?? ""));
  const columns = (body.columns ?? []).map((one, at) => readField(`columns[${at}]`, one));
  const newest = { field: "created", descending: true };
  const sort: SortedBy[] = (body.sort ?? [newest]).map(({ field, descending = false }, at) => ({
    field: readField(`sort[${at}]`, field),
    descending,
  }));
  const fields = [...fieldsOf(query), ...columns, ...sort.map(({ field }) => field)];
  const names = await readNames(reader, organizationId, fields);
  const isFolder = (field: Field) => field.kind === "own" && field.name === "folder";
  const needsFolders = [...fieldsOf(query), ...sort.map(({ field }) => field)].some(isFolder);
  const folders = needsFolders ? await readFolderOrder(reader, organizationId) : undefined;
  const folderTests = folders && (await FolderTests.find(query, folders));
  const { folderId } = body;
  const hasDeleted = await hasDeletedExperiments(reader, organizationId);
  const where = { names, folders, folderTests, folderId };
  const search = { reader, organizationId, ...where, hasDeleted, nowMs, query };
  return { search, columns, parts: partsOf(sort, search) };
}

export async function hasDeletedExperiments(
  reader: Reader,
  organizationId: string,
): Promise<boolean> {
  const row = await reader.get(
    "SELECT id FROM experiment WHERE organization = $1 AND trashed_at_ms IS NOT NULL LIMIT 1",
    organizationId,
  );
  return row !== undefined;
}

/** Where a page begins: behind a row of a part, or behind so many rows. */
export interface PageStart extends PartStart {
  part: number;
}

interface Page {
  ids: string[];
  /** The last one's place where there may be more. */
  next?: PageStart;
  /** How many all pages have, where it is known. */
  total: number | undefined;
}

export async function readPage(
  reader: Reader,
  { search, parts }: Table,
  start: PageStart,
  limit: number,
): Promise<Page> {
  const ids: string[] = [];
  let { after, offset } = start;
  let total: number | undefined;
  for (let part = start.part; part < parts.length && limit > 0; part++) {
    const wanted = limit - ids.length;
    // One more row tells whether these are the last.
    const read = await readPlaces(reader, search, parts[part], { after, offset }, wanted + 1);
    total ??= read.total;
    ids.push(...read.ids.slice(0, wanted));
    if (read.ids.length > wanted)
      return { ids, next: { part, after: read.placeAt(wanted - 1) }, total };
    if (offset !== undefined && read.ids.length === 0) {
      offset -= await countFound(reader, search, parts[part]);
    } else offset = undefined;
    after = undefined;
  }
  return { ids, total };
}

function startOf({ after, offset }: TableBody): PageStart {
  if (after === undefined) return { part: 0, offset };
  if (offset !== undefined)
    throw new ServiceError("bad_request", "Give `after` or `offset`, not both.");
  return placeIn(after);
}

/** A place is opaque to clients, and checked where it is used. */
function cursorText({ part, after }: PageStart): string {
  return Buffer.from(JSON.stringify([part, after ?? null])).toString("base64url");
}

function placeIn(cursor: string): PageStart {
  const wrong = () => new ServiceError("bad_request", "`after` is no `next` of a reply.");
  let parsed: unknown;
  try {
    parsed = JSON.parse(Buffer.from(cursor, "base64url").toString());
  } catch {
    throw wrong();
  }
  const [part, place] = Array.isArray(parsed) ? (parsed as unknown[]) : [];
  if (part !== 0 && part !== 1) throw wrong();
  if (place === null) return { part };
  const { id, values } = (place ?? {}) as Partial<Place>;
  if (typeof id !== "string" || !Array.isArray(values)) throw wrong();
  // PostgreSQL has no text with this character.
  if ([id, ...values].some((one) => typeof one === "string" && one.includes("\0"))) throw wrong();
  return { part, after: { id, values } };
}

function readField(where: string, text: string): Field {
  const field = readWords(where, () => parseField(text));
  if (field.kind !== "own" || field.name !== "artifact") return field;
  throw new ServiceError(
    "bad_request",
    `${where}: an experiment may have written many artifacts; artifact stands in queries only.`,
  );
}

/** What the language refuses is a mistake of the request. */
export function readWords<Result>(where: string, parse: () => Result): Result {
  try {
    return parse();
  } catch (error) {
    if (!(error instanceof QueryError)) throw error;
    throw new ServiceError("bad_request", `${where}: ${error.message}.`);
  }
}
