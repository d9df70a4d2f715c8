import type { ColumnTypes } from "../column-types.ts";

/** Pictures that people put into their reports. */
export const reportPictures = (type: ColumnTypes): string[] => [
  // picture: the first 32 hexadecimal digits of the content's SHA-256. unnamed_at_ms: since when no
  // text of the report names it; null: one does.
  `CREATE TABLE report_picture (
    report ${type.text} NOT NULL REFERENCES saved (id) ON DELETE CASCADE,
    picture ${type.text} NOT NULL,
    type ${type.text} NOT NULL,
    content ${type.blob} NOT NULL,
    unnamed_at_ms ${type.integer},
    PRIMARY KEY (report, picture)
  )`,
  ...type.uncompressed("report_picture", "content"),
];
