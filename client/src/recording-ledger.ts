import type { DeliveryReceiver } from "./batch-delivery.ts";
import type { LosslessError } from "./errors.ts";
import type { Point } from "./point.ts";

/** A point that is not stored, and why. */
export interface RejectedPoint {
  messageId: string;
  metricName: string;
  metricValue: number;
  step: number;
  timestampMs: number;
  /** EventError (`message_id_conflict`, say), RequestError; InvalidPointError if never sent. */
  error: LosslessError;
}

/** Outcome of a recording's points: recorded = stored + deduplicated + rejected + nonfinite. */
export interface RecordingReport {
  recorded: number;
  /** Acknowledged and new. */
  stored: number;
  /** Acknowledged as duplicates: the service knew the id with the same payload. */
  deduplicated: number;
  /** NaN or infinite; kept as annotations. */
  nonfinite: number;
  rejected: number;
  /** The first 1,000 of the rejected points. */
  rejectedPoints: RejectedPoint[];
  lines: LinesReport;
}

/** Outcome of the printed lines: recorded = stored + refused, and those that still wait. */
export interface LinesReport {
  recorded: number;
  /** Acknowledged. */
  stored: number;
  /** Not stored, because the service takes no more lines: `refusal` says why. */
  refused: number;
  refusal?: LosslessError;
  /** Lines in which something that looked like a key was replaced by ********. */
  masked: number;
}

const rejectedPointsMax = 1_000;

/** Counts every point exactly once. */
export class RecordingLedger implements DeliveryReceiver {
  recorded = 0;
  nonfinite = 0;
  #stored = 0;
  #deduplicated = 0;
  #rejected = 0;
  readonly #rejectedPoints: RejectedPoint[] = [];
  readonly #onRejected: (rejected: RejectedPoint) => void;

  constructor(onRejected: (rejected: RejectedPoint) => void) {
    this.#onRejected = onRejected;
  }

  acknowledged(points: number, deduplicated: number): void {
    this.#deduplicated += deduplicated;
    this.#stored += points - deduplicated;
  }

  rejected(point: Point, error: LosslessError): void {
    const { messageId, metricName, metricValue, step, timestampMs } = point;
    const rejected = { messageId, metricName, metricValue, step, timestampMs, error };
    this.#rejected++;
    if (this.#rejectedPoints.length < rejectedPointsMax) this.#rejectedPoints.push(rejected);
    this.#onRejected(rejected);
  }

  report(lines: LinesReport): RecordingReport {
    return {
      recorded: this.recorded,
      stored: this.#stored,
      deduplicated: this.#deduplicated,
      nonfinite: this.nonfinite,
      rejected: this.#rejected,
      rejectedPoints: [...this.#rejectedPoints],
      lines,
    };
  }
}
