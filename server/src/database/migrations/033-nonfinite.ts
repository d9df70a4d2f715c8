import type { ColumnTypes } from "../column-types.ts";

/** Summaries of non-finite values and huge sums, and the times of points. */
export const nonfinite = (type: ColumnTypes): string[] => [
  // Summaries of annotations of the kind nonfinite and of values of MLflow's clients: a row for
  // each partition of a metric, as series has them; 1,000 an experiment at most. notes: their
  // number. last_step, last_timestamp, last_kind: of the last one; kinds are those of run_metric.
  // is_native: 1 when one did not come through MLflow. trashed: 1 while the series is in the trash.
  `CREATE TABLE nonfinite (
    experiment ${type.text} NOT NULL REFERENCES experiment (id),
    number ${type.integer} NOT NULL,
    name ${type.text} NOT NULL,
    meta ${type.text} NOT NULL,
    notes ${type.integer} NOT NULL,
    last_step ${type.integer} NOT NULL,
    last_timestamp ${type.integer} NOT NULL,
    last_kind ${type.integer} NOT NULL,
    is_native ${type.integer} NOT NULL,
    trashed ${type.integer} NOT NULL,
    PRIMARY KEY (experiment, number)
  )${type.clustered}`,
  // The same for the table: a row with points 0 has only these columns. They are updated like
  // metas.
  `ALTER TABLE metric_summary ADD COLUMN nonfinite ${type.integer} NOT NULL DEFAULT 0`,
  `ALTER TABLE metric_summary ADD COLUMN nonfinite_step ${type.integer} NOT NULL DEFAULT 0`,
  `ALTER TABLE metric_summary ADD COLUMN nonfinite_timestamp ${type.integer} NOT NULL DEFAULT 0`,
  `ALTER TABLE metric_summary ADD COLUMN nonfinite_kind ${type.integer} NOT NULL DEFAULT 0`,
  // The sum of all values, each times 2^-64, as `smallness` of experiments/summaries/summary.ts
  // has it: a migration keeps its own. It counts where sum is no double, and then infinite.
  `ALTER TABLE metric_summary ADD COLUMN small_sum ${type.real} NOT NULL DEFAULT 0`,
  // Smaller sums are negligible in comparison, and PostgreSQL refuses a product that is too small.
  `UPDATE metric_summary SET small_sum = sum * 5.421010862427522e-20 WHERE abs(sum) > 1e-280`,
  // Times of the earliest and the latest counted point; null: there is none.
  `ALTER TABLE summarized ADD COLUMN first_point_ms ${type.integer}`,
  `ALTER TABLE summarized ADD COLUMN last_point_ms ${type.integer}`,
  // Annotations up to this number are from before. Below 0, as its negative: they are not looked
  // through yet. Above 0: some are of such values, which are not in nonfinite yet. 0: all are.
  `ALTER TABLE summarized ADD COLUMN notes_before ${type.integer} NOT NULL DEFAULT 0`,
  `UPDATE summarized SET notes_before =
     -(SELECT max(number) FROM annotation WHERE annotation.experiment = summarized.experiment)
   WHERE EXISTS (SELECT 1 FROM annotation WHERE annotation.experiment = summarized.experiment)`,
  `CREATE INDEX summarized_unlooked ON summarized (experiment) WHERE notes_before < 0`,
  // Annotations from before, to be looked through once by the background work: the value is the
  // last one that was.
  `INSERT INTO installation (name, value)
   SELECT 'unindexed_annotations', '' WHERE EXISTS (SELECT 1 FROM annotation)`,
  // Exact where times go with the steps; a recount makes it so elsewhere.
  `UPDATE summarized SET first_point_ms = reach.first_ms, last_point_ms = reach.last_ms
   FROM (SELECT experiment, min(first_timestamp) AS first_ms, max(last_timestamp) AS last_ms
     FROM metric_summary GROUP BY experiment) AS reach
   WHERE reach.experiment = summarized.experiment AND counted = 1`,
  `UPDATE summarized SET counted = 0 WHERE experiment IN (
     SELECT experiment FROM metric_summary WHERE abs(sum) >= 1.7976931348623157e308)`,
];
