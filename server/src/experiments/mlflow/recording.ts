import type { Transaction } from "../../database/database.ts";
import type { PointBatch } from "../../points/point-batch.ts";

/** Recorder of an operation that appends points. */
export interface Recording {
  recording?: {
    points: PointBatch;
    /** Appends all points or none, and returns a PointResult each. */
    append(): Promise<Uint8Array>;
  };
}

/** `run.record`: appends the points of a call, where they are, and returns a PointResult each. */
export async function recordPoints(
  _transaction: Transaction,
  _input: { experimentId: string },
  { recording }: Recording,
): Promise<Uint8Array> {
  if (recording === undefined) throw new Error("BUG: run.record without points");
  return recording.append();
}
