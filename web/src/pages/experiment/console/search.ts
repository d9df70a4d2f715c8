import type { SearchConsoleBody, SearchConsoleReply } from "@lossless/client";
import { computed, signal } from "@preact/signals";
import { messageOf } from "../../../parts/words.ts";

/** A text or an expression to search for. */
export interface Query {
  text: string;
  isPattern: boolean;
  matchesCase: boolean;
}

type SearchBody = Omit<SearchConsoleBody, "experimentId">;
export type AskSearch = (body: SearchBody, signal: AbortSignal) => Promise<SearchConsoleReply>;

/** Lines of one request. */
const pageLines = 5_000;
/** Numbers of lines that are kept; beyond, the search stops counting. */
const hitsMax = 100_000;

/** A search through a console: from its beginning on, counting, and from hit to hit. */
export class Search {
  readonly query: Query;
  /** How far it has come: lines searched, of how many. */
  readonly searched = signal(0);
  readonly total = signal(0);
  readonly isRunning = signal(false);
  readonly problem = signal<string | undefined>(undefined);
  /** Numbers of the lines that match, in order. */
  readonly hits = signal<readonly number[]>([]);
  readonly isFull = computed(() => this.hits.value.length >= hitsMax);
  readonly isComplete = computed(() => this.searched.value >= this.total.value);
  readonly #ask: AskSearch;
  readonly #stopped = new AbortController();

  constructor(ask: AskSearch, query: Query) {
    this.#ask = ask;
    this.query = query;
  }

  /** Marks places in a line that match. */
  expressionFor(line: number): RegExp | undefined {
    const { text, isPattern, matchesCase } = this.query;
    // The service has tried an expression on hits alone; on another line it may take for ever.
    if (isPattern && !this.has(line)) return undefined;
    const source = isPattern ? text : text.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&");
    try {
      return new RegExp(source, matchesCase ? "g" : "gi");
    } catch {
      return undefined;
    }
  }

  has(line: number): boolean {
    const hits = this.hits.value;
    return hits[placeOf(hits, line)] === line;
  }

  /** The place of a hit among all, from 1; undefined: the line is none. */
  numberOf(line: number | undefined): number | undefined {
    if (line === undefined || !this.has(line)) return undefined;
    return placeOf(this.hits.value, line) + 1;
  }

  /** Searches what has not been searched yet; ends at the end, or with many hits. */
  async run(): Promise<void> {
    if (this.isRunning.peek()) return;
    this.isRunning.value = true;
    try {
      do await this.#searchOn();
      while (!this.isComplete.peek() && !this.isFull.peek() && !this.#stopped.signal.aborted);
      this.problem.value = undefined;
    } catch (error) {
      if (!this.#stopped.signal.aborted) this.problem.value = messageOf(error);
    }
    this.isRunning.value = false;
  }

  /** Searches lines that have come since. */
  goOn(total: number): void {
    this.total.value = Math.max(total, this.total.peek());
    if (!this.isComplete.peek() && !this.isFull.peek()) void this.run();
  }

  /** The hit after a line, or the first of all behind the last; undefined: there is none. */
  next(line: number): Promise<number | undefined> {
    return this.#told(async () => {
      const known = this.hits.peek().find((hit) => hit > line);
      if (known !== undefined) return known;
      const found = await this.#firstFrom(Math.max(line + 1, this.searched.peek()));
      return found ?? this.hits.peek()[0] ?? this.#firstFrom(0);
    });
  }

  /** Likewise the hit before a line, or the last of all before the first. */
  previous(line: number): Promise<number | undefined> {
    return this.#told(async () => {
      const isKnown = line <= this.searched.peek();
      const found = isKnown
        ? this.hits.peek().findLast((hit) => hit < line)
        : await this.#lastBefore(line);
      return found ?? this.#lastBefore(Number.MAX_SAFE_INTEGER);
    });
  }

  stop(): void {
    this.#stopped.abort();
  }

  /** A failure is shown beside the count. */
  async #told(find: () => Promise<number | undefined>): Promise<number | undefined> {
    try {
      return await find();
    } catch (error) {
      if (!this.#stopped.signal.aborted) this.problem.value = messageOf(error);
      return undefined;
    }
  }

  async #searchOn(): Promise<void> {
    const reply = await this.#search({ first: this.searched.peek(), limit: pageLines });
    const found = reply.lines.map(({ line }) => line);
    if (found.length > 0) this.hits.value = [...this.hits.peek(), ...found];
    this.searched.value = reply.next;
    this.total.value = reply.total;
  }

  async #firstFrom(line: number): Promise<number | undefined> {
    for (let first = line; ;) {
      const { lines, next, isComplete } = await this.#search({ first, limit: 1 });
      if (lines.length > 0 || isComplete) return lines[0]?.line;
      first = next;
    }
  }

  async #lastBefore(line: number): Promise<number | undefined> {
    for (let before = line; ;) {
      const { lines, first, isComplete } = await this.#search({ before, limit: 1 });
      if (lines.length > 0 || isComplete) return lines.at(-1)?.line;
      before = first;
    }
  }

  #search(where: SearchBody): Promise<SearchConsoleReply> {
    const { text, isPattern, matchesCase } = this.query;
    const what = isPattern ? { pattern: text } : { text };
    const body = { ...what, ignoreCase: !matchesCase, ...where };
    return this.#ask(body, this.#stopped.signal);
  }
}

/** The place of a number in a sorted list, or of the first one behind it. */
function placeOf(sorted: readonly number[], wanted: number): number {
  let low = 0;
  for (let high = sorted.length; low < high;) {
    const middle = (low + high) >>> 1;
    if (sorted[middle] < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}
