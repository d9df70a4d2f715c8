import type { ColumnTypes } from "../column-types.ts";

/** Erasure of people. */
export const erasing = (type: ColumnTypes): string[] => [
  // Set when the person was erased. email is then "erased-" and the id, as shown to others.
  `ALTER TABLE person ADD COLUMN erased_at_ms ${type.integer}`,
];
