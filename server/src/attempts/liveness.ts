import type { AttemptState, Liveness } from "@lossless/protocol";
import { limits } from "@lossless/protocol/limits";
import type { Transaction } from "../database/database.ts";
import { type ProcessRow, processColumns, timesOf } from "./process-rows.ts";
import { beatAtMs, beganAtMs, openState, standingOf } from "./state.ts";

/** Columns of `liveness live`, by which a row of another table says how its newest attempt is. */
export const livenessColumns = {
  attempts: "live.attempts",
  state: "live.state",
  sinceMs: "live.since_ms",
  beatAtMs: "live.beat_at_ms",
  exitCode: "live.exit_code",
  signal: "live.signal",
};
export const livenessJoin = (id: string) => `LEFT JOIN liveness live ON live.experiment = ${id}`;

/** The state as SQL; `?` stands for the present time. Null: no attempt is known. */
export const stateSql = `(CASE WHEN live.state IS NOT NULL THEN live.state
  WHEN live.beat_at_ms > ? - ${limits.attemptSilentMs} THEN 'running'
  WHEN live.experiment IS NOT NULL THEN 'silent' END)`;

export type LivenessRow = {
  [Name in keyof typeof livenessColumns]: (Name extends "state" ? string : number) | null;
};

/** Returns a row with how its newest attempt is, if any, in place of the columns. */
export function withLiveness<Row extends LivenessRow>(
  { attempts, state, sinceMs, beatAtMs, exitCode, signal, ...row }: Row,
  nowMs: number,
): Omit<Row, keyof LivenessRow> & { liveness?: Liveness } {
  if (attempts === null) return row;
  const present = (state as AttemptState | null) ?? openState(beatAtMs!, nowMs);
  const liveness: Liveness = {
    attempts,
    state: present,
    sinceMs: present === "silent" ? beatAtMs! : sinceMs!,
    ...(exitCode !== null && { exitCode }),
    ...(signal !== null && { signal }),
    beatAtMs: beatAtMs!,
  };
  return { ...row, liveness };
}

/** Brings an experiment's liveness to its rows. The head must be locked. */
export async function updateLiveness(
  transaction: Transaction,
  experimentId: string,
  nowMs: number,
): Promise<void> {
  const newest = await transaction.get<{ attempt: string }>(
    `SELECT attempt FROM attempt_process WHERE experiment = $1
     GROUP BY attempt ORDER BY min(began_at_ms) DESC, attempt DESC LIMIT 1`,
    experimentId,
  );
  const { attempts } = (await transaction.get<{ attempts: number }>(
    "SELECT count(DISTINCT attempt) AS attempts FROM attempt_process WHERE experiment = $1",
    experimentId,
  ))!;
  const rows = await transaction.all<ProcessRow>(
    `SELECT ${processColumns} FROM attempt_process WHERE experiment = $1 AND attempt = $2`,
    experimentId,
    newest!.attempt,
  );
  const processes = rows.map(timesOf);
  const { state, sinceMs, exitCode, signal } = standingOf(processes, nowMs);
  const isOpen = processes.some(({ ending }) => ending === null);
  await transaction.run(
    `INSERT INTO liveness (experiment, attempts, attempt, beat_at_ms, since_ms, state, exit_code, signal)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
     ON CONFLICT (experiment) DO UPDATE SET attempts = excluded.attempts, attempt = excluded.attempt,
       beat_at_ms = excluded.beat_at_ms, since_ms = excluded.since_ms, state = excluded.state,
       exit_code = excluded.exit_code, signal = excluded.signal`,
    experimentId,
    attempts,
    newest!.attempt,
    beatAtMs(processes),
    isOpen ? beganAtMs(processes) : sinceMs,
    isOpen ? null : state,
    exitCode ?? null,
    signal ?? null,
  );
}
