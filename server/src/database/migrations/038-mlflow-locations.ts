import type { ColumnTypes } from "../column-types.ts";

/** JSON: allowed prefixes of the artifact locations of MLflow's experiments; null: none. */
export const mlflowLocations = (type: ColumnTypes): string[] => [
  `ALTER TABLE organization ADD COLUMN mlflow_locations ${type.text}`,
];
