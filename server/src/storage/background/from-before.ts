import type { Database } from "../../database/database.ts";
import { lookBefore, type LookedBefore } from "../../experiments/from-before.ts";
import type { Pace } from "../../ground/pace.ts";
import type { Lease } from "./lease.ts";
import type { Task } from "./runner.ts";

interface FromBeforeParts {
  database: Database;
  add(step: LookedBefore): Promise<void>;
  /** Counts annotations and files that are looked through. */
  pace: Pace;
  lease: Lease | undefined;
}

/** Annotations or files of one step. */
const rowsPerStep = 1_000;
/** Time after which a round begins no more steps: the lease is renewed between rounds. */
const roundMs = 2_000;

/**
 * Looks once through the annotations and files from before for values that are not finite, what was
 * logged, and uses of versions.
 */
export class IndexingFromBefore implements Task {
  readonly failure =
    "Annotations and files from before cannot be looked through now; it is tried again later.";
  readonly everyMs = 10_000;
  readonly firstMs = 1_000;
  readonly lease: Lease | undefined;
  readonly figures = { looked_rows: 0 };
  readonly #parts: FromBeforeParts;
  /** No more are added once all were looked through. */
  #isDone = false;

  constructor(parts: FromBeforeParts) {
    this.#parts = parts;
    this.lease = parts.lease;
  }

  async round(stopped: AbortSignal): Promise<boolean> {
    const endMs = performance.now() + roundMs;
    while (!this.#isDone && !stopped.aborted) {
      const step = await this.#parts.database.read((reader) => lookBefore(reader, rowsPerStep));
      if (step === undefined) this.#isDone = true;
      else {
        await this.#parts.pace.take(step.looked, stopped);
        await this.#parts.add(step);
        this.figures.looked_rows += step.looked;
      }
      if (performance.now() >= endMs) break;
    }
    return !this.#isDone;
  }
}
