import type { ColumnTypes } from "../column-types.ts";

/** A run keeps its name when MLflow's client deletes the tag that says it. */
export const runNames = (type: ColumnTypes): string[] => [
  `ALTER TABLE run ADD COLUMN name ${type.text}`,
];
