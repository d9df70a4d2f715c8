import type { ColumnTypes } from "../column-types.ts";

/**
 * The index that queries pass over, for PostgreSQL. It took conditions on key columns behind the
 * id for a reason to look for the next match at every row (a skip scan), which cost four times what
 * a filter does; columns that are only included it filters by.
 */
export const facts = (type: ColumnTypes): string[] =>
  type.onPostgres([
    `DROP INDEX experiment_facts`,
    `CREATE INDEX experiment_facts ON experiment (organization, id)
     INCLUDE (status, created_at_ms, updated_at_ms, started_at_ms, done_at_ms, error_at_ms, folder, slug)
     WHERE trashed_at_ms IS NULL`,
  ]);
