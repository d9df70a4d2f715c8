import { randomUUID } from "node:crypto";
import { errors, type ErrorCode } from "@lossless/protocol/errors";
import { ObjectMissing, ObjectShort } from "../buckets/bucket.ts";
import { DatabaseError } from "../database/database.ts";
import { ServiceError } from "../ground/errors.ts";
import { CorruptData } from "../points/corrupt-data.ts";

/** Whether stored data is damaged; counted, because an operator must act. */
export function isCorruption(error: unknown): boolean {
  return (
    error instanceof CorruptData ||
    error instanceof ObjectMissing ||
    error instanceof ObjectShort ||
    (error instanceof DatabaseError && (error.kind === "corrupt" || error.kind === "damaged"))
  );
}

export function isLate(error: unknown): boolean {
  return error instanceof DatabaseError && error.kind === "late";
}

/** The error for a slow read; trying again would take as long again. */
export function tookTooLong(): ServiceError {
  const seconds = statementMsOf.patient / 1_000;
  return new ServiceError(
    "bad_request",
    `The database worked on this for more than ${seconds} seconds, and was stopped: others wait. ` +
      "Ask for less: fewer tests of texts, a folder, experiments of some time (created > -30d).",
  );
}

/**
 * Limits for one statement. Nearly all take a tenth of the first; the second is the time for a
 * table of a million experiments, sorted and searched through.
 */
export const statementMsOf = { quick: 250, patient: 10_000 } as const;

/**
 * Gives faults of storage the code that tells the caller how to react; defects stay as they are
 * (500, logged).
 */
export function publicReadError(error: unknown): unknown {
  if (isCorruption(error)) {
    const { message, stack } = error as Error;
    const corrupted = new ServiceError("data_corrupted", errors.data_corrupted.sentence);
    // For the log; the reply has the sentence alone.
    corrupted.stack = `${message}\n${stack ?? ""}`;
    return corrupted;
  }
  if (isLate(error)) return tookTooLong();
  if (error instanceof DatabaseError) {
    return new ServiceError("storage_unavailable", errors.storage_unavailable.sentence);
  }
  return error;
}

/** The record that ends a failed stream. */
export function streamError(correlationId: string, error: unknown): object {
  const code: ErrorCode = error instanceof ServiceError ? error.code : "internal";
  const { status, sentence } = errors[code];
  return {
    messageId: randomUUID(),
    correlationId,
    event: "svc.v2.error",
    data: {
      code,
      message: error instanceof ServiceError ? error.message : sentence,
      status,
      retryable: status === 429 || status >= 500,
      details: {},
    },
  };
}
