/** A row's place in an order: what its part is sorted by, then its id. */
export interface OrderedRow {
  /** An order may have parts, one behind the other, each sorted by values of its own. */
  part: number;
  id: string;
  values: readonly OrderedValue[];
}

export type OrderedValue = string | number | null;

/** The rest of an order, as it was at one moment. */
export interface KeptOrder {
  rows: OrderedRows;
  /** How many rows the whole order has, where that is known. */
  total: number | undefined;
}

interface Entry extends KeptOrder {
  holder: string;
  bytes: number;
  keptAtMs: number;
}

/** An order is as old as this at most: what has come since then is not in it. */
const ageMaxMs = 60_000;

/**
 * Orders that are walked page by page: to sort all rows again for each page would cost the square
 * of their number. A walk keeps one order here. They take so many bytes together, those of one
 * organization at most half; what was not used for longest goes first. Whoever misses one makes it
 * anew, behind the place where the last page ended.
 */
export class KeptOrders {
  readonly #bytesMax: number;
  /** In the order of their last use. */
  readonly #entries = new Map<string, Entry>();

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** A longer order is kept as far as this: less than a half, as its key takes some, too. */
  get orderBytesMax(): number {
    return this.#bytesMax / 3;
  }

  find(key: string, nowMs: number): KeptOrder | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    this.#entries.delete(key);
    if (nowMs - entry.keptAtMs > ageMaxMs) return undefined;
    this.#entries.set(key, entry);
    return entry;
  }

  keep(holder: string, key: string, order: KeptOrder, nowMs: number): void {
    this.#entries.delete(key);
    const bytes = order.rows.bytes + 2 * key.length;
    const ownMax = this.#bytesMax / 2;
    if (bytes > ownMax) return;
    for (const [other, { keptAtMs }] of this.#entries)
      if (nowMs - keptAtMs > ageMaxMs) this.#entries.delete(other);
    this.#shrink(ownMax - bytes, holder);
    this.#shrink(this.#bytesMax - bytes);
    this.#entries.set(key, { ...order, holder, bytes, keptAtMs: nowMs });
  }

  drop(key: string): void {
    this.#entries.delete(key);
  }

  /** Until what one holder has, or all have, is no more than this. */
  #shrink(bytesMax: number, holder?: string): void {
    const those = [...this.#entries].filter(
      ([, entry]) => holder === undefined || entry.holder === holder,
    );
    let bytes = those.reduce((sum, [, entry]) => sum + entry.bytes, 0);
    for (const [key, entry] of those) {
      if (bytes <= bytesMax) return;
      this.#entries.delete(key);
      bytes -= entry.bytes;
    }
  }
}

/** About what a text takes besides its letters, and a number. */
const textBytes = 32;
const numberBytes = 16;

/** Rows column by column: as objects they would take three times the memory. */
export class OrderedRows {
  readonly #ids: string[] = [];
  readonly #parts: number[] = [];
  /** How many values the rows of a part have. */
  readonly #widths: number[] = [];
  readonly #columns: OrderedValue[][] = [];
  #bytes = 0;
  /** Where the last row was found: the next one that is looked for is not far behind it. */
  #foundAt = 0;

  get length(): number {
    return this.#ids.length;
  }

  get bytes(): number {
    return this.#bytes;
  }

  add({ part, id, values }: OrderedRow): void {
    this.#widths[part] = values.length;
    this.#parts.push(part);
    const at = this.#ids.push(id) - 1;
    this.#bytes += sizeOf(id) + numberBytes;
    for (const [column, value] of values.entries()) {
      (this.#columns[column] ??= [])[at] = value;
      this.#bytes += sizeOf(value);
    }
  }

  at(row: number): OrderedRow {
    const part = this.#parts[row];
    const columns = this.#columns.slice(0, this.#widths[part]);
    return { part, id: this.#ids[row], values: columns.map((column) => column[row]) };
  }

  /** Where a row stands with these very values; -1: nowhere. */
  placeOf({ part, id, values }: OrderedRow): number {
    let at = this.#ids.indexOf(id, this.#foundAt);
    if (at === -1) at = this.#ids.indexOf(id);
    if (at === -1) return -1;
    const found = this.at(at);
    const isSame = found.values.every(
      (value, column) => value === values[column] || Object.is(value, values[column]),
    );
    if (found.part !== part || found.values.length !== values.length || !isSame) return -1;
    return (this.#foundAt = at);
  }
}

function sizeOf(value: OrderedValue): number {
  return typeof value === "string" ? value.length + textBytes : numberBytes;
}
