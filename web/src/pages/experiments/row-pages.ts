import { batch, computed, signal } from "@preact/signals";
import { pause } from "../../parts/pause.ts";
import { messageOf } from "../../parts/words.ts";

/** A reply of the table: some rows, and the total number. */
export interface RowsReply<Row> {
  rows: readonly Row[];
  total: number;
}

export type AskRows<Row, Reply extends RowsReply<Row>> = (
  offset: number,
  limit: number,
  signal: AbortSignal,
) => Promise<Reply>;

interface Identified {
  experimentId: string;
  revision: number;
}

/** Rows of one request. */
const pageRows = 100;
/** Rows up to which all are read, so that common values can be shown. */
const wholeRowsMax = 500;
/** Milliseconds after a failed read of rows. */
const retryMs = 2_000;

/**
 * The rows of one question, read by pages around those on screen. Rows keep their places once read:
 * updates change their content only.
 */
export class RowPages<Row extends Identified, Reply extends RowsReply<Row>> {
  /** Rows by place. */
  readonly rows = signal<ReadonlyMap<number, Row>>(new Map());
  /** Undefined until the first reply. */
  readonly total = signal<number | undefined>(undefined);
  /** The latest reply. */
  readonly reply = signal<Reply | undefined>(undefined);
  readonly problem = signal<string | undefined>(undefined);
  /** The result of asking anew, if it differs: the number of new rows, or 0 for another order. */
  readonly news = signal<{ more: number } | undefined>(undefined);
  readonly #ask: AskRows<Row, Reply>;
  readonly #asked = new Map<number, { request: AbortController; done: Promise<boolean> }>();
  readonly #read = new Set<number>();
  #isStopped = false;
  /** Page numbers joined by commas, so that equal pages compare equal. */
  readonly #shown = signal("0");

  constructor(ask: AskRows<Row, Reply>) {
    this.#ask = ask;
    this.show(0, 1);
  }

  /** Whether all rows were read. */
  get isWhole(): boolean {
    return this.rows.value.size === this.total.value;
  }

  /** The rows on screen that were read, with their revisions. */
  readonly seen = computed(() => {
    const rows = this.rows.value;
    const places = numbers(this.#shown.value).flatMap((page) =>
      pagesOf(page * pageRows, (page + 1) * pageRows),
    );
    return places.flatMap((place) => rows.get(place) ?? []);
  });

  /** Reads first the rows that are on screen of others, of the same question. */
  showAs(other: RowPages<Row, Reply>): void {
    const pages = numbers(other.#shown.peek());
    this.show(pages[0] * pageRows, (pages.at(-1)! + 1) * pageRows);
  }

  /** Reads missing rows of this range, and cancels requests for others. */
  show(first: number, last: number): void {
    const from = Math.floor(first / pageRows);
    this.#shown.value = pagesOf(from, Math.max(from + 1, Math.ceil(last / pageRows))).join();
    const wanted = this.#wanted();
    for (const [page, { request }] of this.#asked) {
      if (wanted.includes(page)) continue;
      request.abort();
      this.#asked.delete(page);
    }
    this.#readMissing();
  }

  /** Reads the rows on screen again. Resolves to whether that succeeded. */
  async refresh(): Promise<boolean> {
    const pages = numbers(this.#shown.peek());
    const asked = pages.map((page) => this.#asked.get(page)?.done ?? this.#readPage(page));
    return (await Promise.all(asked)).every(Boolean);
  }

  /** Applies known facts to rows before they are read again. */
  apply(changed: readonly (Partial<Row> & Identified)[]): void {
    const byId = new Map(changed.map((one) => [one.experimentId, one]));
    const rows = [...this.rows.peek()].map(([place, row]): [number, Row] => {
      const next = byId.get(row.experimentId);
      return [place, next === undefined ? row : { ...row, ...next }];
    });
    this.rows.value = new Map(rows);
  }

  stop(): void {
    this.#isStopped = true;
    for (const { request } of this.#asked.values()) request.abort();
  }

  #wanted(): readonly number[] {
    const total = this.total.peek() ?? Infinity;
    if (total > wholeRowsMax) return numbers(this.#shown.peek());
    return pagesOf(0, Math.ceil(total / pageRows));
  }

  #readMissing(): void {
    for (const page of this.#wanted())
      if (!this.#asked.has(page) && !this.#read.has(page)) void this.#readPage(page);
  }

  #readPage(page: number): Promise<boolean> {
    const request = new AbortController();
    const done = this.#answered(page, request.signal).then((isRead) => {
      if (this.#asked.get(page)?.request === request) this.#asked.delete(page);
      // Failed reads are repeated after a pause: no change might ever ask for them.
      if (isRead) this.#readMissing();
      else void this.#readLater(request.signal);
      return isRead;
    });
    this.#asked.set(page, { request, done });
    return done;
  }

  async #readLater(stopped: AbortSignal): Promise<void> {
    await pause(retryMs, stopped);
    if (!stopped.aborted && !this.#isStopped) this.#readMissing();
  }

  async #answered(page: number, stopped: AbortSignal): Promise<boolean> {
    try {
      // After a shift of the list, a page has rows that others have already: further rows are read
      // then.
      let offset = page * pageRows;
      let lacking = pageRows;
      while (lacking > 0) {
        const reply = await this.#ask(offset, lacking, stopped);
        if (stopped.aborted) return false;
        batch(() => this.#take(page, offset, reply));
        offset += lacking;
        lacking = reply.rows.length < lacking ? 0 : this.#free(page).length;
      }
      this.#read.add(page);
      this.problem.value = undefined;
      return true;
    } catch (error) {
      if (!stopped.aborted) this.problem.value = messageOf(error);
      return false;
    }
  }

  #take(page: number, offset: number, reply: Reply): void {
    const rows = new Map(this.rows.peek());
    const places = new Map([...rows].map(([place, row]) => [row.experimentId, place]));
    const total = (this.total.value ??= reply.total);
    const free = this.#free(page);
    let isMoved = reply.total !== total;
    for (const [at, row] of reply.rows.entries()) {
      const place = places.get(row.experimentId) ?? free.shift();
      isMoved ||= place !== offset + at;
      if (place !== undefined) rows.set(place, row);
    }
    this.rows.value = rows;
    this.reply.value = reply;
    if (isMoved) this.news.value = { more: reply.total - total };
  }

  /** The places of a page that have no row yet. */
  #free(page: number): number[] {
    const end = Math.min((page + 1) * pageRows, this.total.peek() ?? Infinity);
    return pagesOf(page * pageRows, end).filter((place) => !this.rows.peek().has(place));
  }
}

function numbers(list: string): number[] {
  return list.split(",").map(Number);
}

function pagesOf(from: number, to: number): number[] {
  return Array.from({ length: Math.max(0, to - from) }, (_, at) => from + at);
}
