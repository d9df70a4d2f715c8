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
  // Annotations with lower numbers, and files, are not in logged yet; 0: all are. The background
  // work adds them, down from here.
  `ALTER TABLE summarized ADD COLUMN logged_before ${type.integer} NOT NULL DEFAULT 0`,
  `UPDATE summarized SET meta_version = meta_version + 1, logged_before = 1 +
     coalesce((SELECT max(number) FROM annotation WHERE experiment = summarized.experiment), 0)
   WHERE experiment IN (SELECT experiment FROM annotation
       WHERE meta LIKE '%"media"%' OR meta LIKE '%"text"%')
     OR experiment IN (SELECT owner FROM file WHERE path LIKE 'images/%')
     OR experiment IN (SELECT experiment FROM run_tag WHERE key = 'mlflow.loggedArtifacts')`,
];
