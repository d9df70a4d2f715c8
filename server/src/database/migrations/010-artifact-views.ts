import type { ColumnTypes } from "../column-types.ts";

/** What pages show of artifacts besides what writers need. */
export const artifactViews = (type: ColumnTypes): string[] => [
  // When the newest epoch was given, and the label of its writer. Null where that was before these
  // were kept.
  `ALTER TABLE artifact ADD COLUMN opened_at_ms ${type.integer}`,
  `ALTER TABLE artifact ADD COLUMN opened_source ${type.text}`,
  // All that folders of a list sum up, so that their sums read nothing else.
  `CREATE INDEX artifact_sums ON artifact (organization, path, versions, bytes, latest_at_ms)`,
  `CREATE INDEX artifact_newest ON artifact (organization, latest_at_ms)`,
  // An artifact has an upload for each of its versions, and few that are not finished.
  `CREATE INDEX upload_artifact_unfinished ON upload (artifact, created_at_ms)
   WHERE state IN ('starting', 'pending', 'completing')`,
  `CREATE INDEX version_experiment_version ON version_experiment (artifact, version)`,
];
