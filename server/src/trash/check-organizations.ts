import type { Reader } from "../database/database.ts";

/**
 * Finds rows left of purged organizations, one sentence each. Checks every table, so that none can
 * be forgotten. For `lossless verify`.
 */
export async function wrongOrganizations(
  reader: Reader,
): Promise<{ id: string; sentence: string }[]> {
  const purged = await reader.all<{ id: string; name: string }>(
    "SELECT id, name FROM organization WHERE purged_at_ms IS NOT NULL ORDER BY id",
  );
  if (purged.length === 0) return [];
  const names = new Map(purged.map(({ id, name }) => [id, name]));
  const wrong: { id: string; sentence: string }[] = [];
  for (const column of ["organization", "only_organization"]) {
    for (const table of await tablesWith(reader, column)) {
      const left = await reader.all<{ id: string; count: number }>(
        `SELECT ${column} AS id, count(*) AS count FROM ${table}
         WHERE ${reader.isOneOf(column, "$1")} GROUP BY ${column} ORDER BY ${column}`,
        JSON.stringify(purged.map(({ id }) => id)),
      );
      for (const { id, count } of left) {
        const sentence = `${names.get(id)} is a purged organization and has ${count} rows in ${table}`;
        wrong.push({ id, sentence });
      }
    }
  }
  for (const table of await tablesWith(reader, "experiment")) {
    const lost = await reader.all<{ id: string; count: number }>(
      `SELECT ${table}.experiment AS id, count(*) AS count FROM ${table}
       WHERE NOT EXISTS (SELECT 1 FROM experiment WHERE experiment.id = ${table}.experiment)
       GROUP BY ${table}.experiment ORDER BY ${table}.experiment`,
    );
    for (const { id, count } of lost) {
      wrong.push({ id, sentence: `no longer exists and has ${count} rows in ${table}` });
    }
  }
  return wrong;
}

async function tablesWith(reader: Reader, column: string): Promise<string[]> {
  const rows = await reader.all<{ name: string }>(
    reader.dialect === "sqlite"
      ? `SELECT tables.name FROM sqlite_schema AS tables, pragma_table_info(tables.name) AS columns
         WHERE tables.type = 'table' AND columns.name = $1 ORDER BY tables.name`
      : `SELECT table_name AS name FROM information_schema.columns
         WHERE table_schema = current_schema() AND column_name = $1 ORDER BY table_name`,
    column,
  );
  return rows.map(({ name }) => name);
}
