import type { ColumnTypes } from "../column-types.ts";

/**
 * An index by name and step of what experiments log beside numbers: annotations of media and texts,
 * and files of MLflow's clients. Rows are added in the transaction that stores what they point to.
 */
export const logged = (type: ColumnTypes): string[] => [
  // kind: its place in protocol's loggedKinds. items, first_step, last_step: of its rows in logged.
  `CREATE TABLE logged_series (
    experiment ${type.text} NOT NULL REFERENCES experiment (id),
    number ${type.integer} NOT NULL,
    name ${type.text} NOT NULL,
    kind ${type.integer} NOT NULL,
    items ${type.integer} NOT NULL,
    first_step ${type.integer} NOT NULL,
    last_step ${type.integer} NOT NULL,
    PRIMARY KEY (experiment, number),
    UNIQUE (experiment, name, kind)
  )${type.updatedInPlace}`,
  // annotation: its number, 0 for a file. path: of the file, empty for an annotation.
  `CREATE TABLE logged (
    experiment ${type.text} NOT NULL,
    series ${type.integer} NOT NULL,
    step ${type.integer} NOT NULL,
    annotation ${type.integer} NOT NULL,
    path ${type.text} NOT NULL,
    PRIMARY KEY (experiment, series, step, annotation, path)
  )${type.clustered}`,
  // Annotations and files from before, to be looked through once by the background work: the
  // values are the last ones that were.
  `INSERT INTO installation (name, value)
   SELECT 'unindexed_annotations', '' WHERE EXISTS (SELECT 1 FROM annotation)
   ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
  `INSERT INTO installation (name, value)
   SELECT 'unindexed_files', '' WHERE EXISTS (SELECT 1 FROM file)`,
];
