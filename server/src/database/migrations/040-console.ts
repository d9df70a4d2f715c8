import type { ColumnTypes } from "../column-types.ts";

/**
 * The console of a run. Its sealed lines are objects of `segment` of the kind `console`, whose
 * seq_from, seq_to and points are the numbers and the count of lines.
 */
export const consoles = (type: ColumnTypes): string[] => [
  // lines: all that are stored; sealed: those of them in objects. unsealed_bytes: of the rows of
  // console_log. Changed under the lock of the experiment's head.
  `CREATE TABLE console (
    experiment ${type.text} NOT NULL PRIMARY KEY REFERENCES experiment (id),
    lines ${type.integer} NOT NULL,
    sealed ${type.integer} NOT NULL,
    unsealed_bytes ${type.integer} NOT NULL,
    appended_at_ms ${type.integer} NOT NULL
  )${type.updatedInPlace}`,
  // A process that prints. about: rank, host and process id as JSON. lines: those stored, which is
  // the number of its next one. open: its lines that have not ended, as JSON.
  `CREATE TABLE console_source (
    experiment ${type.text} NOT NULL REFERENCES experiment (id),
    number ${type.integer} NOT NULL,
    id ${type.text} NOT NULL,
    about ${type.text} NOT NULL,
    lines ${type.integer} NOT NULL,
    open ${type.text} NOT NULL,
    PRIMARY KEY (experiment, number),
    UNIQUE (experiment, id)
  )${type.updatedInPlace}`,
  // Lines that are not sealed: one row for each request, by the number of its first line.
  `CREATE TABLE console_log (
    experiment ${type.text} NOT NULL REFERENCES experiment (id),
    first ${type.integer} NOT NULL,
    lines ${type.integer} NOT NULL,
    record ${type.blob} NOT NULL,
    PRIMARY KEY (experiment, first)
  )`,
  ...type.uncompressed("console_log", "record"),
  `CREATE INDEX console_unsealed ON console (appended_at_ms) WHERE unsealed_bytes > 0`,
];
