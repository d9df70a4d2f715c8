import type { ColumnTypes } from "../column-types.ts";

/** The files of runs and logged models, which MLflow's clients write one by one. */
export const files = (type: ColumnTypes): string[] => [
  // owner is the id of an experiment or of a logged model. key is the object's name in the
  // location's bucket; upload the id in it, which no other object has. store_version: the store's
  // name of what it made, where it keeps several states of a key.
  `CREATE TABLE file (
    owner ${type.text} NOT NULL,
    path ${type.text} NOT NULL,
    organization ${type.text} NOT NULL REFERENCES organization (id),
    location ${type.text} NOT NULL REFERENCES location (id),
    key ${type.text} NOT NULL,
    upload ${type.text} NOT NULL,
    store_version ${type.text},
    bytes ${type.integer} NOT NULL,
    changed_at_ms ${type.integer} NOT NULL,
    PRIMARY KEY (owner, path)
  )`,
  `CREATE UNIQUE INDEX file_upload_id ON file (upload)`,
  // Objects that a store has, or may have, and that are no files. state writing | left. writing: a
  // file is being sent, or its upload was interrupted; from not_before_ms on it is left. left: it
  // is removed then. was_file 1: the object is whole, no parts can be left.
  `CREATE TABLE file_upload (
    id ${type.text} PRIMARY KEY,
    organization ${type.text} NOT NULL REFERENCES organization (id),
    location ${type.text} NOT NULL REFERENCES location (id),
    key ${type.text} NOT NULL,
    bytes ${type.integer} NOT NULL,
    state ${type.text} NOT NULL,
    was_file ${type.integer} NOT NULL,
    not_before_ms ${type.integer} NOT NULL,
    attempts ${type.integer} NOT NULL
  )`,
  `CREATE INDEX file_upload_due ON file_upload (not_before_ms)`,
];
