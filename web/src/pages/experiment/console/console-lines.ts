import type { ConsoleLine, ReadConsoleBody, ReadConsoleReply } from "@lossless/client";
import { signal } from "@preact/signals";
import { pause } from "../../../parts/pause.ts";
import { messageOf } from "../../../parts/words.ts";
import { LineRanges, type LineWindow } from "./line-ranges.ts";

export type ConsoleSource = ReadConsoleReply["sources"][number];
export type ConsoleStream = ConsoleLine["stream"];

/** The shown lines, by their sources and streams; absent: all. */
export type LineChoice = Pick<ReadConsoleBody, "sources" | "streams">;

/** A place in a console: a line, or the end wherever it is. */
export type ConsolePlace = number | "end";

export type AskLines = (
  body: Omit<ReadConsoleBody, "experimentId">,
  signal: AbortSignal,
) => Promise<ReadConsoleReply>;

/** Lines of one request: what is drawn around a place, and some beyond. */
const pageLines = 280;
/** Lines, and characters of them, that are kept, whatever the console has. */
const keptLinesMax = 10_000;
const keptCharactersMax = 16_000_000;
/** Lines drawn above and below the place. */
const linesAbove = 80;
const linesBelow = 180;
const retryMs = 2_000;

/** The lines of a console around a place, read as they are needed; one request at a time. */
export class ConsoleLines {
  /** Grows with everything that is read. */
  readonly version = signal(0);
  /** Lines of the console; undefined until it is known. */
  readonly total = signal<number | undefined>(undefined);
  readonly sources = signal<readonly ConsoleSource[]>([]);
  readonly problem = signal<string | undefined>(undefined);
  readonly #ask: AskLines;
  readonly choice: LineChoice;
  readonly #ranges = new LineRanges();
  readonly #stopped = new AbortController();
  #place: ConsolePlace = "end";
  #queue: Promise<unknown> = Promise.resolve();
  #isFilling = false;

  constructor(ask: AskLines, choice: LineChoice) {
    this.#ask = ask;
    this.choice = choice;
  }

  /** The lines to draw around the place. */
  get window(): LineWindow {
    return this.#windowAt(this.#place);
  }

  /** Lines that are kept at this moment. */
  get kept(): number {
    return this.#ranges.size;
  }

  /** Goes to a place, and reads what is missing there. */
  show(place: ConsolePlace): void {
    this.#place = place;
    void this.#fill();
  }

  /** Reads what has changed: the number of lines, the open ones, and the new ones at the end. */
  async look(): Promise<void> {
    await this.#inTurn(async () => {
      const total = this.total.peek();
      if (total === undefined) return this.#read(this.#firstRead());
      const limit = this.#place === "end" ? pageLines : 1;
      return this.#read({ first: total, limit });
    });
    void this.#fill();
  }

  stop(): void {
    this.#stopped.abort();
  }

  #windowAt(place: ConsolePlace): LineWindow {
    const total = this.total.peek();
    if (total === undefined)
      return { lines: [], isFirst: false, isLast: false, missing: undefined };
    if (place === "end") return this.#ranges.around(total, linesAbove + linesBelow, 0, total);
    return this.#ranges.around(Math.min(place, total), linesAbove, linesBelow, total);
  }

  #firstRead(): Omit<ReadConsoleBody, "experimentId"> {
    const place = this.#place;
    return place === "end" ? {} : { first: Math.max(0, place - linesAbove - 10) };
  }

  /** Reads until nothing is missing at the place, which may move meanwhile. */
  async #fill(): Promise<void> {
    if (this.#isFilling) return;
    this.#isFilling = true;
    const { signal } = this.#stopped;
    while (!signal.aborted && this.window.missing !== undefined) {
      try {
        await this.#inTurn(async () => {
          const { missing } = this.window;
          if (missing !== undefined) await this.#read(missing);
        });
        this.problem.value = undefined;
      } catch (error) {
        if (signal.aborted) break;
        this.problem.value = messageOf(error);
        await pause(retryMs, signal);
      }
    }
    this.#isFilling = false;
  }

  /** Replies in the order of their requests: an older one does not bring back open lines. */
  #inTurn(act: () => Promise<void>): Promise<void> {
    const done = this.#queue.then(act);
    this.#queue = done.catch(() => undefined);
    return done;
  }

  async #read(where: Omit<ReadConsoleBody, "experimentId">): Promise<void> {
    const body = { ...this.choice, limit: pageLines, ...where };
    const reply = await this.#ask(body, this.#stopped.signal);
    if (this.#stopped.signal.aborted) return;
    this.#ranges.add(reply.first, reply.next, reply.lines);
    const place = this.#place === "end" ? reply.total : this.#place;
    this.#ranges.keepNear(place, keptLinesMax, keptCharactersMax);
    this.total.value = reply.total;
    this.sources.value = reply.sources;
    this.version.value++;
  }
}
