import { isDeepStrictEqual } from "node:util";
import type { Field, GroupsBody, ReportBlock, TableBody, TableReply } from "@lossless/protocol";
import { QueryError } from "@lossless/protocol/query-error";
import { fieldsOf, parseQuery, type Query, readQuery } from "@lossless/protocol/query-language";
import { parseSort } from "@lossless/protocol/query-list";
import { queryText } from "@lossless/protocol/query-text";
import { ServiceError } from "../../ground/errors.ts";
import type { Storage } from "../../storage/storage.ts";
import type { GuestCaller } from "./credentials.ts";
import { fieldOf, isPlainGroup, readsPlainSeries } from "./guest-hidden.ts";

/**
 * Narrows a guest's request for rows of the table to what the link shows; false: it is refused. A
 * query must not find out by its tests what no reply shows, so tests of folders, and of artifacts
 * where files are not shown, are refused, and of an anonymous link all tests are left out. The
 * queries of the link's report are the exception: they are run as its author wrote them.
 */
export async function narrowRows(
  body: TableBody,
  guest: GuestCaller,
  storage: Pick<Storage, "read">,
): Promise<boolean> {
  if (guest.experimentIds.length === 0) return false;
  if (guest.isAnonymous && body.group !== undefined) return false;
  const query = parsed(body.query ?? "");
  if ((guest.isAnonymous || isOfHidden(body, query, guest)) && !(await isOfReport())) {
    if (!guest.isAnonymous) return false;
    for (const name of ["sort", "folderId"] as const) delete body[name];
    body.query = narrowed(parsed(""), guest);
  } else body.query = narrowed(query, guest);
  return true;

  async function isOfReport(): Promise<boolean> {
    const blocks = JSON.parse(await reportText(guest, storage)) as ReportBlock[];
    return blocks.some((block) => asksFor(block, body));
  }
}

/** The blocks of the link's report as JSON; none where it is a link to no report. */
export async function reportText(
  { organizationId, reportId: id }: GuestCaller,
  storage: Pick<Storage, "read">,
): Promise<string> {
  if (id === null) return "[]";
  const looking = { organizationId, personId: null, kind: "report", id } as const;
  return (await storage.read("saved.read", looking)).content;
}

/**
 * Narrows a guest's request for groups of curves likewise: to named experiments of the link, or to
 * those of them that a query finds.
 */
export async function narrowGroups(
  body: GroupsBody,
  guest: GuestCaller,
  storage: Pick<Storage, "read">,
): Promise<boolean> {
  const { seriesName, filter, combined, xSeriesName, by } = body;
  const isPlain =
    readsPlainSeries([{ seriesName, filter, combined }], xSeriesName) && by.every(isPlainGroup);
  if (guest.isAnonymous ? !isPlain : by.map(fieldOf).some((field) => isUnseen(field, guest)))
    return false;
  const isShown = (id: string) => guest.experimentIds.includes(id);
  if (body.membersOf !== undefined) body.membersOf = body.membersOf.filter(isShown);
  if (body.experimentIds !== undefined) return body.experimentIds.every(isShown);
  const rows: TableBody = { limit: 0 };
  for (const name of ["query", "folderId"] as const)
    if (body[name] !== undefined) rows[name] = body[name];
  if (!(await narrowRows(rows, guest, storage))) return false;
  body.query = rows.query!;
  if (rows.folderId === undefined) delete body.folderId;
  return true;
}

/** Leaves out of rows what a link never shows: the paths of folders, and what others recorded. */
export function ownRows(reply: TableReply, { columns = [] }: TableBody): TableReply {
  const { unknown: _, ...known } = reply;
  const isFolder = columns.map((column) => isOwnField(fieldOf(column), ["folder"]));
  if (!isFolder.includes(true)) return known;
  const rows = reply.rows.map((row) => ({
    ...row,
    values: row.values.map((value, at) => (isFolder[at] ? null : value)),
  }));
  return { ...known, rows };
}

/** Whether a block of a report asks for these rows. */
function asksFor(block: ReportBlock, { query = "", folderId, sort = [] }: TableBody): boolean {
  if (block.kind === "text" || block.query === undefined) return false;
  const isFound = (block.query ?? "").trim() === query.trim() && block.folderId === folderId;
  const isOrdered = [block.sort ?? "", usualSort].some((order) =>
    isDeepStrictEqual(sortOf(order), sort.map(whole)),
  );
  return isFound && (sort.length === 0 || isOrdered);
}

/** The order of a chart whose block names none. */
const usualSort = "created desc";

const whole = ({ field, descending = false }: NonNullable<TableBody["sort"]>[number]) => {
  return { field, descending };
};

/** Returns the order in a text; undefined: it is none. */
function sortOf(text: string) {
  try {
    return parseSort(text).map(whole);
  } catch (error) {
    if (error instanceof QueryError) return undefined;
    throw error;
  }
}

/** Whether a request tests, or sorts by, a field that the link does not show. */
function isOfHidden({ sort = [], group }: TableBody, query: Query, guest: GuestCaller): boolean {
  const names = [...sort.map(({ field }) => field), ...(group?.by ?? [])];
  const fields = [...fieldsOf(query), ...names.map(fieldOf)];
  return fields.some((field) => isUnseen(field, guest));
}

function isUnseen(field: Field | undefined, { showsFiles }: GuestCaller): boolean {
  return isOwnField(field, showsFiles ? ["folder"] : ["folder", "artifact"]);
}

function isOwnField(field: Field | undefined, names: readonly string[]): boolean {
  return field?.kind === "own" && names.includes(field.name);
}

function parsed(text: string): Query {
  const { query, error } = readQuery(text);
  if (query === undefined) throw new ServiceError("bad_request", error?.message ?? "No query.");
  return query;
}

/** Returns the query that finds what both the reader's query and the link show. */
function narrowed(query: Query, { experimentIds }: GuestCaller): string {
  const own = parseQuery(`id in (${experimentIds.join(", ")})`);
  const isAll = query.kind === "and" && query.parts.length === 0;
  return queryText(isAll ? own : { kind: "and", parts: [own, query] });
}
