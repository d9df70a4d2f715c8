import type { Reader } from "../database.ts";
import { type Amounts, fileRowBytes, kinds, logPointBytes, nothing, rowBytes } from "./amounts.ts";
import { purgingOrganizations } from "./recorded-points.ts";

export interface Recount {
  organization: string;
  counted: Amounts;
  found: Amounts;
}

/**
 * Finds organizations whose counters differ from the sums of their rows on this server. Reads
 * everything that is stored: for `lossless verify`, never for a write. Experiments on a worker are
 * stubs that nobody counts, and rows of `series` that it told are counted by the worker.
 */
export async function wrongCounters(
  reader: Reader,
  { isWorker = false }: { isWorker?: boolean } = {},
): Promise<Recount[]> {
  const found = new Map<string, Amounts>();
  const at = (organization: string): Amounts => {
    const amounts = found.get(organization) ?? { ...nothing };
    found.set(organization, amounts);
    return amounts;
  };
  for (const sql of isWorker ? ofPoints : [...ofPoints, ...ofOthers]) {
    for (const row of await reader.all<Partial<Amounts> & { organization: string }>(sql)) {
      const amounts = at(row.organization);
      for (const kind of kinds) amounts[kind] += row[kind] ?? 0;
    }
  }
  const counters = await reader.all<Amounts & { organization: string }>(
    `SELECT organization, sum(bytes) AS bytes, sum(experiments) AS experiments, sum(partitions) AS partitions,
       sum(uploads) AS uploads FROM stored_amount WHERE writer >= 0 GROUP BY organization`,
  );
  const counted = new Map(counters.map((row) => [row.organization, row]));
  for (const organization of counted.keys()) at(organization);
  const rows = isWorker ? [] : await reader.all<{ subject: string }>(purgingOrganizations);
  const purging = new Set(rows.map(({ subject }) => subject));
  return [...found]
    .filter(([organization]) => !purging.has(organization))
    .map(([organization, amounts]) => {
      const { bytes, experiments, partitions, uploads } = counted.get(organization) ?? nothing;
      return { organization, counted: { bytes, experiments, partitions, uploads }, found: amounts };
    })
    .filter((one) => kinds.some((kind) => one.counted[kind] !== one.found[kind]));
}

const perExperiment = (table: string, columns: string, where = ""): string =>
  `SELECT experiment.organization, ${columns} FROM ${table} JOIN experiment ON experiment.id = ${table}.experiment
   ${where} GROUP BY experiment.organization`;

/** SQL: the rows were not told by a worker. */
const ofServer = "WHERE experiment.server = 0";

/** Selects over the counted tables of points; each returns some of the amounts by organization. */
const ofPoints: readonly string[] = [
  perExperiment(
    "series",
    `count(*) AS partitions, sum(${rowBytes} + octet_length(series.name) + octet_length(series.meta)) AS bytes`,
    ofServer,
  ),
  perExperiment(
    "dropped_series",
    `sum(CASE WHEN trash IS NULL THEN 0 ELSE 1 END) AS partitions,
       sum(${rowBytes} + octet_length(dropped_series.name) + octet_length(dropped_series.meta)) AS bytes`,
    ofServer,
  ),
  perExperiment("log", `sum(${logPointBytes} * log.points) AS bytes`),
  perExperiment("segment", `sum(segment.bytes) AS bytes`),
];

