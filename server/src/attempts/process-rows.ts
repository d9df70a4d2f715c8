import type { ReportAttemptBody } from "@lossless/protocol";
import type { Ending, ProcessTimes } from "./state.ts";

/** Columns of a row of `attempt_process`. */
export const processColumns = `id, attempt, about, began_at_ms AS "beganAtMs", beat_at_ms AS "beatAtMs",
  to_step AS "toStep", ended_at_ms AS "endedAtMs", ending`;

export interface ProcessRow {
  id: string;
  attempt: string;
  about: string;
  beganAtMs: number;
  beatAtMs: number;
  toStep: number | null;
  endedAtMs: number | null;
  ending: string | null;
}

/** Facts that a process told when it began. */
export type About = Omit<ReportAttemptBody["process"], "id">;

export function timesOf({ beganAtMs, beatAtMs, endedAtMs, ending }: ProcessRow): ProcessTimes {
  const parsed = ending === null ? null : (JSON.parse(ending) as Ending);
  return { beganAtMs, beatAtMs, endedAtMs, ending: parsed };
}
