import type { ColumnTypes } from "../column-types.ts";

/** Fields of artifacts for pages, besides those that writers need. */
export const artifactViews = (type: ColumnTypes): string[] => [
  // Time of the newest epoch, and the label of its writer. Null for epochs from before these
  // columns.
  `ALTER TABLE artifact ADD COLUMN opened_at_ms ${type.integer}`,
  `ALTER TABLE artifact ADD COLUMN opened_source ${type.text}`,
  // All columns that a list sums up by folder, so that the sums read the index alone.
  `CREATE INDEX artifact_sums ON artifact (organization, path, versions, bytes, latest_at_ms)`,
  `CREATE INDEX artifact_newest ON artifact (organization, latest_at_ms)`,
  // An artifact has an upload for each of its versions, and few that are not finished.
  `CREATE INDEX upload_artifact_unfinished ON upload (artifact, created_at_ms)
   WHERE state IN ('starting', 'pending', 'completing')`,
  `CREATE INDEX version_experiment_version ON version_experiment (artifact, version)`,
];
