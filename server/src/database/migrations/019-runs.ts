import type { ColumnTypes } from "../column-types.ts";

/** Rows of MLflow clients besides experiments, their points and folders. */
export const runs = (type: ColumnTypes): string[] => [
  // folder: its id, or '0' for the root. A folder without a row was never touched by MLflow.
  `CREATE TABLE run_folder (
    organization ${type.text} NOT NULL REFERENCES organization (id),
    folder ${type.text} NOT NULL,
    artifact_location ${type.text},
    created_at_ms ${type.integer} NOT NULL,
    updated_at_ms ${type.integer} NOT NULL,
    deleted_at_ms ${type.integer},
    PRIMARY KEY (organization, folder)
  )`,
  `CREATE TABLE folder_tag (
    organization ${type.text} NOT NULL REFERENCES organization (id),
    folder ${type.text} NOT NULL,
    key ${type.text} NOT NULL,
    value ${type.text} NOT NULL,
    PRIMARY KEY (organization, folder, key)
  )${type.clustered}`,
  // Times are the client's. status_word: MLflow's own word, shown while it fits the experiment's
  // state. points: how many of the head's points came this way. deleted_with_folder: 1 when it was
  // marked with its folder.
  `CREATE TABLE run (
    experiment ${type.text} PRIMARY KEY REFERENCES experiment (id),
    user_name ${type.text} NOT NULL,
    start_time ${type.integer},
    end_time ${type.integer},
    status_word ${type.text} NOT NULL,
    artifact_location ${type.text},
    points ${type.integer} NOT NULL,
    deleted_at_ms ${type.integer},
    deleted_with_folder ${type.integer} NOT NULL
  )${type.updatedInPlace}`,
  `CREATE TABLE run_param (
    experiment ${type.text} NOT NULL REFERENCES experiment (id),
    key ${type.text} NOT NULL,
    value ${type.text} NOT NULL,
    PRIMARY KEY (experiment, key)
  )${type.clustered}`,
  `CREATE TABLE run_tag (
    experiment ${type.text} NOT NULL REFERENCES experiment (id),
    key ${type.text} NOT NULL,
    value ${type.text} NOT NULL,
    PRIMARY KEY (experiment, key)
  )${type.clustered}`,
  // The latest value of each metric by (step, timestamp, value), of those that came through MLflow.
  // kind: 0 a number, stored in value; -1, 1 an infinity, 2 NaN: then value is 0. timestamp and
  // step have 64 bits, more than a JS number: they are stored as 20 digits of their distance from
  // -2^63, so that texts sort as the integers do.
  `CREATE TABLE run_metric (
    experiment ${type.text} NOT NULL REFERENCES experiment (id),
    key ${type.text} NOT NULL,
    kind ${type.integer} NOT NULL,
    value ${type.real} NOT NULL,
    timestamp ${type.text} NOT NULL,
    step ${type.text} NOT NULL,
    PRIMARY KEY (experiment, key)
  )${type.clustered}`,
  // Points that the series engine cannot represent, with columns as above.
  `CREATE TABLE run_point (
    experiment ${type.text} NOT NULL REFERENCES experiment (id),
    key ${type.text} NOT NULL,
    timestamp ${type.text} NOT NULL,
    step ${type.text} NOT NULL,
    kind ${type.integer} NOT NULL,
    value ${type.real} NOT NULL,
    PRIMARY KEY (experiment, key, timestamp, step, kind, value)
  )${type.clustered}`,
];
