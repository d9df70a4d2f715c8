import type { Reader } from "../../database/database.ts";
import type { PointsReader } from "../summaries/lasts.ts";
import { type History, readHistory } from "./history.ts";

export interface ReadHistories {
  organizationId: string;
  runIds: string[];
  key: string;
  /** The most of all runs together. */
  limit: number;
}

export interface RunHistory extends Pick<History, "value" | "timestamp" | "step"> {
  runId: string;
}

/** `run.histories`: values of a metric, by run, time, step and value. Runs not there have none. */
export async function readHistories(
  reader: Reader,
  { organizationId, runIds, key, limit }: ReadHistories,
  context: PointsReader,
): Promise<RunHistory[]> {
  const found: RunHistory[] = [];
  let left = limit;
  for (const runId of (await presentRuns(reader, organizationId, runIds)).toSorted()) {
    if (left === 0) break;
    const wanted = { organizationId, runId, key, limit: left, after: undefined };
    const { value, timestamp, step } = await readHistory(reader, wanted, context);
    found.push({ runId, value, timestamp, step });
    left -= value.length;
  }
  return found;
}

/** Returns the runs that exist in the organization, in the order given, each once. */
export async function presentRuns(
  reader: Reader,
  organizationId: string,
  runIds: readonly string[],
): Promise<string[]> {
  const rows = await reader.all<{ id: string }>(
    `SELECT id FROM experiment
     WHERE organization = $1 AND trashed_at_ms IS NULL AND ${reader.isOneOf("id", "$2")}`,
    organizationId,
    JSON.stringify(runIds),
  );
  const present = new Set(rows.map(({ id }) => id));
  return [...new Set(runIds)].filter((id) => present.has(id));
}
