import type { Reader } from "../../database/database.ts";

/**
 * Returns how many of these runs, from the first on, fit a reply with their params, tags, metas and
 * data sets; one always does.
 */
export async function runsThatFit(
  reader: Reader,
  runIds: readonly string[],
  bytesMax: number,
): Promise<number> {
  if (runIds.length < 2) return runIds.length;
  const those = (column: string) => reader.isOneOf(column, "$1");
  const rows = await reader.all<{ experiment: string; bytes: number }>(
    `SELECT experiment, sum(bytes) AS bytes FROM (
       SELECT run_input.experiment, dataset.bytes FROM run_input
         JOIN dataset ON dataset.id = run_input.dataset WHERE ${those("run_input.experiment")}
       UNION ALL SELECT experiment, octet_length(key) + octet_length(value) FROM run_param
         WHERE ${those("experiment")}
       UNION ALL SELECT experiment, octet_length(key) + octet_length(value) FROM run_tag
         WHERE ${those("experiment")}
       UNION ALL SELECT id, octet_length(meta) + octet_length(description) FROM experiment
         WHERE ${those("id")}) AS part
     GROUP BY experiment`,
    JSON.stringify(runIds),
  );
  const bytes = new Map(rows.map((row) => [row.experiment, Number(row.bytes)]));
  let sum = 0;
  const tooMany = runIds.findIndex((id) => (sum += bytes.get(id) ?? 0) > bytesMax);
  return tooMany < 0 ? runIds.length : Math.max(1, tooMany);
}
