import type { ColumnTypes } from "../column-types.ts";

/** People who are erased. */
export const erasing = (type: ColumnTypes): string[] => [
  // Set: nothing says who it was. email is "erased-" and the id, which is what others see of them.
  `ALTER TABLE person ADD COLUMN erased_at_ms ${type.integer}`,
];
