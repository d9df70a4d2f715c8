import type { ColumnTypes } from "../column-types.ts";

/** Points on several servers: docs/decisions/0025-several-servers.md. */
export const severalServers = (type: ColumnTypes): string[] => [
  // Where its points are: 0 on this database, n on the worker with that number. Never changed.
  `ALTER TABLE experiment ADD COLUMN server ${type.integer} NOT NULL DEFAULT 0`,
  // told: of points that are elsewhere, as their worker said last: its revision, the sum of its
  // log_seq and manifest_seq, and the bytes of its segments. errand: the last one left; on a worker
  // the last one done.
  `ALTER TABLE head ADD COLUMN told_revision ${type.integer} NOT NULL DEFAULT 0`,
  `ALTER TABLE head ADD COLUMN told_state ${type.integer} NOT NULL DEFAULT -1`,
  `ALTER TABLE head ADD COLUMN told_bytes ${type.integer} NOT NULL DEFAULT 0`,
  `ALTER TABLE head ADD COLUMN errand ${type.integer} NOT NULL DEFAULT 0`,
  // Changes here that a worker has to follow, in the order of the numbers, until it has.
  `CREATE TABLE errand (
    experiment ${type.text} NOT NULL REFERENCES experiment (id) ON DELETE CASCADE,
    number ${type.integer} NOT NULL,
    name ${type.text} NOT NULL,
    input ${type.text} NOT NULL,
    PRIMARY KEY (experiment, number)
  )`,
];
