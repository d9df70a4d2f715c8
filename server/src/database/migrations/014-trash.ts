import type { ColumnTypes } from "../column-types.ts";

/** The trash, and the remaining row of a purged experiment. */
export const trash = (type: ColumnTypes): string[] => [
  // Null: it is not deleted. What is in the trash is in no folder, and answers as if it were not
  // there. purged_at_ms: everything of it is gone but its id and its slug, which stay taken.
  `ALTER TABLE experiment ADD COLUMN trashed_at_ms ${type.integer}`,
  `ALTER TABLE experiment ADD COLUMN purged_at_ms ${type.integer}`,
  // The same on the row that every write locks: 1 takes no points and no events.
  `ALTER TABLE head ADD COLUMN trashed ${type.integer} NOT NULL DEFAULT 0`,
  `CREATE INDEX experiment_trashed ON experiment (organization, id) WHERE trashed_at_ms IS NOT NULL`,
  `DROP INDEX experiment_facts`,
  `CREATE INDEX experiment_facts ON experiment
   (organization, id, status, created_at_ms, updated_at_ms, started_at_ms, done_at_ms, error_at_ms, folder, trashed_at_ms)`,
  // kind experiment: subject is its id, name its slug. folder: names from the root down, as a JSON
  // array, of where it stood; null: at the root. actor: as in the audit log. is_purging 1: it is
  // being removed, and nothing brings it back.
  `CREATE TABLE trash (
    id ${type.text} PRIMARY KEY,
    organization ${type.text} NOT NULL REFERENCES organization (id),
    kind ${type.text} NOT NULL,
    subject ${type.text} NOT NULL,
    name ${type.text} NOT NULL,
    folder ${type.text},
    points ${type.integer} NOT NULL,
    bytes ${type.integer} NOT NULL,
    actor ${type.text} NOT NULL,
    trashed_at_ms ${type.integer} NOT NULL,
    purge_at_ms ${type.integer} NOT NULL,
    is_purging ${type.integer} NOT NULL,
    UNIQUE (kind, subject)
  )`,
  `CREATE INDEX trash_organization ON trash (organization, id)`,
  `CREATE INDEX trash_due ON trash (purge_at_ms)`,
  // Only organizations that have deleted something, or said for how many days they keep it (else
  // null). deleted: how many experiments went to the trash, ever.
  `CREATE TABLE organization_trash (
    organization ${type.text} PRIMARY KEY REFERENCES organization (id),
    days ${type.integer},
    deleted ${type.integer} NOT NULL
  )`,
];
