import { statSync } from "node:fs";
import { countedText, countText, type Output } from "../output.ts";
import { Progress } from "../progress.ts";

const sayEveryMs = 10_000;

/**
 * Shows the share of the files' bytes done, with points and their rate beside the bar: the number
 * of points is unknown before every file is read.
 */
export class ImportProgress implements Disposable {
  readonly #sizes: Map<string, number>;
  readonly #progress: Progress;
  readonly #startedAt = performance.now();
  /** Bytes of each file reported to the bar. */
  readonly #bytes = new Map<string, number>();
  #points = 0;
  #files = 0;
  #saidAt = -Infinity;

  constructor(output: Output, paths: readonly string[]) {
    this.#sizes = new Map(
      paths.map((path) => [path, statSync(path, { throwIfNoEntry: false })?.size ?? 0]),
    );
    const total = [...this.#sizes.values()].reduce((sum, size) => sum + size, 0);
    this.#progress = new Progress(output, total, () => this.#text());
  }

  /** Notes that `points` more of a file are settled, which makes `rows` of its `rowsMax` rows. */
  advance(path: string, points: number, rows: number, rowsMax: number): void {
    this.#points += points;
    this.#advanceTo(path, rowsMax === 0 ? 0 : Math.min(1, rows / rowsMax));
  }

  finishFile(path: string, lines: readonly string[]): void {
    this.#files++;
    this.#advanceTo(path, 1);
    for (const line of lines) this.#progress.note(line);
  }

  /** Reports that the service accepts no points now, at most every ten seconds. */
  waiting(error: Error): void {
    const now = performance.now();
    if (now - this.#saidAt < sayEveryMs) return;
    this.#saidAt = now;
    this.#progress.note(`waiting for the service: ${error.message}`);
  }

  [Symbol.dispose](): void {
    this.#progress[Symbol.dispose]();
  }

  #advanceTo(path: string, share: number): void {
    const bytes = Math.floor((this.#sizes.get(path) ?? 0) * share);
    this.#progress.advance(bytes - (this.#bytes.get(path) ?? 0));
    this.#bytes.set(path, bytes);
  }

  #text(): string {
    const seconds = (performance.now() - this.#startedAt) / 1_000;
    const rate = countText(Math.round(this.#points / seconds));
    const files = `${this.#files} of ${countedText(this.#sizes.size, "file")}`;
    return `${countedText(this.#points, "point")}  ${rate}/s  ${files}`;
  }
}
