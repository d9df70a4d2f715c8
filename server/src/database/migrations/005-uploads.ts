import type { ColumnTypes } from "../column-types.ts";

/** What commits that are tried again are compared with, and how abandoned uploads are forgotten. */
export const uploads = (type: ColumnTypes): string[] => [
  // Those of the commit whose parts the store may have put together: a JSON array of arrays in the
  // order of the files, without quotes. Null before the first commit.
  `ALTER TABLE store_upload ADD COLUMN etags ${type.text}`,
  `CREATE INDEX upload_abandoned ON upload (created_at_ms) WHERE state = 'abandoned'`,
];
