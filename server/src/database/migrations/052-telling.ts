import type { ColumnTypes } from "../column-types.ts";

/** How far the directory knows the points on workers. */
export const telling = (type: ColumnTypes): string[] => [
  // Everything that the node had acknowledged by then was told.
  `CREATE TABLE telling (
    node ${type.text} PRIMARY KEY,
    until_ms ${type.integer} NOT NULL
  )${type.updatedInPlace}`,
];
