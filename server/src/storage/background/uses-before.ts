import type { Database } from "../../database/database.ts";
import { readUsesBefore, type UsesBefore } from "../../experiments/lineage/from-before.ts";
import type { Pace } from "../../ground/pace.ts";
import type { Lease } from "./lease.ts";
import type { Task } from "./runner.ts";

interface UsesBeforeParts {
  database: Database;
  add(step: UsesBefore): Promise<void>;
  /** Counts annotations that are looked through. */
  pace: Pace;
  lease: Lease | undefined;
}

/** Annotations of one step. */
const annotationsPerStep = 1_000;
/** Time after which a round begins no more steps: the lease is renewed between rounds. */
const roundMs = 2_000;

/** Looks once through the annotations from before migration 046 for uses of versions. */
export class IndexingUsesBefore implements Task {
  readonly failure =
    "Annotations from before cannot be looked through for uses of artifacts now; it is tried again later.";
  readonly everyMs = 10_000;
  readonly firstMs = 1_000;
  readonly lease: Lease | undefined;
  readonly figures = { looked_annotations: 0 };
  readonly #parts: UsesBeforeParts;
  /** No more are added once all were looked through. */
  #isDone = false;

  constructor(parts: UsesBeforeParts) {
    this.#parts = parts;
    this.lease = parts.lease;
  }

  async round(stopped: AbortSignal): Promise<boolean> {
    const endMs = performance.now() + roundMs;
    while (!this.#isDone && !stopped.aborted) {
      const step = await this.#parts.database.read((reader) =>
        readUsesBefore(reader, annotationsPerStep),
      );
      if (step === undefined) this.#isDone = true;
      else {
        await this.#parts.pace.take(step.looked, stopped);
        await this.#parts.add(step);
        this.figures.looked_annotations += step.looked;
      }
      if (performance.now() >= endMs) break;
    }
    return !this.#isDone;
  }
}
