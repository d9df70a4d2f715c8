interface OrganizationTable {
  table: string;
  /** Columns of its primary key. */
  key: string;
  /** Condition for the rows of the organization $1; absent: those that refer to it. */
  which?: string;
}

const ofModel = "model IN (SELECT id FROM logged_model WHERE organization = $1)";
const ofRegisteredModel = "model IN (SELECT id FROM registered_model WHERE organization = $1)";
const ofUpload = "upload IN (SELECT id FROM upload WHERE organization = $1)";
const ofGrant = "oauth_grant IN (SELECT id FROM oauth_grant WHERE only_organization = $1)";

/**
 * Rows of an organization besides those with purges of their own, each table before those to which
 * its rows refer; the test beside `check-organizations.ts` finds a missing one.
 */
export const organizationTables: readonly OrganizationTable[] = [
  {
    table: "guest_link_experiment",
    key: "link, experiment",
    which: "link IN (SELECT id FROM guest_link WHERE organization = $1)",
  },
  { table: "guest_link", key: "id" },
  { table: "logged_model_metric", key: "model, key, timestamp, step, id", which: ofModel },
  { table: "logged_model_tag", key: "model, key", which: ofModel },
  { table: "logged_model_param", key: "model, key", which: ofModel },
  { table: "logged_model", key: "id" },
  { table: "dataset", key: "id" },
  { table: "lineage", key: "experiment, direction, subject, role" },
  { table: "version_experiment", key: "organization, experiment, artifact, version" },
  { table: "alias", key: "owner, name" },
  { table: "alias_change", key: "owner, number" },
  {
    table: "model_version_tag",
    key: "model, number, key",
    which: ofRegisteredModel,
  },
  { table: "model_version", key: "model, number", which: ofRegisteredModel },
  { table: "registered_model_tag", key: "model, key", which: ofRegisteredModel },
  { table: "registered_model", key: "id" },
  {
    table: "note",
    key: "artifact, name",
    which: "artifact IN (SELECT id FROM artifact WHERE organization = $1)",
  },
  { table: "store_upload", key: "upload", which: ofUpload },
  { table: "upload_files", key: "upload", which: ofUpload },
  { table: "upload", key: "id" },
  {
    table: "usage",
    key: "organization, day, kind, place_cloud, place_region, location, match, transfer",
  },
  { table: "artifact", key: "id" },
  { table: "location", key: "id" },
  { table: "connection", key: "id" },
  { table: "experiment", key: "id" },
  { table: "folder_tag", key: "organization, folder, key" },
  { table: "run_folder", key: "organization, folder" },
  {
    table: "folder",
    key: "id",
    which: `organization = $1 AND id NOT IN (
      SELECT parent FROM folder WHERE organization = $1 AND parent IS NOT NULL)`,
  },
  { table: "metric_name", key: "id" },
  { table: "config_key", key: "id" },
  {
    table: "saved_version",
    key: "saved, revision",
    which: "saved IN (SELECT id FROM saved WHERE organization = $1)",
  },
  {
    table: "report_picture",
    key: "report, picture",
    which: "report IN (SELECT id FROM saved WHERE organization = $1)",
  },
  { table: "saved", key: "id" },
  { table: "retention_rule", key: "id" },
  {
    table: "scim_member",
    key: "scim_group, scim_user",
    which: "scim_group IN (SELECT id FROM scim_group WHERE organization = $1)",
  },
  { table: "scim_group", key: "id" },
  { table: "scim_user", key: "id" },
  { table: "scim_token", key: "organization" },
  { table: "sign_on_identity", key: "organization, issuer, subject" },
  { table: "sign_on", key: "organization" },
  { table: "personal_token", key: "id" },
  { table: "invitation", key: "id" },
  { table: "api_key", key: "id" },
  { table: "oauth_token", key: "hash", which: ofGrant },
  { table: "oauth_code", key: "hash", which: ofGrant },
  { table: "oauth_device", key: "hash", which: ofGrant },
  { table: "oauth_grant", key: "id", which: "only_organization = $1" },
  { table: "session", key: "hash", which: "only_organization = $1" },
  { table: "membership", key: "organization, person" },
  { table: "audit", key: "id" },
  { table: "recorded_points", key: "organization, day, writer" },
  { table: "organization_trash", key: "organization" },
  { table: "quota", key: "organization" },
  { table: "stored_amount", key: "organization, writer" },
];
