import type { ColumnTypes } from "../column-types.ts";

/**
 * Columns by which the table of experiments sorts and filters. All of them are derived from points,
 * metas and versions, and can be computed again. No value has an index.
 */
export const summaries = (type: ColumnTypes): string[] => [
  // The subject of a summary: meta '' is a series' partitions all together; else it is one
  // partition's, as in series.meta. Single partitions have none where their meta is '{}' or longer
  // than 1,024 bytes, nor in experiments where the series has more than 32 partitions.
  `CREATE TABLE metric_name (
    id ${type.identity},
    organization ${type.text} NOT NULL REFERENCES organization (id),
    name ${type.text} NOT NULL,
    meta ${type.text} NOT NULL,
    UNIQUE (organization, name, meta)
  )`,
  // Summary of exactly the points of log rows up to folded_seq. first and last are the values at
  // the smallest and the largest (step, timestamp, partition, arrival), whose other parts are in
  // the columns beside them; min_step and max_step are the smallest steps at which min and max were
  // reached. sum is rounded and stays within the doubles: the mean is sum / points.
  `CREATE TABLE metric_summary (
    metric ${type.integer} NOT NULL,
    experiment ${type.text} NOT NULL,
    folded_seq ${type.integer} NOT NULL,
    points ${type.integer} NOT NULL,
    sum ${type.real} NOT NULL,
    first ${type.real} NOT NULL,
    first_step ${type.integer} NOT NULL,
    first_timestamp ${type.integer} NOT NULL,
    first_partition ${type.integer} NOT NULL,
    last ${type.real} NOT NULL,
    last_step ${type.integer} NOT NULL,
    last_timestamp ${type.integer} NOT NULL,
    last_partition ${type.integer} NOT NULL,
    min ${type.real} NOT NULL,
    min_step ${type.integer} NOT NULL,
    max ${type.real} NOT NULL,
    max_step ${type.integer} NOT NULL,
    PRIMARY KEY (metric, experiment)
  )${type.clustered}`,
  // Paths of values in metas: member names joined by dots, as a query writes them after "meta.". A
  // member name that is empty, or has anything but letters, digits and _ - / : @ % + *, is quoted
  // there: optimizer.lr, "a.b".c
  `CREATE TABLE config_key (
    id ${type.identity},
    organization ${type.text} NOT NULL REFERENCES organization (id),
    path ${type.text} NOT NULL,
    UNIQUE (organization, path)
  )`,
  // The leaves of an experiment's meta, 1,000 rows at most; paths beyond 512 bytes are left out.
  // element: -1 is the value itself; a list has its scalar elements too, from 0 on, at its own key.
  // kind: 0 null, 1 boolean, 2 number, 3 text, 4 list, 5 object (an empty one: others have leaves).
  // number: the value of a number, 0 or 1 of a boolean, else null. text: a text itself, all others
  // as JSON prints them; longer than 256 bytes it is cut and ends in "…".
  `CREATE TABLE config_value (
    key ${type.integer} NOT NULL,
    experiment ${type.text} NOT NULL,
    element ${type.integer} NOT NULL,
    kind ${type.integer} NOT NULL,
    number ${type.real},
    text ${type.text} NOT NULL,
    PRIMARY KEY (key, experiment, element)
  )${type.clustered}`,
  // How far the above is brought, one row an experiment. counted: 1 when its summaries hold the
  // points of all log rows up to folded_seq, folded_points of them, as of folded_at_ms at least; 0
  // while nothing is counted yet. meta_version grows with each change of the meta; indexed_version
  // is the one whose leaves are there.
  `CREATE TABLE summarized (
    experiment ${type.text} PRIMARY KEY REFERENCES experiment (id),
    counted ${type.integer} NOT NULL,
    folded_seq ${type.integer} NOT NULL,
    folded_points ${type.integer} NOT NULL,
    folded_at_ms ${type.integer} NOT NULL,
    meta_version ${type.integer} NOT NULL,
    indexed_version ${type.integer} NOT NULL
  )${type.updatedInPlace}`,
  `CREATE INDEX summarized_uncounted ON summarized (experiment) WHERE counted = 0`,
  `CREATE INDEX summarized_unindexed ON summarized (experiment)
   WHERE indexed_version < meta_version`,
  // The ids of the keys at which an experiment may have values, as a JSON array: its values cannot
  // be found otherwise.
  `CREATE TABLE config_keys (
    experiment ${type.text} PRIMARY KEY REFERENCES experiment (id),
    keys ${type.text} NOT NULL
  )`,
  // Which experiment wrote a version: the one whose slug the version's meta names as "experiment",
  // at its "step" (null where it has none).
  `CREATE TABLE version_experiment (
    organization ${type.text} NOT NULL REFERENCES organization (id),
    experiment ${type.text} NOT NULL REFERENCES experiment (id),
    artifact ${type.text} NOT NULL REFERENCES artifact (id),
    version ${type.text} NOT NULL,
    step ${type.integer},
    PRIMARY KEY (organization, experiment, artifact, version)
  )${type.clustered}`,
  `CREATE INDEX experiment_created ON experiment (organization, created_at_ms)`,
  // All that is short of an experiment, in the order in which summaries and values lie: a query
  // passes over this and not over the metas.
  `CREATE INDEX experiment_facts ON experiment
   (organization, id, status, created_at_ms, updated_at_ms, started_at_ms, done_at_ms, error_at_ms, folder)`,
  `INSERT INTO summarized (experiment, counted, folded_seq, folded_points, folded_at_ms, meta_version, indexed_version)
   SELECT experiment, CASE WHEN log_seq = 0 THEN 1 ELSE 0 END, 0, 0, 0, 1, 0 FROM head`,
  // Versions from before, to be looked through once: the value is the last one that was.
  `INSERT INTO installation (name, value)
   SELECT 'unindexed_versions', '' WHERE EXISTS (SELECT 1 FROM version)`,
];
