import type { ConsoleLine } from "@lossless/client";

/** Lines around a place, as far as they are known. */
export interface LineWindow {
  lines: readonly ConsoleLine[];
  /** Whether no wanted line precedes, or follows, these. */
  isFirst: boolean;
  isLast: boolean;
  /** The next read; undefined: nothing is missing. */
  missing: { first: number } | { before: number } | undefined;
}

/** Numbers that were looked at, from one up to another, with the wanted lines among them. */
interface Range {
  from: number;
  to: number;
  lines: readonly ConsoleLine[];
}

/** Lines above a place that a first read takes with it: more than are drawn there. */
const leadLines = 90;

/**
 * The known stretches of a console, which may have more lines than a page can keep. Where sources
 * or streams are chosen, a stretch has fewer lines than numbers.
 */
export class LineRanges {
  /** In order, without overlaps. */
  #ranges: Range[] = [];

  /** Lines that are kept. */
  get size(): number {
    return this.#ranges.reduce((sum, { lines }) => sum + lines.length, 0);
  }

  /** Adds what was read of the numbers from one up to another; known ones stay as they are. */
  add(from: number, to: number, lines: readonly ConsoleLine[]): void {
    const added: Range[] = [];
    const put = (start: number, end: number) => {
      if (start >= end) return;
      const inside = lines.filter(({ line }) => line >= start && line < end);
      added.push({ from: start, to: end, lines: inside });
    };
    let at = from;
    for (const range of this.#ranges) {
      if (range.to <= at) continue;
      if (range.from >= to) break;
      put(at, range.from);
      at = range.to;
    }
    put(at, to);
    this.#ranges = [...this.#ranges, ...added].sort((one, other) => one.from - other.from);
  }

  /** Returns at most so many lines above a number, and of it and below it. */
  around(at: number, above: number, below: number, total: number): LineWindow {
    const up = this.#above(at, above);
    const down = this.#below(at, below, total);
    const lines = [...up.lines, ...down.lines];
    return { lines, isFirst: up.isAll, isLast: down.isAll, missing: this.#missing(at, up, down) };
  }

  /** Drops stretches far from a number until few enough lines and characters are kept. */
  keepNear(at: number, linesMax: number, charactersMax: number): void {
    const sizeOf = ({ lines }: Range) => lines.reduce((sum, { text }) => sum + text.length, 0);
    let lines = this.size;
    let characters = this.#ranges.reduce((sum, range) => sum + sizeOf(range), 0);
    while (this.#ranges.length > 1 && (lines > linesMax || characters > charactersMax)) {
      const place = this.#ranges.findIndex(({ to }) => to >= at);
      const middle = place < 0 ? this.#ranges.length - 1 : place;
      // By ranges between and not by numbers: those of a sparse choice are far apart.
      const isFirst = middle > this.#ranges.length - 1 - middle;
      const gone = isFirst ? this.#ranges.shift()! : this.#ranges.pop()!;
      lines -= gone.lines.length;
      characters -= sizeOf(gone);
    }
  }

  #above(at: number, count: number) {
    const found: ConsoleLine[] = [];
    let reached = at;
    while (reached > 0 && found.length <= count) {
      const range = this.#ranges.find(({ from, to }) => from < reached && to >= reached);
      if (range === undefined) break;
      found.unshift(...range.lines.filter(({ line }) => line < at));
      reached = range.from;
    }
    const isAll = reached === 0 && found.length <= count;
    return {
      lines: count === 0 ? [] : found.slice(-count),
      reached,
      isAll,
      isShort: !isAll && found.length < count,
    };
  }

  #below(at: number, count: number, total: number) {
    const found: ConsoleLine[] = [];
    let reached = at;
    while (reached < total && found.length <= count) {
      const range = this.#ranges.find(({ from, to }) => from <= reached && to > reached);
      if (range === undefined) break;
      found.push(...range.lines.filter(({ line }) => line >= at));
      reached = range.to;
    }
    const isAll = reached >= total && found.length <= count;
    return {
      lines: found.slice(0, count),
      reached,
      isAll,
      isShort: !isAll && found.length < count,
    };
  }

  #missing(
    at: number,
    up: { reached: number; isShort: boolean },
    down: { reached: number; isShort: boolean },
  ): LineWindow["missing"] {
    if (down.isShort) {
      if (down.reached > at || up.reached < at) return { first: down.reached };
      const before = this.#ranges.findLast(({ to }) => to <= at)?.to ?? 0;
      return { first: Math.max(before, at - leadLines) };
    }
    return up.isShort ? { before: up.reached } : undefined;
  }
}
