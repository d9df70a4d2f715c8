import { closeSync, openSync, readFileSync, writeSync } from "node:fs";

/**
 * An entry of the load's journal, on another directory (or file system) than the service's data: a
 * line before a request is sent and a line when its outcome is known. The checker knows nothing
 * else.
 */
export type Entry =
  | { at: "send"; request: number; experiment: number; events: SentEvent[] }
  /** `fresh[i]` is 1 when the i-th event was a point that was stored, not deduplicated. */
  | { at: "ok"; request: number; fresh: number[] }
  | { at: "unknown"; request: number; reason: string }
  /** Lines of a source: stored as far as `next` says, if a reply says so. */
  | {
      at: "printing";
      request: number;
      experiment: number;
      source: number;
      first: number;
      count: number;
    }
  | { at: "printed"; request: number; next: number }
  | { at: "opening"; experiment: number; slug: string }
  | { at: "opened"; experiment: number; experimentId: string; token: string }
  /** A counter that was read and must never go back. */
  | { at: "revision"; experiment: number; revision: number }
  | { at: "folder"; name: string; acknowledged: boolean }
  | { at: "token"; experiment: number; token: string; state: TokenState }
  | { at: "crash"; cycle: number };

export type SentEvent =
  | { kind: "metric"; number: number }
  | { kind: "annotate"; number: number }
  | { kind: "start" | "done" | "error" };

/** After a crash, valid must work; ending (refreshed or being revoked) may; revoked must not. */
export type TokenState = "valid" | "ending" | "revoked";

export class Journal implements Disposable {
  readonly path: string;
  readonly #file: number;
  #requests = 0;

  constructor(path: string) {
    this.path = path;
    this.#file = openSync(path, "ax");
  }

  nextRequest(): number {
    this.#requests += 1;
    return this.#requests;
  }

  write(entry: Entry): void {
    writeSync(this.#file, `${JSON.stringify(entry)}\n`);
  }

  [Symbol.dispose](): void {
    closeSync(this.#file);
  }
}

/** The entries from a position on, and the position behind them. */
export function readJournal(path: string, from: number): { entries: Entry[]; end: number } {
  const bytes = readFileSync(path).subarray(from);
  const lines = bytes.toString("utf8").split("\n").slice(0, -1);
  return { entries: lines.map((line) => JSON.parse(line) as Entry), end: from + bytes.length };
}
