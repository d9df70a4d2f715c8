import type { Reader, Transaction } from "../../database/database.ts";
import { addAnnotatedUse } from "./links.ts";
import { usedVersionOf } from "./used-version.ts";

/**
 * Rows of `installation` with the last annotation, and the last version, that was looked through
 * for the lineage from before migration 046. Each is removed when all are.
 */
const cursors = { uses: "unindexed_uses", versions: "unindexed_versions" } as const;

/** Whether lineage from before migration 046 may be missing. */
export async function isLineageBehind(reader: Reader): Promise<boolean> {
  const row = await reader.get(
    "SELECT name FROM installation WHERE name IN ($1, $2) LIMIT 1",
    cursors.uses,
    cursors.versions,
  );
  return row !== undefined;
}

/** Uses that one transaction adds: each takes some statements. */
const usesPerStep = 50;
/** Sorts after every experiment. */
const aboveAll = "~";

/** Some annotations that were looked through, and those that tell of a use. */
export interface UsesBefore {
  /** The cursor with which they were read. */
  from: string;
  /** The next cursor; undefined: these were the last ones. */
  to: string | undefined;
  looked: number;
  uses: { experimentId: string; number: number }[];
}

/**
 * Looks through some annotations, those of the newest experiment first; later ones are indexed as
 * they are written. Undefined: all were looked through.
 */
export async function readUsesBefore(
  reader: Reader,
  annotations: number,
): Promise<UsesBefore | undefined> {
  const cursor = await reader.get<{ value: string }>(
    "SELECT value FROM installation WHERE name = $1",
    cursors.uses,
  );
  if (cursor === undefined) return undefined;
  const [experiment, number = "0"] = (cursor.value || aboveAll).split("\n");
  // Most metas stay in the database, and most of the others tell of no use.
  const rows = await reader.all<{ experiment: string; number: number; meta: string }>(
    `SELECT experiment, number, CASE WHEN meta LIKE '%artifact-used%' OR meta LIKE '%!\\u%' ESCAPE '!'
       THEN meta ELSE '' END AS meta
     FROM annotation WHERE (experiment, number) < ($1, CAST($2 AS BIGINT))
     ORDER BY experiment DESC, number DESC LIMIT $3`,
    experiment,
    Number(number),
    annotations,
  );
  const uses: UsesBefore["uses"] = [];
  for (const [at, row] of rows.entries()) {
    if (usedVersionOf(row.meta) === undefined) continue;
    uses.push({ experimentId: row.experiment, number: row.number });
    if (uses.length < usesPerStep) continue;
    return { from: cursor.value, to: cursorOf(row), looked: at + 1, uses };
  }
  const to = rows.length < annotations ? undefined : cursorOf(rows.at(-1)!);
  return { from: cursor.value, to, looked: rows.length, uses };
}

function cursorOf({ experiment, number }: { experiment: string; number: number }): string {
  return `${experiment}\n${number}`;
}

/**
 * `experiment.addUsesBefore`: adds those uses that are still told, and moves the cursor. Another
 * node may have done it already.
 */
export async function addUsesBefore(
  transaction: Transaction,
  { from, to, uses }: UsesBefore,
): Promise<void> {
  const cursor = await transaction.get<{ value: string }>(
    `SELECT value FROM installation WHERE name = $1${transaction.forUpdate}`,
    cursors.uses,
  );
  if (cursor?.value !== from) return;
  // In the order in which other writes lock heads.
  const numbers = Map.groupBy(uses.toReversed(), ({ experimentId }) => experimentId);
  for (const [experimentId, some] of numbers) {
    // A purge waits for the lock, or has removed the head and then the annotations.
    const head = await transaction.get(
      `SELECT log_seq FROM head WHERE experiment = $1${transaction.forUpdate}`,
      experimentId,
    );
    if (head === undefined) continue;
    const annotations = await transaction.all<{ meta: string; atMs: number }>(
      `SELECT meta, created_at_ms AS "atMs" FROM annotation
       WHERE experiment = $1 AND ${transaction.isOneOfIntegers("number", "$2")} ORDER BY number`,
      experimentId,
      JSON.stringify(some.map(({ number }) => number)),
    );
    for (const { meta, atMs } of annotations)
      await addAnnotatedUse(transaction, { experimentId, atMs }, meta);
  }
  if (to === undefined)
    await transaction.run("DELETE FROM installation WHERE name = $1", cursors.uses);
  else
    await transaction.run("UPDATE installation SET value = $2 WHERE name = $1", cursors.uses, to);
}
