const tables = [
  "metric_name",
  "metric_summary",
  "config_key",
  "config_value",
  "config_keys",
  "summarized",
  "version_experiment",
  "nonfinite",
];
const runTables = [
  "run",
  "run_param",
  "run_tag",
  "run_metric",
  "run_point",
  "run_folder",
  "folder_tag",
];
const modelTables = [
  "logged_model_metric",
  "logged_model_tag",
  "logged_model_param",
  "logged_model",
  "run_model",
  "run_input",
  "dataset",
];
const fileTables = ["file", "file_upload"];
const indexes = ["experiment_created"];

const laterIndexes = [
  "organization_trashed",
  "audit_action",
  "audit_actor",
  "audit_subject",
  "upload_stored",
  "artifact_sums",
  "artifact_newest",
  "upload_artifact_unfinished",
  "version_experiment_version",
  "experiment_trashed",
  "experiment_facts",
];
const laterColumns = {
  organization: ["trashed_at_ms", "purged_at_ms", "mlflow_locations"],
  session: ["device", "address", "used_at_ms", "only_organization"],
  oauth_grant: ["device", "address", "used_at_ms", "only_organization"],
  person: ["is_service", "erased_at_ms"],
  artifact: ["opened_at_ms", "opened_source", "highest"],
  experiment: ["trashed_at_ms", "purged_at_ms", "restored_at_ms"],
  version: ["restored_at_ms"],
  head: ["trashed"],
  stored_amount: ["day", "day_points"],
};

const scimTables = ["scim_member", "scim_group", "scim_user", "scim_token"];
const signOnTables = ["personal_token", "sign_on_identity", "sign_on"];

/** Statements that take migrations 038 to 008 back, so that they can be run on older data. */
export const beforeSummaries: readonly string[] = [
  "DROP INDEX IF EXISTS experiment_not_done",
  "DROP TABLE dropped_series",
  "DROP TABLE retention_rule",
  ...modelTables.map((name) => `DROP TABLE ${name}`),
  ...fileTables.map((name) => `DROP TABLE ${name}`),
  ...runTables.map((name) => `DROP TABLE ${name}`),
  ...scimTables.map((name) => `DROP TABLE ${name}`),
  ...signOnTables.map((name) => `DROP TABLE ${name}`),
  "DROP TABLE trash",
  "DROP TABLE organization_trash",
  "DROP TABLE recorded_points",
  "DROP TABLE saved",
  ...laterIndexes.map((name) => `DROP INDEX ${name}`),
  ...Object.entries(laterColumns).flatMap(([table, columns]) =>
    columns.map((column) => `ALTER TABLE ${table} DROP COLUMN ${column}`),
  ),
  "DROP INDEX annotation_message",
  "ALTER TABLE annotation DROP COLUMN message_id",
  ...tables.map((name) => `DROP TABLE ${name}`),
  ...indexes.map((name) => `DROP INDEX ${name}`),
  "DELETE FROM installation WHERE name = 'unindexed_versions'",
  "UPDATE installation SET value = '7' WHERE name = 'format'",
];
