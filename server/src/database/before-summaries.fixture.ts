const tables = [
  "metric_name",
  "metric_summary",
  "config_key",
  "config_value",
  "config_keys",
  "summarized",
  "version_experiment",
];
const indexes = ["experiment_created", "experiment_facts"];

/** Statements that take migration 008 back, so that it can be run on data from before. */
export const beforeSummaries: readonly string[] = [
  ...tables.map((name) => `DROP TABLE ${name}`),
  ...indexes.map((name) => `DROP INDEX ${name}`),
  "DELETE FROM installation WHERE name = 'unindexed_versions'",
  "UPDATE installation SET value = '7' WHERE name = 'format'",
];
