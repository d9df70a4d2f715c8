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

/** Statements that take migrations 009 and 008 back, so that they can be run on older data. */
export const beforeSummaries: readonly string[] = [
  "DROP INDEX annotation_message",
  "ALTER TABLE annotation DROP COLUMN message_id",
  ...tables.map((name) => `DROP TABLE ${name}`),
  ...indexes.map((name) => `DROP INDEX ${name}`),
  "DELETE FROM installation WHERE name = 'unindexed_versions'",
  "UPDATE installation SET value = '7' WHERE name = 'format'",
];
