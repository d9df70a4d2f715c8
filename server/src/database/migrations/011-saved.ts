import type { ColumnTypes } from "../column-types.ts";

/** Saved views and reports, of a person or of the organization. */
export const saved = (type: ColumnTypes): string[] => [
  // person is whose it is; null: the organization's. kind view | report. content of a view is an
  // address, of a report its blocks as JSON. revision grows with every change.
  `CREATE TABLE saved (
    id ${type.text} PRIMARY KEY,
    organization ${type.text} NOT NULL REFERENCES organization (id),
    person ${type.text} REFERENCES person (id),
    kind ${type.text} NOT NULL,
    name ${type.text} NOT NULL,
    content ${type.text} NOT NULL,
    revision ${type.integer} NOT NULL,
    created_by ${type.text} NOT NULL REFERENCES person (id),
    created_at_ms ${type.integer} NOT NULL,
    changed_by ${type.text} NOT NULL REFERENCES person (id),
    changed_at_ms ${type.integer} NOT NULL
  )`,
  `CREATE UNIQUE INDEX saved_name ON saved (organization, kind, (coalesce(person, '')), name)`,
];
