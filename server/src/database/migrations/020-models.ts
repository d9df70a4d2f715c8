import type { ColumnTypes } from "../column-types.ts";

/** Inputs and outputs of runs by MLflow's clients: data sets and logged models. */
export const models = (type: ColumnTypes): string[] => [
  // folder: its id, or '0' for the root, as in run_folder. bytes: those of its texts.
  `CREATE TABLE dataset (
    id ${type.text} PRIMARY KEY,
    organization ${type.text} NOT NULL REFERENCES organization (id),
    folder ${type.text} NOT NULL,
    name ${type.text} NOT NULL,
    digest ${type.text} NOT NULL,
    source_type ${type.text} NOT NULL,
    source ${type.text} NOT NULL,
    schema ${type.text},
    profile ${type.text},
    bytes ${type.integer} NOT NULL
  )`,
  `CREATE UNIQUE INDEX dataset_name ON dataset (organization, folder, digest, name)`,
  // number: the order in which they came. tags: JSON, [{key, value}]; context is one of them.
  `CREATE TABLE run_input (
    experiment ${type.text} NOT NULL REFERENCES experiment (id),
    dataset ${type.text} NOT NULL REFERENCES dataset (id),
    number ${type.integer} NOT NULL,
    tags ${type.text} NOT NULL,
    context ${type.text},
    PRIMARY KEY (experiment, dataset)
  )${type.clustered}`,
  `CREATE INDEX run_input_dataset ON run_input (dataset)`,
  // direction: 0 went in, 1 came out. model: an id as the client named it. step as in run_metric.
  `CREATE TABLE run_model (
    experiment ${type.text} NOT NULL REFERENCES experiment (id),
    direction ${type.integer} NOT NULL,
    model ${type.text} NOT NULL,
    number ${type.integer} NOT NULL,
    step ${type.text} NOT NULL,
    PRIMARY KEY (experiment, direction, model)
  )${type.clustered}`,
  // status: MLflow's number of it. source_run: as the client named it, '' for none. A model
  // outlives the run; artifact_location is that of the folder in which it was made, null: ours.
  `CREATE TABLE logged_model (
    id ${type.text} PRIMARY KEY,
    organization ${type.text} NOT NULL REFERENCES organization (id),
    folder ${type.text} NOT NULL,
    name ${type.text} NOT NULL,
    model_type ${type.text} NOT NULL,
    source_run ${type.text} NOT NULL,
    status ${type.integer} NOT NULL,
    artifact_location ${type.text},
    created_at_ms ${type.integer} NOT NULL,
    updated_at_ms ${type.integer} NOT NULL,
    deleted_at_ms ${type.integer}
  )${type.updatedInPlace}`,
  `CREATE INDEX logged_model_folder ON logged_model (organization, folder)`,
  `CREATE TABLE logged_model_param (
    model ${type.text} NOT NULL REFERENCES logged_model (id),
    key ${type.text} NOT NULL,
    value ${type.text} NOT NULL,
    PRIMARY KEY (model, key)
  )${type.clustered}`,
  `CREATE TABLE logged_model_tag (
    model ${type.text} NOT NULL REFERENCES logged_model (id),
    key ${type.text} NOT NULL,
    value ${type.text} NOT NULL,
    PRIMARY KEY (model, key)
  )${type.clustered}`,
  // Values of runs that name the model. kind, value, timestamp and step as in run_metric; id is a
  // hash of all the rest of the row, so that a repeat is one row.
  `CREATE TABLE logged_model_metric (
    model ${type.text} NOT NULL REFERENCES logged_model (id),
    key ${type.text} NOT NULL,
    timestamp ${type.text} NOT NULL,
    step ${type.text} NOT NULL,
    id ${type.text} NOT NULL,
    kind ${type.integer} NOT NULL,
    value ${type.real} NOT NULL,
    experiment ${type.text} NOT NULL REFERENCES experiment (id),
    dataset_name ${type.text},
    dataset_digest ${type.text},
    PRIMARY KEY (model, key, timestamp, step, id)
  )${type.clustered}`,
  `CREATE INDEX logged_model_metric_experiment ON logged_model_metric (experiment)`,
];
