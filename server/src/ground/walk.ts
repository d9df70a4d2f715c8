import { type KeptOrders, type OrderedRow, OrderedRows } from "./kept-orders.ts";

/** Where a page begins: behind a row, or with the first one of a part. */
export interface WalkedFrom {
  part: number;
  after: Pick<OrderedRow, "id" | "values"> | undefined;
}

/** One walk through all that a search finds, page by page. */
export interface Walk {
  organizationId: string;
  /** Tells walks apart: an order that was made for an earlier one lacks what came in between. */
  name: string;
  /** All that is asked but the place: pages of another search are pages of another walk. */
  asked: unknown;
  /** Reads the rows now behind a place, in order, at most `rowsMax`; `total` as in KeptOrder. */
  readBehind(from: WalkedFrom, rowsMax: number): Promise<Found>;
  /** Returns which of the ids the search finds now. */
  findAmong(ids: readonly string[]): Promise<ReadonlySet<string>>;
}

interface Found {
  rows: readonly OrderedRow[];
  total: number | undefined;
}

export interface WalkContext {
  nowMs: number;
  orders: KeptOrders;
}

/** An order of more rows is made in pieces; and of texts, which may be long, fewer are one. */
const rowsMax = 200_000;
const textRowsMax = 50_000;
/** A page whose rows are mostly gone is not filled by ones and twos. */
const testedAtOnce = 100;

/**
 * The next rows of a walk, at most so many. The first page that is missing makes the order of all
 * that is behind it; those that follow take their rows from there, as far as the search finds them
 * still. Behind the last row of an order it is looked what has come since. Without the order, on
 * another node or after a restart, a page begins behind the same place, so that what has not
 * changed is in no two of them and missing in none.
 */
export async function nextPage(
  walk: Walk,
  { nowMs, orders }: WalkContext,
  from: WalkedFrom,
  limit: number,
): Promise<Found> {
  const key = JSON.stringify([walk.organizationId, walk.name, walk.asked]);
  const rows: OrderedRow[] = [];
  let place = from;
  let total: number | undefined;
  while (rows.length < limit) {
    const kept = orders.find(key, nowMs);
    const at =
      kept === undefined || place.after === undefined ? -1 : kept.rows.placeOf(rowAt(place));
    if (kept === undefined || at === -1) {
      const read = await walk.readBehind(place, Math.max(limit, aheadOf(place)));
      rows.push(...read.rows.slice(0, limit - rows.length));
      total ??= read.total;
      // The rows of this page are already read: where none follow, there is no next page.
      if (read.rows.length > limit) keep(walk, orders, key, { ...read, total }, nowMs);
      return { rows, total };
    }
    total ??= kept.total;
    const wanted = Math.max(limit - rows.length, testedAtOnce);
    const last = Math.min(at + wanted, kept.rows.length - 1);
    const next: OrderedRow[] = [];
    for (let row = at + 1; row <= last; row++) next.push(kept.rows.at(row));
    const found = next.length === 0 ? new Set() : await walk.findAmong(next.map(({ id }) => id));
    rows.push(...next.filter(({ id }) => found.has(id)).slice(0, limit - rows.length));
    if (next.length > 0) place = { part: next.at(-1)!.part, after: next.at(-1)! };
    if (rows.length < limit && last === kept.rows.length - 1) orders.drop(key);
  }
  return { rows, total };
}

function keep(
  { organizationId }: Walk,
  orders: KeptOrders,
  key: string,
  { rows, total }: Found,
  nowMs: number,
): void {
  const ordered = new OrderedRows();
  for (const row of rows) {
    if (ordered.bytes >= orders.orderBytesMax) break;
    ordered.add(row);
  }
  orders.keep(organizationId, key, { rows: ordered, total }, nowMs);
}

function rowAt({ part, after }: WalkedFrom): OrderedRow {
  return { part, id: after!.id, values: after!.values };
}

function aheadOf({ after }: WalkedFrom): number {
  const hasTexts = after?.values.some((value) => typeof value === "string") ?? true;
  return hasTexts ? textRowsMax : rowsMax;
}
