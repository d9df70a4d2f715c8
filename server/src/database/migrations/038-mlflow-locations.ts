import type { ColumnTypes } from "../column-types.ts";

/** JSON: beginnings of the artifact locations that MLflow's experiments may have; null: none. */
export const mlflowLocations = (type: ColumnTypes): string[] => [
  `ALTER TABLE organization ADD COLUMN mlflow_locations ${type.text}`,
];
