import type { Field, Query, TableBody } from "@lossless/protocol";
import { QueryError } from "@lossless/protocol/query-error";
import { parseField } from "@lossless/protocol/query-field";
import { fieldsOf, parseQuery } from "@lossless/protocol/query-language";
import type { Reader } from "../../database/database.ts";
import { ServiceError } from "../../ground/errors.ts";
import { addArray, type ReplyText } from "../../ground/reply-text.ts";
import type { WalkContext } from "../../ground/walk.ts";
import { readFolderOrder } from "./folder-order.ts";
import { FolderTests } from "./folder-tests.ts";
import { readNames } from "./known-names.ts";
import { concernedBy } from "./may-find.ts";
import { readBehind } from "./summaries-behind.ts";
import { readWords, refusal } from "./read-words.ts";
import { partsOf, type SortedBy } from "./table-order.ts";
import { readRows } from "./table-rows.ts";
import { readNext } from "./table-pages.ts";
import { groupFieldsOf, searchedGroup } from "./group-fields.ts";
import { readNear, readUnknown } from "./unknown-fields.ts";
import { countFound, type Table } from "./table-search.ts";

export interface ReadTable {
  organizationId: string;
  body: TableBody;
}

/** `views/experiments`: the rows of one page, and how many there are in all. */
export async function readTable(
  reader: Reader,
  { organizationId, body }: ReadTable,
  text: ReplyText,
  { nowMs, orders }: WalkContext,
): Promise<void> {
  const table = await openTable(reader, organizationId, body, nowMs);
  const { ids, next, total } = await readNext(reader, table, body, { nowMs, orders });
  const rows = await readRows(reader, table.search, table.columns, ids);
  const concerned = concernedBy(table.search);
  const behind = await readBehind(reader, organizationId, nowMs, { concerned });
  await text.add('{"rows":');
  await addArray(text, rows, (row) => JSON.stringify(row));
  const found = total ?? (await countFound(reader, table.search, {}));
  const cursor = next === undefined ? {} : { next };
  const { query, names } = table.search;
  // A name is known once the summaries have it.
  const isLate = behind.late > 0;
  const named = [...fieldsOf(query), ...table.columns];
  const unknown = isLate ? [] : await readUnknown(reader, organizationId, named, names);
  const rest = { total: found, ...cursor, ...behind, ...(unknown.length > 0 && { unknown }) };
  await text.add(`,${JSON.stringify(rest).slice(1)}`);
}

/** Reads the words of a request. Throws `bad_request`. */
export async function openTable(
  reader: Reader,
  organizationId: string,
  body: {
    [Name in "query" | "folderId" | "group" | "sort" | "columns"]?: TableBody[Name] | undefined;
  },
  nowMs: number,
): Promise<Table> {
  const query = await readQuery(reader, organizationId, body.query ?? "");
  const columns = (body.columns ?? []).map((one, at) => readField(`columns[${at}]`, one));
  const newest = { field: "created", descending: true };
  const sort: SortedBy[] = (body.sort ?? [newest]).map(({ field, descending = false }, at) => ({
    field: readField(`sort[${at}]`, field),
    descending,
  }));
  const ofGroup = groupFieldsOf(body.group?.by ?? [], "group.by");
  const fields = [...fieldsOf(query), ...columns, ...sort.map(({ field }) => field), ...ofGroup];
  const names = await readNames(reader, organizationId, fields);
  const isFolder = (field: Field) => field.kind === "own" && field.name === "folder";
  const needsFolders = [...fieldsOf(query), ...sort.map(({ field }) => field), ...ofGroup].some(
    isFolder,
  );
  const folders = needsFolders ? await readFolderOrder(reader, organizationId) : undefined;
  const folderTests = folders && (await FolderTests.find(query, folders));
  const { folderId } = body;
  const hasDeleted = await hasDeletedExperiments(reader, organizationId);
  const group = body.group && searchedGroup(ofGroup, body.group.values, folders);
  const where = { names, folders, folderTests, folderId, group };
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

/** Parses a query. For a word that is no field the refusal names existing fields. */
async function readQuery(reader: Reader, organizationId: string, text: string): Promise<Query> {
  try {
    return parseQuery(text);
  } catch (error) {
    if (!(error instanceof QueryError) || error.unknownName === undefined)
      return readWords("query", () => parseQuery(text));
    const near = await readNear(reader, organizationId, error.unknownName);
    throw refusal("query", near.length === 0 ? error.message : error.messageWith(near));
  }
}

function readField(where: string, text: string): Field {
  const field = readWords(where, () => parseField(text));
  if (field.kind !== "own" || field.name !== "artifact") return field;
  throw new ServiceError(
    "bad_request",
    `${where}: artifact is for queries only, because an experiment may have written many artifacts.`,
  );
}
