import type { ColumnTypes } from "../column-types.ts";

/**
 * The index that queries scan, for PostgreSQL. With conditions on key columns behind the id, it
 * looked for the next match at every row (a skip scan), at four times the cost of a filter; columns
 * that are only included are used as filters.
 */
export const facts = (type: ColumnTypes): string[] =>
  type.onPostgres([
    `DROP INDEX experiment_facts`,
    `CREATE INDEX experiment_facts ON experiment (organization, id)
     INCLUDE (status, created_at_ms, updated_at_ms, started_at_ms, done_at_ms, error_at_ms, folder, slug)
     WHERE trashed_at_ms IS NULL`,
  ]);
