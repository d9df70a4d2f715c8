import type { ColumnTypes } from "../column-types.ts";

/** Times of points from before migration 033 are read again from the segments. */
export const reach = (type: ColumnTypes): string[] => [
  // 0: counted points may lie outside of first_point_ms to last_point_ms, which migration 033 took
  // from the points with the least and the greatest step.
  `ALTER TABLE summarized ADD COLUMN reach_whole ${type.integer} NOT NULL DEFAULT 1`,
  `UPDATE summarized SET reach_whole = 0 WHERE counted = 1 AND first_point_ms IS NOT NULL`,
];
