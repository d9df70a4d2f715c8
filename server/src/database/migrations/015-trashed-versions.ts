import type { ColumnTypes } from "../column-types.ts";

/** Versions of artifacts in the trash: their rows in `version` are made again of their uploads. */
export const trashedVersions = (type: ColumnTypes): string[] => [
  // The highest name that was ever committed: names of deleted versions are not given again. Null
  // while there was no version.
  `ALTER TABLE artifact ADD COLUMN highest ${type.text}`,
  `UPDATE artifact SET highest = latest`,
  // kind version: subject is its upload, name its artifact's path, version its own; else null.
  `ALTER TABLE trash ADD COLUMN version ${type.text}`,
];
