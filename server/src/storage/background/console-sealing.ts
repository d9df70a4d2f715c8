import type { ConsoleSealer } from "../../console/sealer.ts";
import type { Database } from "../../database/database.ts";
import { BackOff } from "./back-off.ts";
import type { Lease } from "./lease.ts";
import { isFatal, type Task } from "./runner.ts";

export interface ConsoleSealingParts {
  database: Database;
  sealer: Pick<ConsoleSealer, "seal">;
  lease: Lease | undefined;
  warn(message: string, error: unknown): void;
}

/** Bytes of the log from which a console is sealed though the run goes on. */
const sealBytes = 2 * 1_048_576;
/** A run that is silent so long is sealed, whatever it has: its objects stay few. */
const sealIdleMs = 60 * 60 * 1_000;
/** The same once the run has ended. */
const sealEndedMs = 5_000;

/** Seals the consoles that are due, one after another. */
export class ConsoleSealing implements Task {
  readonly failure = "Looking for consoles to seal failed.";
  readonly everyMs = 2_000;
  readonly firstMs = 0;
  readonly lease: Lease | undefined;
  readonly figures = { sealed_lines: 0, failures: 0 };
  readonly #parts: ConsoleSealingParts;
  readonly #backOff = new BackOff();

  constructor(parts: ConsoleSealingParts) {
    this.#parts = parts;
    this.lease = parts.lease;
  }

  async round(stopped: AbortSignal): Promise<boolean> {
    for (const experimentId of await this.#due()) {
      if (stopped.aborted) return false;
      if (this.#backOff.isDue(experimentId)) await this.#seal(experimentId, stopped);
    }
    return false;
  }

  async #seal(experimentId: string, stopped: AbortSignal): Promise<void> {
    try {
      this.figures.sealed_lines += await this.#parts.sealer.seal(experimentId);
      this.#backOff.succeeded(experimentId);
    } catch (error) {
      if (stopped.aborted) return;
      if (isFatal(error)) throw error;
      this.figures.failures++;
      this.#backOff.failed(experimentId);
      const message = `The console of experiment ${experimentId} cannot be sealed now; it is tried again later.`;
      this.#parts.warn(message, error);
    }
  }

  async #due(): Promise<string[]> {
    const nowMs = Date.now();
    const rows = await this.#parts.database.read((reader) =>
      reader.all<{ experiment: string }>(
        `SELECT console.experiment FROM console JOIN experiment ON experiment.id = console.experiment
         WHERE unsealed_bytes > 0 AND (unsealed_bytes >= $1 OR appended_at_ms < $2
           OR (experiment.status <> 'running' AND appended_at_ms < $3))
         ORDER BY unsealed_bytes DESC LIMIT 1000`,
        sealBytes,
        nowMs - sealIdleMs,
        nowMs - sealEndedMs,
      ),
    );
    return rows.map(({ experiment }) => experiment);
  }
}
