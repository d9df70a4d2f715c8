import type { ColumnTypes } from "../column-types.ts";

/** Annotations that people write are known by an id of the caller's choice: repeats add nothing. */
export const notes = (type: ColumnTypes): string[] => [
  `ALTER TABLE annotation ADD COLUMN message_id ${type.text}`,
  `CREATE UNIQUE INDEX annotation_message ON annotation (experiment, message_id)
   WHERE message_id IS NOT NULL`,
];
