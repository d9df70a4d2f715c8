import type { ColumnTypes } from "../column-types.ts";

/** Quotas of organizations, and their stored amounts, counted first from the existing rows. */
export const quotas = (type: ColumnTypes): string[] => [
  // Only organizations that have a quota; a maximum that is null is none.
  `CREATE TABLE quota (
    organization ${type.text} PRIMARY KEY,
    bytes_max ${type.integer},
    experiments_max ${type.integer},
    partitions_max ${type.integer},
    uploads_max ${type.integer}
  )`,
  // An organization's stored amount is the sum of its rows; writer distinguishes connections that
  // write at once. A single row may be negative: one connection may free what another stored.
  `CREATE TABLE stored_amount (
    organization ${type.text} NOT NULL,
    writer ${type.integer} NOT NULL,
    bytes ${type.integer} NOT NULL,
    experiments ${type.integer} NOT NULL,
    partitions ${type.integer} NOT NULL,
    uploads ${type.integer} NOT NULL,
    PRIMARY KEY (organization, writer)
  )`,
  // Bytes by which the upload counts for its organization, from begin until all is removed; then 0.
  `ALTER TABLE upload ADD COLUMN counted_bytes ${type.integer} NOT NULL DEFAULT 0`,
  `UPDATE upload SET counted_bytes = 2 * (128 + octet_length(meta)) + 256 * files
     + CASE WHEN (SELECT driver FROM location WHERE location.id = upload.location) = 'built-in' THEN bytes ELSE 0 END
   WHERE state <> 'abandoned' OR EXISTS (SELECT 1 FROM removal WHERE removal.upload = upload.id)`,
  `INSERT INTO stored_amount (organization, writer, bytes, experiments, partitions, uploads)
   SELECT organization, 0, sum(bytes), sum(experiments), sum(partitions), sum(uploads) FROM (
     SELECT organization, 1 AS experiments, 0 AS partitions, 0 AS uploads,
       128 + octet_length(slug) + octet_length(description) + octet_length(meta)
         + coalesce(octet_length(error), 0) + coalesce(octet_length(error_meta), 0) AS bytes
     FROM experiment
     UNION ALL
     SELECT experiment.organization, 0, 1, 0, 128 + octet_length(series.name) + octet_length(series.meta)
     FROM series JOIN experiment ON experiment.id = series.experiment
     UNION ALL
     SELECT experiment.organization, 0, 0, 0, 128 + octet_length(annotation.text) + octet_length(annotation.meta)
     FROM annotation JOIN experiment ON experiment.id = annotation.experiment
     UNION ALL
     SELECT experiment.organization, 0, 0, 0, 44 * log.points
     FROM log JOIN experiment ON experiment.id = log.experiment
     UNION ALL
     SELECT experiment.organization, 0, 0, 0, segment.bytes
     FROM segment JOIN experiment ON experiment.id = segment.experiment
     UNION ALL
     SELECT organization, 0, 0, 0, 128 + octet_length(path) FROM artifact
     UNION ALL
     SELECT artifact.organization, 0, 0, 0, 128 + octet_length(note.name) + octet_length(note.content)
     FROM note JOIN artifact ON artifact.id = note.artifact
     UNION ALL
     SELECT organization, 0, 0, CASE WHEN state IN ('starting', 'pending', 'completing') THEN 1 ELSE 0 END,
       counted_bytes
     FROM upload
   ) AS stored GROUP BY organization`,
];
