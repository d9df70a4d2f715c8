import type { ColumnTypes } from "../column-types.ts";

/**
 * Nodes at work on a database on PostgreSQL, so that no migration takes from one of them what it
 * uses. A node that stops removes its row; the others write theirs anew every few seconds.
 */
export const nodes = (type: ColumnTypes): string[] => [
  // format: the newest that the node's program knows.
  `CREATE TABLE IF NOT EXISTS node (
    id ${type.text} PRIMARY KEY,
    version ${type.text} NOT NULL,
    format ${type.integer} NOT NULL,
    seen_at_ms ${type.integer} NOT NULL
  )${type.updatedInPlace}`,
];
