import type { TransferProgress } from "@lossless/client/files";
import { bytesText, durationText, type Output } from "./output.ts";
import { drawBar } from "./progress.ts";

const redrawEveryMs = 100;
/**
 * Milliseconds over which the rate is measured: the most recent ones, as rates change over hours.
 */
const rateOverMs = 10_000;

const words: Record<TransferProgress["phase"], string> = {
  reading: "reading",
  sending: "sent",
  committing: "sent, committing",
  fetching: "fetched",
};

/** Bytes, rate and remaining time of a push or pull, on a terminal only. */
export class TransferBar implements Disposable {
  readonly #output: Output;
  #phase: TransferProgress["phase"] | undefined;
  #drawnAtMs = -Infinity;
  #samples: { atMs: number; bytes: number }[] = [];

  constructor(output: Output) {
    this.#output = output;
  }

  show(progress: TransferProgress): void {
    const nowMs = performance.now();
    const isNew = progress.phase !== this.#phase;
    if (!isNew && nowMs - this.#drawnAtMs < redrawEveryMs) return;
    if (isNew || progress.bytes < (this.#samples.at(-1)?.bytes ?? 0)) this.#samples = [];
    this.#phase = progress.phase;
    this.#drawnAtMs = nowMs;
    this.#samples.push({ atMs: nowMs, bytes: progress.bytes });
    while (this.#samples.length > 2 && nowMs - this.#samples[0].atMs > rateOverMs) {
      this.#samples.shift();
    }
    const { phase, bytes, bytesTotal } = progress;
    const share = bytesTotal === 0 ? 1 : bytes / bytesTotal;
    const amount = `${bytesText(bytes)} of ${bytesText(bytesTotal)} ${words[phase]}`;
    drawBar(this.#output, share, `${amount}${this.#pace(bytesTotal - bytes)}`);
  }

  /** Prints a line above the bar. */
  note(sentence: string): void {
    this.#output.redraw("");
    this.#output.note(sentence);
    this.#drawnAtMs = -Infinity;
  }

  /** Prints a line above the bar; with --json too, to standard error. */
  warning(sentence: string): void {
    this.#output.redraw("");
    this.#output.warning(sentence);
    this.#drawnAtMs = -Infinity;
  }

  [Symbol.dispose](): void {
    this.#output.redraw("");
  }

  #pace(leftBytes: number): string {
    const [first, last] = [this.#samples[0], this.#samples.at(-1)!];
    const seconds = (last.atMs - first.atMs) / 1_000;
    const rate = seconds === 0 ? 0 : (last.bytes - first.bytes) / seconds;
    if (rate <= 0) return "";
    const left = leftBytes > 0 ? `  ${durationText(leftBytes / rate)} left` : "";
    return `  ${bytesText(rate)}/s${left}`;
  }
}
