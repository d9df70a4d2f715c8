import type { ColumnTypes } from "../column-types.ts";

/** Moves the points of the current day to a row that each commit writes anyway. */
export const pointsOfTheDay = (type: ColumnTypes): string[] => [
  // The points of the UTC day `day`, which recorded_points does not have: they go there when the
  // same writer counts on another day.
  `ALTER TABLE stored_amount ADD COLUMN day ${type.integer} NOT NULL DEFAULT 0`,
  `ALTER TABLE stored_amount ADD COLUMN day_points ${type.integer} NOT NULL DEFAULT 0`,
];
