import {
  errorData,
  type ErrorData,
  isErrorCode,
  type RecordColumnsReply,
} from "@lossless/protocol";
import { type Outcome, PointResult } from "../storage/storage.ts";
import { pointFailure } from "./point-failures.ts";

/** Returns the answer to points as columns: counts, and those that are not stored, by reason. */
export function columnReply(
  outcome: Outcome,
  points: number,
  seriesMax: number,
): RecordColumnsReply {
  if (outcome.kind === "value") throw new Error("BUG: points were answered with a value");
  if (outcome.kind === "error") {
    const { code, message, details } = outcome;
    if (!isErrorCode(code)) throw new Error(`BUG: no such error code, got ${code}`);
    const all = Array.from({ length: points }, (_, index) => index);
    const refused = [{ ...errorData(code, message, details), points: all }];
    return { points, stored: 0, deduplicated: 0, refused };
  }
  const { results, room } = outcome;
  if (results.length !== points)
    throw new Error(`BUG: ${points} points got ${results.length} results`);
  const counts = new Uint32Array(Object.keys(PointResult).length);
  for (const result of results) counts[result] += 1;
  const { stored, duplicate } = PointResult;
  const refused = Object.values(PointResult).flatMap((result) => {
    const failure = counts[result] === 0 ? undefined : pointFailure(result, { seriesMax, room });
    return failure === undefined ? [] : [refusedFor(failure, results, result)];
  });
  return { points, stored: counts[stored], deduplicated: counts[duplicate], refused };
}

function refusedFor(failure: ErrorData, results: Uint8Array, result: number) {
  const points: number[] = [];
  for (let index = 0; index < results.length; index++)
    if (results[index] === result) points.push(index);
  return { ...failure, points };
}
