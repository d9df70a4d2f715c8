import type { ColumnTypes } from "../column-types.ts";

/** Versions of what is saved, of the kinds that keep them. */
export const workspaces = (type: ColumnTypes): string[] => [
  // The row of saved has the present content, too. Of kind workspace, its name is the id of a
  // folder, or empty, and its content a layout as JSON.
  `CREATE TABLE saved_version (
    saved ${type.text} NOT NULL REFERENCES saved (id),
    revision ${type.integer} NOT NULL,
    content ${type.text} NOT NULL,
    changed_by ${type.text} NOT NULL REFERENCES person (id),
    changed_at_ms ${type.integer} NOT NULL,
    PRIMARY KEY (saved, revision)
  )`,
];
