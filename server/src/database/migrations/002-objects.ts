import type { ColumnTypes } from "../column-types.ts";

/** Sealed objects of the table bucket (several nodes, no object store), in size-bounded parts. */
export const objects = (type: ColumnTypes): string[] => [
  `CREATE TABLE object (
    key ${type.text} PRIMARY KEY,
    size_bytes ${type.integer} NOT NULL,
    crc ${type.integer} NOT NULL,
    modified_ms ${type.integer} NOT NULL
  )`,
  `CREATE TABLE object_part (
    key ${type.text} NOT NULL REFERENCES object (key),
    number ${type.integer} NOT NULL,
    content ${type.blob} NOT NULL,
    PRIMARY KEY (key, number)
  )`,
  ...type.uncompressed("object_part", "content"),
  // Counting an organization's folders, and reading its tree.
  `CREATE INDEX folder_organization ON folder (organization)`,
];
