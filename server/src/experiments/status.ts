import type { ExperimentStatus } from "@lossless/protocol";
import type { Transaction } from "../database/database.ts";
import { experimentNotFound } from "./identity.ts";
import { touchHead } from "./head.ts";

export type LifecycleEvent = "start" | "done" | "error";

/** Column with the time of the last such event; the others are unchanged (M40). */
type TimeColumn = "started_at_ms" | "done_at_ms" | "error_at_ms";

export interface Transition {
  status: ExperimentStatus;
  time: TimeColumn;
}

const start: Transition = { status: "running", time: "started_at_ms" };
const done: Transition = { status: "done", time: "done_at_ms" };
const error: Transition = { status: "error", time: "error_at_ms" };

/**
 * Transitions by state. Every state accepts every event, repeats too: runs crash, resume and report
 * late (M39). A repeated `done` moves doneAtMs. No event removes the data of an earlier one (M40).
 */
export const transitions: Record<ExperimentStatus, Record<LifecycleEvent, Transition>> = {
  running: { start, done, error },
  done: { start, done, error },
  error: { start, done, error },
};

export interface StatusChange {
  experimentId: string;
  status: ExperimentStatus;
  statusAtMs: number;
}

/** Moves the experiment's status; its row stays locked: `error` may then write message and meta. */
export async function changeStatus(
  transaction: Transaction,
  experimentId: string,
  event: LifecycleEvent,
  nowMs: number,
): Promise<StatusChange> {
  const row = await transaction.get<{ status: ExperimentStatus }>(
    `SELECT status FROM experiment WHERE id = $1 AND trashed_at_ms IS NULL${transaction.forUpdate}`,
    experimentId,
  );
  if (row === undefined) throw experimentNotFound({ experimentId });
  const { status, time } = transitions[row.status][event];
  await transaction.run(
    `UPDATE experiment SET status = $2, status_at_ms = $3, updated_at_ms = $3, ${time} = $3 WHERE id = $1`,
    experimentId,
    status,
    nowMs,
  );
  await touchHead(transaction, experimentId);
  return { experimentId, status, statusAtMs: nowMs };
}
