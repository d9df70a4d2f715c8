import manifest from "../../package.json" with { type: "json" };
import type { Reader, Transaction } from "./database.ts";
import { migrations } from "./migrations.ts";

/** A process of the service at a database on PostgreSQL, as the others see it. */
export interface Node {
  id: string;
  version: string;
  /** The newest format that its program knows. */
  format: number;
  /** Workers that it was started with. */
  workers?: number;
}

/** A node that has written nothing for this long has ended. Nodes write six times as often. */
export const seenLatelyMs = 60_000;

export function nodeNamed(id: string, workers: number): Node {
  return { id, version: manifest.version, format: migrations.length, workers };
}

/** Says that a node is at work. Times are the database's: clocks of nodes may differ. */
export async function seeNode(
  transaction: Transaction,
  { id, version, format, workers = 0 }: Node,
): Promise<void> {
  await transaction.run(
    `INSERT INTO node (id, version, format, workers, seen_at_ms)
     VALUES ($1, $2, $3, $4, ${transaction.nowMs})
     ON CONFLICT (id) DO UPDATE SET seen_at_ms = excluded.seen_at_ms`,
    id,
    version,
    format,
    workers,
  );
  await transaction.run(
    `DELETE FROM node WHERE seen_at_ms < ${transaction.nowMs} - ${60 * seenLatelyMs}`,
  );
}

export async function forgetNode(transaction: Transaction, id: string): Promise<void> {
  await transaction.run("DELETE FROM node WHERE id = $1", id);
}

/** Nodes at work whose programs do not know `format`. */
export function nodesBelow(reader: Reader, format: number): Promise<{ version: string }[]> {
  return reader.all<{ version: string }>(
    `SELECT version FROM node
     WHERE format < $1 AND seen_at_ms > ${reader.nowMs} - ${seenLatelyMs} ORDER BY format`,
    format,
  );
}

/** The number of workers that all nodes at work know. */
export async function leastWorkers(reader: Reader): Promise<number> {
  const row = await reader.get<{ workers: number | null }>(
    `SELECT min(workers) AS workers FROM node
     WHERE seen_at_ms > ${reader.nowMs} - ${seenLatelyMs}`,
  );
  return row?.workers ?? 0;
}

/**
 * Whether a node of a program from before there were rows of nodes is at work on PostgreSQL. One of
 * them has the lease of background work, for 15 seconds at a time, and keeps it as long as it runs.
 */
export async function isNodeBeforeRows(reader: Reader): Promise<boolean> {
  const row = await reader.get<{ value: string; now_ms: number }>(
    `SELECT value, ${reader.nowMs} AS now_ms FROM installation WHERE name = 'background_lease'`,
  );
  if (row === undefined) return false;
  const untilMs = Number(row.value.split(" ")[1]);
  return untilMs > row.now_ms && untilMs <= row.now_ms + seenLatelyMs;
}
