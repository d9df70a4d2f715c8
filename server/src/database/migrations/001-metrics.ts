import type { ColumnTypes } from "../column-types.ts";

/** Organizations, experiments and the series engine. Both databases compare text bytewise. */
export const metrics = (type: ColumnTypes): string[] => [
  `CREATE TABLE organization (
    id ${type.text} PRIMARY KEY,
    name ${type.text} NOT NULL UNIQUE,
    created_at_ms ${type.integer} NOT NULL
  )`,
  `CREATE TABLE api_key (
    id ${type.text} PRIMARY KEY,
    organization ${type.text} NOT NULL REFERENCES organization (id),
    name ${type.text} NOT NULL,
    hash ${type.blob} NOT NULL UNIQUE,
    created_by ${type.text} NOT NULL,
    created_at_ms ${type.integer} NOT NULL,
    last_used_at_ms ${type.integer},
    revoked_at_ms ${type.integer}
  )`,
  `CREATE TABLE folder (
    id ${type.text} PRIMARY KEY,
    organization ${type.text} NOT NULL REFERENCES organization (id),
    parent ${type.text} REFERENCES folder (id),
    name ${type.text} NOT NULL,
    created_at_ms ${type.integer} NOT NULL
  )`,
  // Two indexes, because NULLs are distinct in a UNIQUE constraint and root folders have no parent.
  `CREATE UNIQUE INDEX folder_name ON folder (organization, parent, name) WHERE parent IS NOT NULL`,
  `CREATE UNIQUE INDEX root_folder_name ON folder (organization, name) WHERE parent IS NULL`,
  `CREATE INDEX folder_parent ON folder (parent)`,
  `CREATE TABLE experiment (
    id ${type.text} PRIMARY KEY,
    organization ${type.text} NOT NULL REFERENCES organization (id),
    slug ${type.text} NOT NULL,
    description ${type.text} NOT NULL,
    meta ${type.text} NOT NULL,
    folder ${type.text} REFERENCES folder (id),
    status ${type.text} NOT NULL,
    error ${type.text},
    error_meta ${type.text},
    created_at_ms ${type.integer} NOT NULL,
    updated_at_ms ${type.integer} NOT NULL,
    started_at_ms ${type.integer},
    done_at_ms ${type.integer},
    error_at_ms ${type.integer},
    status_at_ms ${type.integer} NOT NULL,
    UNIQUE (organization, slug)
  )`,
  `CREATE INDEX experiment_folder ON experiment (folder)`,
  `CREATE TABLE token (
    hash ${type.blob} PRIMARY KEY,
    experiment ${type.text} NOT NULL REFERENCES experiment (id),
    organization ${type.text} NOT NULL REFERENCES organization (id),
    issued_at_ms ${type.integer} NOT NULL,
    expires_at_ms ${type.integer} NOT NULL,
    revoked_at_ms ${type.integer},
    predecessor ${type.blob}
  )`,
  `CREATE INDEX token_experiment ON token (experiment, issued_at_ms)`,
  `CREATE TABLE annotation (
    experiment ${type.text} NOT NULL REFERENCES experiment (id),
    number ${type.integer} NOT NULL,
    id ${type.text} NOT NULL,
    text ${type.text} NOT NULL,
    meta ${type.text} NOT NULL,
    created_at_ms ${type.integer} NOT NULL,
    PRIMARY KEY (experiment, number)
  )`,
  `CREATE TABLE series (
    experiment ${type.text} NOT NULL REFERENCES experiment (id),
    partition ${type.integer} NOT NULL,
    name ${type.text} NOT NULL,
    meta ${type.text} NOT NULL,
    PRIMARY KEY (experiment, partition)
  )`,
  `CREATE INDEX series_name ON series (experiment, name)`,
  // The hot row of an experiment, which each group commit changes; description and meta are
  // elsewhere. log_seq is the compare-and-append guard and never goes back. revision grows with
  // every change of the experiment; manifest_seq with every change of its segment rows.
  `CREATE TABLE head (
    experiment ${type.text} PRIMARY KEY REFERENCES experiment (id),
    log_seq ${type.integer} NOT NULL,
    seal_seq ${type.integer} NOT NULL,
    manifest_seq ${type.integer} NOT NULL,
    points ${type.integer} NOT NULL,
    sealed_points ${type.integer} NOT NULL,
    revision ${type.integer} NOT NULL,
    appended_at_ms ${type.integer} NOT NULL
  )`,
  // Experiments for which the background thread looks every second, among all that ever existed.
  ...type.indexOnHotColumns(
    `CREATE INDEX head_unsealed ON head (experiment) WHERE points > sealed_points`,
  ),
  `CREATE TABLE log (
    experiment ${type.text} NOT NULL,
    seq ${type.integer} NOT NULL,
    points ${type.integer} NOT NULL,
    record ${type.blob} NOT NULL,
    PRIMARY KEY (experiment, seq)
  )`,
  ...type.uncompressed("log", "record"),
  `CREATE TABLE segment (
    experiment ${type.text} NOT NULL,
    number ${type.integer} NOT NULL,
    kind ${type.text} NOT NULL,
    key ${type.text} NOT NULL,
    seq_from ${type.integer} NOT NULL,
    seq_to ${type.integer} NOT NULL,
    points ${type.integer} NOT NULL,
    bytes ${type.integer} NOT NULL,
    PRIMARY KEY (experiment, number)
  )`,
  `CREATE INDEX segment_key ON segment (key)`,
  `CREATE TABLE garbage (
    key ${type.text} PRIMARY KEY,
    delete_after_ms ${type.integer} NOT NULL
  )`,
];
