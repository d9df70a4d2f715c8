import type { ColumnTypes } from "../column-types.ts";

/** How many workers (docs/decisions/0025-several-servers.md) a node was started with. */
export const knownWorkers = (type: ColumnTypes): string[] => [
  `ALTER TABLE node ADD COLUMN workers ${type.integer} NOT NULL DEFAULT 0`,
];
