import type { ColumnTypes } from "../column-types.ts";

/** Columns to compare a repeated commit, and to forget abandoned uploads. */
export const uploads = (type: ColumnTypes): string[] => [
  // Those of the commit whose parts the store may have put together: a JSON array of arrays in the
  // order of the files, without quotes. Null before the first commit.
  `ALTER TABLE store_upload ADD COLUMN etags ${type.text}`,
  `CREATE INDEX upload_abandoned ON upload (created_at_ms) WHERE state = 'abandoned'`,
];
