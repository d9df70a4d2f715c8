import type { Reader, Transaction } from "../database/database.ts";

/** What an operation gets besides its input. */
export interface OperationContext {
  /** Server time in Unix milliseconds, taken once per operation. */
  nowMs: number;
}

/**
 * Every operation of the domain by its wire-independent name. A function cannot be sent to a thread, its name can:
 * the writer runs `writeOperations`, the reader runs `readOperations`.
 */
export const writeOperations = {
} satisfies Record<string, (transaction: Transaction, input: never, context: OperationContext) => Promise<unknown>>;

export const readOperations = {
} satisfies Record<string, (reader: Reader, input: never, context: OperationContext) => Promise<unknown>>;

export type WriteOperations = typeof writeOperations;
export type ReadOperations = typeof readOperations;
