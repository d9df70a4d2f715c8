import type { Reader } from "../../database/database.ts";
import { nonfiniteNotes, nonfiniteNumber, readNonfinite } from "../nonfinite.ts";
import { keyOf } from "./key.ts";
import { type RunMetric, storedInteger } from "./metric.ts";

/**
 * Reads a metric's non-finite values that did not come through MLflow, in order of arrival. Values
 * that were only counted are one, at the step of the last.
 */
export async function readNativeNonfinite(
  reader: Reader,
  runId: string,
  key: string,
): Promise<RunMetric[]> {
  const known = await readNonfinite(reader, [runId]);
  if (!known.some(({ name, meta, isNative }) => isNative && keyOf(name, meta) === key)) return [];
  const rows = await reader.all<{ step: string; kind: number }>(
    "SELECT step, kind FROM run_point WHERE experiment = $1 AND key = $2 AND kind <> 0",
    runId,
    key,
  );
  // Each of MLflow's has a note, too.
  const others = new Set(rows.map(({ step, kind }) => `${step} ${kind}`));
  const found: RunMetric[] = [];
  for await (const { name, meta, step, timestamp, kind } of nonfiniteNotes(reader, runId)) {
    if (keyOf(name, meta) !== key || others.has(`${storedInteger(BigInt(step))} ${kind}`)) continue;
    const value = nonfiniteNumber(kind);
    found.push({ key, value, timestamp: BigInt(timestamp), step: BigInt(step) });
  }
  return found;
}
