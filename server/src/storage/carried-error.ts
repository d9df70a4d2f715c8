import type { ErrorCode } from "@lossless/protocol";
import { DatabaseError, type DatabaseFailure } from "../database/database.ts";
import { ServiceError } from "../ground/errors.ts";

/** An error that crosses a thread boundary; `reviveError` makes the right class of it again. */
export interface CarriedError {
  name: string;
  message: string;
  stack: string | undefined;
  code?: string;
  kind?: DatabaseFailure;
  details?: Record<string, unknown>;
}

export function carryError(error: unknown): CarriedError {
  if (!(error instanceof Error)) return { name: "Error", message: String(error), stack: undefined };
  const carried: CarriedError = { name: error.name, message: error.message, stack: error.stack };
  if (error instanceof ServiceError) {
    carried.code = error.code;
    carried.details = error.details;
  }
  if (error instanceof DatabaseError) carried.kind = error.kind;
  return carried;
}

/** Restores an error: ServiceError and DatabaseError with their classes, others with their name. */
export function reviveError(carried: CarriedError): Error {
  let error: Error;
  if (carried.code !== undefined) {
    error = new ServiceError(carried.code as ErrorCode, carried.message, carried.details);
  } else if (carried.kind !== undefined) {
    error = new DatabaseError(carried.kind, carried.message);
  } else {
    error = new Error(carried.message);
    error.name = carried.name;
  }
  if (carried.stack !== undefined) error.stack = carried.stack;
  return error;
}
