import type { ErrorCode } from "@lossless/protocol";
import { ServiceError } from "../../ground/errors.ts";

/**
 * A refusal that also changed something. An error would undo it: operations run in an attempt.
 * Whoever called the operation turns it into the error that it stands for.
 */
export interface KeptRefusal {
  lost: ErrorCode;
  message: string;
  details: Record<string, unknown>;
}

export function keptRefusal({ code, message, details }: ServiceError): KeptRefusal {
  return { lost: code, message, details };
}

/** Throws what a refusal stands for; gives back everything else. */
export function orThrow<Result>(result: Result | KeptRefusal): Result {
  if (typeof result !== "object" || result === null || !("lost" in result)) return result;
  throw new ServiceError(result.lost, result.message, result.details);
}
