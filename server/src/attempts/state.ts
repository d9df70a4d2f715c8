import type { AttemptState, ReportAttemptBody } from "@lossless/protocol";
import { limits } from "@lossless/protocol/limits";

/** How a process ended, without when. */
export type Ending = Omit<NonNullable<ReportAttemptBody["end"]>, "agoMs">;

/** A process of an attempt, as far as its state depends on it. */
export interface ProcessTimes {
  beganAtMs: number;
  beatAtMs: number;
  endedAtMs: number | null;
  ending: Ending | null;
}

/** How an attempt is at a moment. */
export interface Standing {
  state: AttemptState;
  sinceMs: number;
  exitCode?: number;
  signal?: number;
  error?: string;
}

/** Worst first: the end that says most of why an attempt did not go on. */
const worst = ["killed", "exited", "gone", "finished"] as const;

export function openState(beatAtMs: number, nowMs: number): "running" | "silent" {
  return nowMs - beatAtMs < limits.attemptSilentMs ? "running" : "silent";
}

export function processState({ beatAtMs, ending }: ProcessTimes, nowMs: number): AttemptState {
  return ending?.how ?? openState(beatAtMs, nowMs);
}

/**
 * Returns how an attempt of these processes is. It runs while one of them does. When all have
 * ended, it is as the one with the worst end; of equal ones the first that ended, which others
 * follow.
 */
export function standingOf(processes: readonly ProcessTimes[], nowMs: number): Standing {
  if (processes.some(({ ending }) => ending === null)) {
    const heardAtMs = beatAtMs(processes);
    const state = openState(heardAtMs, nowMs);
    return { state, sinceMs: state === "silent" ? heardAtMs : beganAtMs(processes) };
  }
  const [decisive] = processes.toSorted(
    (one, other) =>
      worst.indexOf(one.ending!.how) - worst.indexOf(other.ending!.how) ||
      one.endedAtMs! - other.endedAtMs!,
  );
  const { how, exitCode, signal, error } = decisive.ending!;
  return {
    state: how,
    sinceMs: Math.max(...processes.map(({ endedAtMs }) => endedAtMs!)),
    ...(exitCode !== undefined && { exitCode }),
    ...(signal !== undefined && { signal }),
    ...(error !== undefined && { error }),
  };
}

export function beganAtMs(processes: readonly ProcessTimes[]): number {
  return Math.min(...processes.map((one) => one.beganAtMs));
}

/** When a process was seen alive last, of those that have not ended where there are any. */
export function beatAtMs(processes: readonly ProcessTimes[]): number {
  const open = processes.filter(({ ending }) => ending === null);
  return Math.max(...(open.length > 0 ? open : processes).map((one) => one.beatAtMs));
}
