import type { ColumnTypes } from "../column-types.ts";

/** Attempts of a run: its processes, and how the newest attempt is. All times are the service's. */
export const attempts = (type: ColumnTypes): string[] => [
  // A process of an attempt, by ids of the client's making. about: what it said of itself, as JSON.
  // ended_at_ms and ending (how it ended, as JSON) are null until it has ended, then they stay.
  `CREATE TABLE attempt_process (
    experiment ${type.text} NOT NULL REFERENCES experiment (id),
    id ${type.text} NOT NULL,
    attempt ${type.text} NOT NULL,
    about ${type.text} NOT NULL,
    began_at_ms ${type.integer} NOT NULL,
    beat_at_ms ${type.integer} NOT NULL,
    to_step ${type.integer},
    ended_at_ms ${type.integer},
    ending ${type.text},
    PRIMARY KEY (experiment, id)
  )${type.updatedInPlace}`,
  // Derived from these rows, for the table of experiments: how many attempts there are, and of the
  // newest one its id, its last beat, and its state; null: not all of its processes have ended.
  `CREATE TABLE liveness (
    experiment ${type.text} PRIMARY KEY REFERENCES experiment (id),
    attempts ${type.integer} NOT NULL,
    attempt ${type.text} NOT NULL,
    beat_at_ms ${type.integer} NOT NULL,
    since_ms ${type.integer} NOT NULL,
    state ${type.text},
    exit_code ${type.integer},
    signal ${type.integer}
  )${type.updatedInPlace}`,
];
