import type { Output } from "./output.ts";

const redrawEveryMs = 100;

/** A progress bar on a terminal; absent elsewhere, such as in logs. */
export class Progress implements Disposable {
  readonly #output: Output;
  readonly #total: number;
  readonly #text: (done: number) => string;
  #done = 0;
  #drawnAt = -Infinity;

  /** `text` is shown beside the bar. */
  constructor(output: Output, total: number, text: (done: number) => string) {
    this.#output = output;
    this.#total = total;
    this.#text = text;
  }

  advance(count: number): void {
    this.#done += count;
    const now = performance.now();
    if (now - this.#drawnAt < redrawEveryMs) return;
    this.#drawnAt = now;
    this.#draw();
  }

  /** Prints a line above the bar. */
  note(line: string): void {
    this.#output.redraw("");
    this.#output.note(line);
    this.#drawnAt = -Infinity;
  }

  [Symbol.dispose](): void {
    this.#output.redraw("");
  }

  #draw(): void {
    const share = this.#total === 0 ? 1 : Math.min(1, this.#done / this.#total);
    drawBar(this.#output, share, this.#text(this.#done));
  }
}

/** Draws `[####......] 40 %  text`, as wide as the terminal allows. */
export function drawBar(output: Output, share: number, text: string): void {
  const tail = ` ${Math.floor(share * 100)} %  ${text}`;
  const width = Math.min(30, output.columns - tail.length - 3);
  if (width < 5) return output.redraw(tail.slice(0, output.columns - 1));
  const filled = Math.round(share * width);
  output.redraw(`[${"#".repeat(filled)}${".".repeat(width - filled)}]${tail}`);
}
