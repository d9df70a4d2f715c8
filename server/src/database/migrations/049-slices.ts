import type { ColumnTypes } from "../column-types.ts";

/** Slices of the experiments: storage/background/slices.ts shares them out between nodes. */
export const slices = (type: ColumnTypes): string[] => [
  // Nodes that ask for slices, and when they did last, by the clock of the database.
  `CREATE TABLE IF NOT EXISTS slice_node (
    node ${type.text} PRIMARY KEY,
    asked_at_ms ${type.integer} NOT NULL
  )${type.updatedInPlace}`,
  // node: '' where none has it; until_ms: when its claim ends, by the same clock.
  `CREATE TABLE IF NOT EXISTS slice (
    number ${type.integer} PRIMARY KEY,
    node ${type.text} NOT NULL,
    until_ms ${type.integer} NOT NULL
  )${type.updatedInPlace}`,
];
