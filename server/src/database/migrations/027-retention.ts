import type { ColumnTypes } from "../column-types.ts";

/** Rules that move old or surplus entries to the trash. */
export const retention = (type: ColumnTypes): string[] => [
  // kind experiments | versions. place: the folder, or the path of artifacts, that it is about with
  // all below; '' is all. content: the rule as JSON. due_at_ms: when it is looked for next.
  // revision grows with every change.
  `CREATE TABLE retention_rule (
    id ${type.text} PRIMARY KEY,
    organization ${type.text} NOT NULL REFERENCES organization (id),
    name ${type.text} NOT NULL,
    kind ${type.text} NOT NULL,
    place ${type.text} NOT NULL,
    content ${type.text} NOT NULL,
    revision ${type.integer} NOT NULL,
    created_by ${type.text} NOT NULL REFERENCES person (id),
    created_at_ms ${type.integer} NOT NULL,
    changed_by ${type.text} NOT NULL REFERENCES person (id),
    changed_at_ms ${type.integer} NOT NULL,
    looked_at_ms ${type.integer},
    due_at_ms ${type.integer} NOT NULL,
    UNIQUE (organization, name)
  )`,
  `CREATE INDEX retention_rule_place ON retention_rule (organization, kind, place)`,
  `CREATE INDEX retention_rule_due ON retention_rule (due_at_ms)`,
  // Restored by a member: no rule takes it again. Null: it was never in the trash.
  `ALTER TABLE experiment ADD COLUMN restored_at_ms ${type.integer}`,
  `ALTER TABLE version ADD COLUMN restored_at_ms ${type.integer}`,
];