/** The same of all other tables, which only the directory has. */
const ofOthers: readonly string[] = [
  `SELECT organization, sum(CASE WHEN trashed_at_ms IS NULL THEN 1 ELSE 0 END) AS experiments, sum(${rowBytes} + octet_length(slug) + octet_length(description)
     + octet_length(meta) + coalesce(octet_length(error), 0) + coalesce(octet_length(error_meta), 0)) AS bytes
   FROM experiment GROUP BY organization`,
  perExperiment(
    "annotation",
    `sum(${rowBytes} + octet_length(annotation.text) + octet_length(annotation.meta)) AS bytes`,
  ),
  ...["run_param", "run_tag"].map((table) =>
    perExperiment(
      table,
      `sum(${rowBytes} + octet_length(${table}.key) + octet_length(${table}.value)) AS bytes`,
    ),
  ),
  `SELECT organization, sum(${rowBytes} + octet_length(name) + octet_length(model_type) + octet_length(source_run)) AS bytes
   FROM logged_model GROUP BY organization`,
  ...["logged_model_param", "logged_model_tag"].map(
    (table) => `SELECT logged_model.organization,
       sum(${rowBytes} + octet_length(${table}.key) + octet_length(${table}.value)) AS bytes
     FROM ${table} JOIN logged_model ON logged_model.id = ${table}.model
     GROUP BY logged_model.organization`,
  ),
  perExperiment(
    "logged_model_metric",
    `sum(${rowBytes} + octet_length(logged_model_metric.key) + coalesce(octet_length(dataset_name), 0)
       + coalesce(octet_length(dataset_digest), 0)) AS bytes`,
  ),
  `SELECT organization, sum(${rowBytes} + bytes) AS bytes FROM dataset GROUP BY organization`,
  perExperiment(
    "run_input",
    `sum(${rowBytes} + octet_length(run_input.tags) + coalesce(octet_length(run_input.context), 0)) AS bytes`,
  ),
  perExperiment("run_model", `sum(${rowBytes} + octet_length(run_model.model)) AS bytes`),
  perExperiment("run_point", `sum(${rowBytes} + octet_length(run_point.key)) AS bytes`),
  perExperiment("console_log", `sum(${rowBytes} + octet_length(console_log.record)) AS bytes`),
  perExperiment(
    "console_source",
    `sum(${rowBytes} + octet_length(console_source.id) + octet_length(console_source.about)) AS bytes`,
  ),
  perExperiment(
    "attempt_process",
    `sum(${rowBytes} + octet_length(attempt_process.id) + octet_length(attempt) + octet_length(about)
       + coalesce(octet_length(ending), 0)) AS bytes`,
  ),
  `SELECT organization, sum(${rowBytes} + octet_length(path)) AS bytes FROM artifact GROUP BY organization`,
  `SELECT artifact.organization, sum(${rowBytes} + octet_length(note.name) + octet_length(note.content)) AS bytes
   FROM note JOIN artifact ON artifact.id = note.artifact GROUP BY artifact.organization`,
  `SELECT organization, sum(${rowBytes} + octet_length(name) + octet_length(version)) AS bytes
   FROM alias GROUP BY organization`,
  `SELECT organization, sum(${rowBytes} + octet_length(name) + coalesce(octet_length(version_before), 0)
     + coalesce(octet_length(version_after), 0)) AS bytes
   FROM alias_change GROUP BY organization`,
  `SELECT organization, sum(${rowBytes} + octet_length(name) + octet_length(description)) AS bytes
   FROM registered_model GROUP BY organization`,
  ...["registered_model_tag", "model_version_tag"].map(
    (table) => `SELECT registered_model.organization,
       sum(${rowBytes} + octet_length(${table}.key) + octet_length(${table}.value)) AS bytes
     FROM ${table} JOIN registered_model ON registered_model.id = ${table}.model
     GROUP BY registered_model.organization`,
  ),
  `SELECT registered_model.organization, sum(${rowBytes} + octet_length(source) + octet_length(storage)
     + octet_length(model_version.description) + coalesce(octet_length(run_link), 0)) AS bytes
   FROM model_version JOIN registered_model ON registered_model.id = model_version.model
   GROUP BY registered_model.organization`,
  `SELECT upload.organization, sum(CASE WHEN upload.state IN ('starting', 'pending', 'completing') THEN 1 ELSE 0 END)
     AS uploads,
     sum(CASE WHEN upload.state = 'abandoned' AND upload.counted_bytes = 0 THEN 0 ELSE
       2 * (${rowBytes} + octet_length(upload.meta)) + ${fileRowBytes} * upload.files
       + CASE WHEN location.driver = 'built-in' THEN upload.bytes ELSE 0 END END) AS bytes
   FROM upload JOIN location ON location.id = upload.location GROUP BY upload.organization`,
  ...["file", "file_upload"].map(
    (table) => `SELECT ${table}.organization, sum(${fileRowBytes}
       + CASE WHEN location.driver = 'built-in' THEN ${table}.bytes ELSE 0 END) AS bytes
     FROM ${table} JOIN location ON location.id = ${table}.location GROUP BY ${table}.organization`,
  ),
];
