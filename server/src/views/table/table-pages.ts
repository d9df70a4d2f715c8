import type { TableBody } from "@lossless/protocol";
import type { Reader } from "../../database/database.ts";
import { ServiceError } from "../../ground/errors.ts";
import type { OrderedRow } from "../../ground/kept-orders.ts";
import { nextPage, type Walk, type WalkContext, type WalkedFrom } from "../../ground/walk.ts";
import { cursorOf, newWalk, walkOf } from "../../ground/walk-name.ts";
import type { RowPosition } from "./table-order.ts";
import { countFound, findExisting, readPlaces, type Table } from "./table-search.ts";

interface Page {
  ids: string[];
  /** Number of rows of all pages, where it is known. */
  total: number | undefined;
}

/** The page that a request asks for, and the `after` of the next one where there may be more. */
export async function readNext(
  reader: Reader,
  table: Table,
  body: TableBody,
  context: WalkContext,
): Promise<Page & { next?: string }> {
  const { after, offset, limit } = body;
  if (after !== undefined && offset !== undefined)
    throw new ServiceError("bad_request", "Give `after` or `offset`, not both.");
  if (limit === 0) return { ids: [], total: undefined };
  const name = (after === undefined ? undefined : walkOf(after)) ?? newWalk(context.nowMs);
  // One more row tells whether these are the last.
  const { rows, total } =
    after === undefined
      ? await readPlaced(reader, table, { part: 0, after: undefined, offset }, limit + 1)
      : await nextPage(walkThrough(reader, table, body, name), context, placeIn(after), limit + 1);
  const shown = rows.slice(0, limit);
  const ids = shown.map(({ id }) => id);
  if (rows.length <= limit) return { ids, total };
  const { part, ...place } = shown.at(-1)!;
  return { ids, total, next: cursorOf(name, [part, place]) };
}

/** The first rows of a table. */
export async function readFirst(reader: Reader, table: Table, limit: number): Promise<Page> {
  const first = { part: 0, after: undefined };
  const { rows, total } = await readPlaced(reader, table, first, limit);
  return { ids: rows.map(({ id }) => id), total };
}

function walkThrough(
  reader: Reader,
  table: Table,
  { query, folderId, group, sort }: TableBody,
  name: string,
): Walk {
  const { search } = table;
  return {
    organizationId: search.organizationId,
    name,
    asked: [query, folderId, group, sort],
    readBehind: (from, rowsMax) => readPlaced(reader, table, from, rowsMax),
    findAmong: async (ids) => new Set(await findExisting(search, ids)),
  };
}

/** At most so many rows behind a place, or behind so many rows. */
async function readPlaced(
  reader: Reader,
  { search, parts }: Table,
  start: WalkedFrom & { offset?: number | undefined },
  limit: number,
): Promise<{ rows: OrderedRow[]; total: number | undefined }> {
  const rows: OrderedRow[] = [];
  let { after, offset }: { after?: RowPosition | undefined; offset?: number | undefined } = start;
  let total: number | undefined;
  for (let part = start.part; part < parts.length && rows.length < limit; part++) {
    const wanted = limit - rows.length;
    const read = await readPlaces(reader, search, parts[part], { after, offset }, wanted);
    total ??= read.total;
    for (let row = 0; row < read.ids.length; row++) rows.push({ part, ...read.placeAt(row) });
    if (offset !== undefined && read.ids.length === 0) {
      offset -= await countFound(reader, search, parts[part]);
    } else offset = undefined;
    after = undefined;
  }
  return { rows, total };
}

/** A place is opaque to clients, and checked where it is used. */
function placeIn(cursor: string): WalkedFrom & { after: RowPosition | undefined } {
  const wrong = () => new ServiceError("bad_request", "`after` is no `next` of a reply.");
  let parsed: unknown;
  try {
    parsed = JSON.parse(Buffer.from(cursor.replace(/^.*\./, ""), "base64url").toString());
  } catch {
    throw wrong();
  }
  const [part, place] = Array.isArray(parsed) ? (parsed as unknown[]) : [];
  if (part !== 0 && part !== 1) throw wrong();
  if (place === null) return { part, after: undefined };
  const { id, values } = (place ?? {}) as Partial<RowPosition>;
  if (typeof id !== "string" || !Array.isArray(values)) throw wrong();
  // PostgreSQL has no text with this character.
  if ([id, ...values].some((one) => typeof one === "string" && one.includes("\0"))) throw wrong();
  return { part, after: { id, values } };
}
