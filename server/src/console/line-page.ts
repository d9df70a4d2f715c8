import { setImmediate } from "node:timers/promises";
import { chosen, lineText, type LineChoice } from "./line-text.ts";
import type { Stretch } from "./stretches.ts";

/** Time of one reply. */
export const lookedForMsMax = 1_500;
/** Bytes of lines after which a reply ends, so that a page of long lines is not slow. */
export const replyBytesAim = 4 * 1_048_576;

/**
 * Lines of a reply, as JSON, and the numbers of those that were looked at. A choice that few lines
 * meet ends with the time of the reply; the next request goes on from there. Gives way between
 * stretches.
 */
export class LinePage {
  lines: string[] = [];
  from = 0;
  next = 0;
  /** Numbers of those that printed them. */
  readonly sources = new Set<number>();
  readonly #choice: LineChoice;
  readonly #limit: number;
  readonly #isOver: () => boolean;
  #bytes = 0;

  /** `isOver`: whether the time of the reply is over; asked after each stretch. */
  constructor(choice: LineChoice, limit: number, isOver: () => boolean) {
    this.#choice = choice;
    this.#limit = limit;
    this.#isOver = isOver;
  }

  async upwards(
    stretches: AsyncGenerator<Stretch>,
    from: number,
    atMs: number | undefined,
  ): Promise<void> {
    this.from = this.next = from;
    let isBegun = atMs === undefined;
    for await (const stretch of stretches) {
      const { first, lines } = stretch;
      for (let at = Math.max(0, this.next - first); at < lines.count; at++) {
        if (this.#isFull()) return;
        this.next = first + at + 1;
        isBegun ||= lines.timestampMs[at] >= atMs!;
        if (!isBegun) this.from = this.next;
        else this.#add(stretch, at);
      }
      // Before the time that was asked for no number says where to go on.
      if (isBegun && this.#isOver()) return;
      await setImmediate();
    }
  }

  async downwards(stretches: AsyncGenerator<Stretch>, before: number): Promise<void> {
    this.from = this.next = before;
    for await (const stretch of stretches) {
      const { first, lines } = stretch;
      for (let at = Math.min(lines.count, this.from - first) - 1; at >= 0; at--) {
        if (this.#isFull()) break;
        this.from = first + at;
        this.#add(stretch, at);
      }
      if (this.#isFull() || this.#isOver()) break;
      await setImmediate();
    }
    this.lines.reverse();
  }

  #isFull(): boolean {
    return this.lines.length >= this.#limit || this.#bytes >= replyBytesAim;
  }

  #add(stretch: Stretch, at: number): void {
    if (!chosen(this.#choice, stretch, at)) return;
    const json = lineText(stretch, at);
    this.lines.push(json);
    this.sources.add(stretch.lines.source[at]);
    this.#bytes += json.length;
  }
}
