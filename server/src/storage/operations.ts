import type { Reader, Transaction } from "../database/database.ts";
import { forgetGarbage, replaceSegments, sealLog, trimLog } from "../points/manifest.ts";
import type { Snapshots } from "../points/snapshots.ts";
import { takeLease } from "./lease.ts";

/** What a write gets besides its input. */
export interface OperationContext {
  /** Server time in Unix milliseconds, taken once per group commit. */
  nowMs: number;
}

/** What a read gets besides its input. */
export interface ReadContext extends OperationContext {
  /** Added to every revision counter that leaves the service (M63). */
  revisionJump: number;
  /** The points of experiments, for reads that count them. */
  snapshots: Snapshots;
}

/**
 * Every operation of the domain by its wire-independent name. A function cannot be sent to a thread, its name can:
 * the writer runs `writeOperations`, the reader runs `readOperations`.
 */
export const writeOperations = {
  "points.seal": sealLog,
  "points.replace": replaceSegments,
  "points.trim": trimLog,
  "points.forgetGarbage": forgetGarbage,
  "background.lease": takeLease,
} satisfies Record<string, (transaction: Transaction, input: never, context: OperationContext) => Promise<unknown>>;

export const readOperations = {
} satisfies Record<string, (reader: Reader, input: never, context: ReadContext) => Promise<unknown>>;

export type WriteOperations = typeof writeOperations;
export type ReadOperations = typeof readOperations;
