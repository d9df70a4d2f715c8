import type { ColumnTypes } from "../column-types.ts";

/** Most experiments are done: queries for these exclude the few that are not. */
export const notDone = (type: ColumnTypes): string[] =>
  type.onPostgres([
    `CREATE INDEX experiment_not_done ON experiment (organization, id) INCLUDE (status)
     WHERE trashed_at_ms IS NULL AND status <> 'done'`,
  ]);
