import { errorData } from "@lossless/protocol";
import type { ErrorData } from "@lossless/protocol";
import { PointResult } from "../storage/storage.ts";

/** What a point is answered that was not stored; undefined when it is stored, now or before. */
export function pointFailure(result: number, seriesMax: number): ErrorData | undefined {
  switch (result) {
    case PointResult.stored:
    case PointResult.duplicate:
      return undefined;
    case PointResult.conflict:
      return errorData("message_id_conflict");
    case PointResult.limitExceeded:
      return errorData("limit_exceeded", "The experiment has as many series as it may have.", {
        limit: "seriesPerExperiment",
        maximum: seriesMax,
      });
    default:
      throw new Error(`BUG: no such point result, got ${result}`);
  }
}
