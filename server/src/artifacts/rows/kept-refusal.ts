import type { ErrorCode } from "@lossless/protocol";
import { ServiceError } from "../../ground/errors.ts";

/**
 * A refusal that also changed rows. An error would roll the change back, since operations run in an
 * attempt. The caller of the operation turns it into the error that it represents.
 */
export interface KeptRefusal {
  lost: ErrorCode;
  message: string;
  details: Record<string, unknown>;
}

export function keptRefusal({ code, message, details }: ServiceError): KeptRefusal {
  return { lost: code, message, details };
}

/** Throws the error of a refusal; returns any other result. */
export function orThrow<Result>(result: Result | KeptRefusal): Result {
  if (typeof result !== "object" || result === null || !("lost" in result)) return result;
  throw new ServiceError(result.lost, result.message, result.details);
}
