import type { PointBatch } from "../../points/point-batch.ts";

/** Recorder of an operation that appends points. */
export interface Recording {
  recording?: {
    points: PointBatch;
    /** Appends all points or none, and returns a PointResult each. */
    append(): Promise<Uint8Array>;
  };
}
