import type { Database } from "../../database/database.ts";

/** Size of the table to measure with. */
export interface TableSize {
  experiments: number;
  metrics: number;
  keys: number;
}

/** Size of the table for which the budgets hold. */
export const tableSize: TableSize = { experiments: 100_000, metrics: 20, keys: 30 };

/**
 * Writes experiments of an organization with their summaries and the leaves of their metas straight
 * into the tables, as if all were folded and indexed long ago. Values are spread by arithmetic, so
 * every run has the same: `metric-0` to … of all experiments but each eleventh, `key-0` to …, of
 * which each third is a text of 100 different ones. Ends with the statistics of the planner.
 */
export async function fillTable(
  database: Database,
  organizationId: string,
  { experiments, metrics, keys }: TableSize = tableSize,
): Promise<void> {
  await fillExperiments(database, organizationId, experiments);
  await database.write(async (transaction) => {
    for (let metric = 0; metric < metrics; metric++) {
      const { id } = (await transaction.get<{ id: number }>(
        `INSERT INTO metric_name (organization, name, meta) VALUES ($1, $2, '') RETURNING id`,
        organizationId,
        `metric-${metric}`,
      ))!;
      const value = spread(31 + 2 * metric);
      await transaction.run(
        `INSERT INTO metric_summary (metric, experiment, folded_seq, points, sum, first, first_step,
           first_timestamp, first_partition, last, last_step, last_timestamp, last_partition, min,
           min_step, max, max_step)
         SELECT CAST($1 AS BIGINT), id, 0, 100, 50 * ${value}, ${value}, 0, 0, 0, 1 - ${value}, 99, 0, 0,
           ${value} / 2, 7, 2 - ${value}, 9
         FROM (${numbered}) AS numbered WHERE number % 11 <> 0 ORDER BY id`,
        id,
      );
    }
    for (let key = 0; key < keys; key++) {
      const { id } = (await transaction.get<{ id: number }>(
        "INSERT INTO config_key (organization, path) VALUES ($1, $2) RETURNING id",
        organizationId,
        `key-${key}`,
      ))!;
      const isText = key % 3 === 0;
      await transaction.run(
        `INSERT INTO config_value (key, experiment, element, kind, number, text)
         SELECT CAST($1 AS BIGINT), id, -1, ${isText ? 3 : 2},
           ${isText ? "NULL" : spread(101 + 2 * key)},
           ${isText ? `'word-' || CAST(number * ${101 + 2 * key} % 100 AS TEXT)` : "'0.5'"}
         FROM (${numbered}) AS numbered ORDER BY id`,
        id,
      );
    }
  });
  await database.write(async (transaction) => {
    const keyIds = await transaction.all<{ id: number }>(
      "SELECT id FROM config_key WHERE organization = $1 ORDER BY id",
      organizationId,
    );
    await transaction.run(
      "INSERT INTO config_keys (experiment, keys) SELECT id, $2 FROM experiment WHERE organization = $1",
      organizationId,
      JSON.stringify(keyIds.map(({ id }) => id)),
    );
  });
  await database.write((transaction) => transaction.run("ANALYZE"));
}

/** Numbers spread over 0 to 1, in no order of the experiments. */
function spread(factor: number): string {
  return `(number * ${factor} % 99991 / 99991.0)`;
}

const idPrefix = "01m80000000000000000";
const numbered = `SELECT id, CAST(substr(id, ${idPrefix.length + 1}) AS BIGINT) AS number
  FROM experiment WHERE id LIKE '${idPrefix}%'`;

async function fillExperiments(
  database: Database,
  organizationId: string,
  experiments: number,
): Promise<void> {
  const startMs = Date.UTC(2026, 0, 1);
  // As large as a meta of 30 keys: rows that have to be passed over cost what they cost.
  const meta = JSON.stringify({ config: "x".repeat(900) });
  await database.write(async (transaction) => {
    await transaction.run(
      `INSERT INTO experiment (id, organization, slug, description, meta, status, created_at_ms,
         updated_at_ms, started_at_ms, done_at_ms, status_at_ms)
       WITH RECURSIVE run (number) AS (
         SELECT CAST(0 AS BIGINT) UNION ALL SELECT number + 1 FROM run WHERE number < CAST($1 AS BIGINT) - 1)
       SELECT '${idPrefix}' || substr(CAST(1000000 + number AS TEXT), 2), $2,
         'project/run-' || CAST(number * 7919 % 100003 AS TEXT), 'Run of a sweep', $3,
         CASE WHEN number % 50 = 0 THEN 'running' ELSE 'done' END,
         number * 60000 + CAST($4 AS BIGINT), number * 60000 + CAST($4 AS BIGINT),
         number * 60000 + CAST($4 AS BIGINT),
         CASE WHEN number % 50 = 0 THEN NULL ELSE number * 60000 + CAST($4 AS BIGINT) + number % 3600000 END,
         number * 60000 + CAST($4 AS BIGINT)
       FROM run`,
      experiments,
      organizationId,
      meta,
      startMs,
    );
    await transaction.run(
      `INSERT INTO head (experiment, log_seq, seal_seq, manifest_seq, points, sealed_points, revision, appended_at_ms)
       SELECT id, 0, 0, 0, number * 13 % 5000, number * 13 % 5000, 1, CAST($1 AS BIGINT) FROM (${numbered}) AS numbered`,
      startMs,
    );
    await transaction.run(
      `INSERT INTO stored_amount (organization, writer, bytes, experiments, partitions, uploads)
       VALUES ($1, 0, 0, $2, 0, 0)
       ON CONFLICT (organization, writer) DO UPDATE SET
         experiments = stored_amount.experiments + excluded.experiments`,
      organizationId,
      experiments,
    );
    await transaction.run(
      `INSERT INTO summarized (experiment, counted, folded_seq, folded_points, folded_at_ms, meta_version, indexed_version)
       SELECT id, 1, 0, number * 13 % 5000, CAST($1 AS BIGINT), 1, 1 FROM (${numbered}) AS numbered`,
      startMs,
    );
  });
}
