import type { Reader } from "../database/database.ts";

/** Tables of rows that belong to an experiment: none may be left when it is purged. */
export const tables = [
  "head",
  "errand",
  "log",
  "console",
  "console_source",
  "console_log",
  "attempt_process",
  "liveness",
  "segment",
  "series",
  "dropped_series",
  "annotation",
  "logged_series",
  "logged",
  "token",
  "summarized",
  "metric_summary",
  "config_value",
  "config_keys",
  "version_experiment",
  "lineage",
  "guest_link_experiment",
  "run",
  "run_param",
  "run_tag",
  "run_metric",
  "run_point",
  "nonfinite",
  "run_input",
  "run_model",
  "logged_model_metric",
] as const;

/**
 * Finds disagreements between experiments and the trash, one sentence each. For `lossless verify`.
 */
export async function wrongTrash(reader: Reader): Promise<{ id: string; sentence: string }[]> {
  const wrong: { id: string; sentence: string }[] = [];
  for (const table of tables) {
    const left = await reader.all<{ id: string; count: number }>(
      `SELECT experiment.id, count(*) AS count FROM experiment
       JOIN ${table} ON ${table}.experiment = experiment.id
       WHERE experiment.purged_at_ms IS NOT NULL GROUP BY experiment.id ORDER BY experiment.id`,
    );
    for (const { id, count } of left)
      wrong.push({ id, sentence: `is purged and has ${count} rows in ${table}` });
  }
  for (const one of await wrongSeries(reader)) wrong.push(one);
  const files = await reader.all<{ id: string; count: number }>(
    `SELECT experiment.id, count(*) AS count FROM experiment JOIN file ON file.owner = experiment.id
     WHERE experiment.purged_at_ms IS NOT NULL GROUP BY experiment.id ORDER BY experiment.id`,
  );
  for (const { id, count } of files)
    wrong.push({ id, sentence: `is purged and has ${count} rows in file` });
  const apart = await reader.all<{ id: string; in_trash: number; trashed: number }>(
    `SELECT experiment.id, CASE WHEN trash.id IS NULL THEN 0 ELSE 1 END AS in_trash,
       CASE WHEN experiment.trashed_at_ms IS NULL THEN 0 ELSE 1 END AS trashed
     FROM experiment
     LEFT JOIN trash ON trash.subject = experiment.id AND trash.kind = 'experiment'
     LEFT JOIN head ON head.experiment = experiment.id
     WHERE experiment.purged_at_ms IS NULL AND (trash.id IS NULL OR trash.is_purging = 0)
       AND ((trash.id IS NULL) <> (experiment.trashed_at_ms IS NULL)
         OR (head.trashed = 0) <> (experiment.trashed_at_ms IS NULL))
     ORDER BY experiment.id`,
  );
  for (const { id, in_trash: inTrash, trashed } of apart) {
    const told = (flag: number) => (flag === 1 ? "deleted" : "not deleted");
    wrong.push({ id, sentence: `says it is ${told(trashed)}, the trash says ${told(inTrash)}` });
  }
  return wrong;
}

/**
 * Finds deleted series that are listed, or have no entry of the trash, and entries without a
 * series.
 */
async function wrongSeries(reader: Reader): Promise<{ id: string; sentence: string }[]> {
  const doubled = await reader.all<{ id: string; name: string }>(
    `SELECT dropped_series.experiment AS id, dropped_series.name FROM dropped_series
     LEFT JOIN series ON series.experiment = dropped_series.experiment
       AND series.partition = dropped_series.partition
     WHERE (series.experiment IS NULL) <> (is_out = 1) ORDER BY dropped_series.experiment`,
  );
  const lost = await reader.all<{ id: string; name: string }>(
    `SELECT dropped_series.experiment AS id, dropped_series.name FROM dropped_series
     LEFT JOIN trash ON trash.id = dropped_series.trash
     WHERE dropped_series.trash IS NOT NULL AND (trash.id IS NULL OR is_out = 0)
     ORDER BY dropped_series.experiment`,
  );
  const empty = await reader.all<{ id: string; name: string }>(
    `SELECT trash.subject AS id, trash.series AS name FROM trash
     WHERE kind = 'series' AND NOT EXISTS (
       SELECT 1 FROM dropped_series WHERE dropped_series.trash = trash.id) ORDER BY trash.id`,
  );
  const told = (rows: { id: string; name: string }[], what: string) =>
    rows.map(({ id, name }) => ({ id, sentence: `${what} ${name}` }));
  return [
    ...told(doubled, "has both deleted and undeleted partitions of the series"),
    ...told(lost, "has no trash entry for the deleted series"),
    ...told(empty, "has no partition of the deleted series"),
  ];
}
