import { statSync } from "node:fs";
import { countText, type Output } from "../output.ts";
import { Progress } from "../progress.ts";

const sayEveryMs = 10_000;

/**
 * How many points there are is not known before every file is read, so the bar shows the share of
 * the files' bytes that is done, and the points and their rate beside it.
 */
export class ImportProgress implements Disposable {
  readonly #sizes: Map<string, number>;
  readonly #progress: Progress;
  readonly #startedAt = performance.now();
  /** Bytes of each file that the bar has been told of. */
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

  /** `points` more of a file are acknowledged or rejected, making `rows` of its `rowsMax` rows. */
  advance(path: string, points: number, rows: number, rowsMax: number): void {
    this.#points += points;
    this.#advanceTo(path, rowsMax === 0 ? 0 : Math.min(1, rows / rowsMax));
  }

  finishFile(path: string, lines: readonly string[]): void {
    this.#files++;
    this.#advanceTo(path, 1);
    for (const line of lines) this.#progress.note(line);
  }

  /** The service does not take points now: said at most every ten seconds. */
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
    const files = `${this.#files} of ${this.#sizes.size} files`;
    return `${countText(this.#points)} points  ${rate}/s  ${files}`;
  }
}
