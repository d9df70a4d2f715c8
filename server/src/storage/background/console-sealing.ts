import type { ConsoleSealer } from "../../console/sealer.ts";
import type { Database } from "../../database/database.ts";
import { BackOff } from "./back-off.ts";
import { isFatal, type Task } from "./runner.ts";
import { isOurs, type Slices } from "./slices.ts";

export interface ConsoleSealingParts {
  database: Database;
  sealer: Pick<ConsoleSealer, "seal">;
  settings: { sealPoints: number; sealIdleMs: number };
  slices: Slices | undefined;
  warn(message: string, error: unknown): void;
}

/** Bytes of the log for each of `sealPoints` from which a console is sealed: 2 MiB. */
const bytesPerPoint = 8;
/** Times `sealIdleMs`, an hour: a console that is silent so long is sealed whatever it has. */
const idles = 6;
/** The same once the run has ended, and the pause between two looks; at most. */
const endedMsMax = 5_000;
const lookEveryMs = 2_000;

/** Seals the consoles that are due, one after another. */
export class ConsoleSealing implements Task {
  readonly failure = "Looking for consoles to seal failed.";
  readonly everyMs: number;
  readonly firstMs = 0;
  readonly lease: Slices | undefined;
  readonly figures = { sealed_lines: 0, failures: 0 };
  readonly #parts: ConsoleSealingParts;
  readonly #backOff = new BackOff();

  constructor(parts: ConsoleSealingParts) {
    this.#parts = parts;
    this.lease = parts.slices;
    this.everyMs = Math.min(lookEveryMs, Math.max(50, parts.settings.sealIdleMs));
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
    const { sealPoints, sealIdleMs } = this.#parts.settings;
    const rows = await this.#parts.database.read((reader) =>
      reader.all<{ experiment: string }>(
        `SELECT console.experiment FROM console JOIN experiment ON experiment.id = console.experiment
         WHERE unsealed_bytes > 0 AND (unsealed_bytes >= $1 OR appended_at_ms < $2
           OR (experiment.status <> 'running' AND appended_at_ms < $3))
           AND ${isOurs(this.lease, "console.experiment")}
         ORDER BY unsealed_bytes DESC LIMIT 1000`,
        bytesPerPoint * sealPoints,
        nowMs - idles * sealIdleMs,
        nowMs - Math.min(endedMsMax, sealIdleMs),
      ),
    );
    return rows.map(({ experiment }) => experiment);
  }
}
