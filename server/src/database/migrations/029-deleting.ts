import type { ColumnTypes } from "../column-types.ts";

/** Series of an experiment that were deleted, for themselves, and whole organizations. */
export const deleting = (type: ColumnTypes): string[] => [
  // A partition that is in the trash, or was purged from it. Its number is not assigned again, so
  // that the identifiers of its points stay valid. trash: the entry that restores it; null: its
  // points are purged. fence: the log's last row at the deletion; later ones have no point of it.
  // points: number ever purged. is_out 0: it has a row in series again, and is live.
  `CREATE TABLE dropped_series (
    experiment ${type.text} NOT NULL REFERENCES experiment (id),
    partition ${type.integer} NOT NULL,
    name ${type.text} NOT NULL,
    meta ${type.text} NOT NULL,
    trash ${type.text},
    fence ${type.integer} NOT NULL,
    points ${type.integer} NOT NULL,
    is_out ${type.integer} NOT NULL,
    PRIMARY KEY (experiment, partition)
  )`,
  // Deleted: every credential and event is refused. purged_at_ms: only this row is left, so that
  // the name stays taken. In trash it has the kind organization.
  `ALTER TABLE organization ADD COLUMN trashed_at_ms ${type.integer}`,
  `ALTER TABLE organization ADD COLUMN purged_at_ms ${type.integer}`,
  `CREATE INDEX organization_trashed ON organization (id) WHERE trashed_at_ms IS NOT NULL`,
  // kind series: subject is the experiment's id, a slash and the series' name; name is the slug.
  `ALTER TABLE trash ADD COLUMN series ${type.text}`,
  // Grows with every change of the set of partitions that have summaries: a fold computed before
  // that is discarded.
  `ALTER TABLE summarized ADD COLUMN metrics_version ${type.integer} NOT NULL DEFAULT 0`,
  // 1: the series of this name is in the trash.
  `ALTER TABLE run_metric ADD COLUMN trashed ${type.integer} NOT NULL DEFAULT 0`,
  `ALTER TABLE run_point ADD COLUMN trashed ${type.integer} NOT NULL DEFAULT 0`,
];
