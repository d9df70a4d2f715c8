import { countText } from "./output.ts";
import type { Output } from "./output.ts";

const redrawEveryMs = 100;

/** A bar on a terminal; nowhere else, because logs do not want one. */
export class Progress implements Disposable {
  readonly #output: Output;
  readonly #what: string;
  readonly #total: number;
  readonly #startedAt = performance.now();
  #done = 0;
  #drawnAt = -Infinity;

  constructor(output: Output, what: string, total: number) {
    this.#output = output;
    this.#what = what;
    this.#total = total;
  }

  advance(count: number): void {
    this.#done += count;
    const now = performance.now();
    if (now - this.#drawnAt < redrawEveryMs) return;
    this.#drawnAt = now;
    this.#draw(now);
  }

  /** A line of text above the bar. */
  note(text: string): void {
    this.#output.redraw("");
    this.#output.note(text);
    this.#drawnAt = -Infinity;
  }

  [Symbol.dispose](): void {
    this.#output.redraw("");
  }

  #draw(now: number): void {
    const share = this.#total === 0 ? 1 : Math.min(1, this.#done / this.#total);
    const seconds = (now - this.#startedAt) / 1_000;
    const rate = seconds === 0 ? 0 : Math.round(this.#done / seconds);
    const counts = `${countText(this.#done)} / ${countText(this.#total)} ${this.#what}`;
    const tail = ` ${Math.floor(share * 100)} %  ${counts}  ${countText(rate)}/s`;
    const width = Math.max(0, Math.min(30, this.#output.columns - tail.length - 3));
    const filled = Math.round(share * width);
    const bar = width < 5 ? "" : `[${"#".repeat(filled)}${".".repeat(width - filled)}]`;
    this.#output.redraw(bar + tail);
  }
}
