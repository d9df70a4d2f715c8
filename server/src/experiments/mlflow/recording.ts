import type { PointBatch } from "../../points/point-batch.ts";

/** What a call that brings points gets. */
export interface Recording {
  recording?: {
    points: PointBatch;
    /** Appends them, all or none, and gives a PointResult each. */
    append(): Promise<Uint8Array>;
  };
}
