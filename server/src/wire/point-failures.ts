import { errorData, type ErrorData } from "@lossless/protocol";
import { logPointBytes } from "../database/quotas/amounts.ts";
import { refusal, type Room } from "../database/quotas/refusal.ts";
import { PointResult } from "../storage/storage.ts";

/** The limits quoted in the reply for a point that exceeds one. */
export interface PointLimits {
  /** Series that one experiment may have. */
  seriesMax: number;
  /** Usage of the organization's quota; undefined without one. */
  room?: Room | undefined;
}

/**
 * Returns the error for a point that was not stored; undefined when it is stored, now or before.
 */
export function pointFailure(
  result: number,
  { seriesMax, room }: PointLimits,
): ErrorData | undefined {
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
    case PointResult.partitionsExceeded:
      return overQuota("partitions", room, 1);
    case PointResult.bytesExceeded:
      return overQuota("bytes", room, logPointBytes);
    case PointResult.seriesDeleted:
      return errorData("series_deleted");
    default:
      throw new Error(`BUG: no such point result, got ${result}`);
  }
}

function overQuota(kind: keyof Room, room: Room | undefined, wanted: number): ErrorData {
  if (room === undefined) return errorData("limit_exceeded");
  const { message, details } = refusal(kind, room[kind], wanted);
  return errorData("limit_exceeded", message, details);
}
