import type { Attempt, AttemptLaunch, AttemptProcess } from "@lossless/protocol";
import { type About, type ProcessRow, timesOf } from "./process-rows.ts";
import { beatAtMs, beganAtMs, processState, standingOf } from "./state.ts";

/** SIGTERM, by which schedulers end what they preempt. */
const sigterm = 15;

/** Returns the attempts of an experiment, of whose processes these are the rows. */
export function attemptsOf(rows: readonly ProcessRow[], nowMs: number): Attempt[] {
  const attempts = [...Map.groupBy(rows, ({ attempt }) => attempt)]
    .map(([id, processes]) => ({ id, processes, beganAtMs: beganAtMs(processes.map(timesOf)) }))
    .toSorted((one, other) => one.beganAtMs - other.beganAtMs || (one.id < other.id ? -1 : 1))
    .map(({ id, processes }, at) => attemptOf(id, at + 1, processes, nowMs));
  for (const [at, attempt] of attempts.entries()) {
    const next = attempts[at + 1];
    if (next !== undefined) goOn(attempt, next);
  }
  return attempts;
}

function attemptOf(id: string, number: number, rows: ProcessRow[], nowMs: number): Attempt {
  const times = rows.map(timesOf);
  const processes = rows
    .map((row) => processOf(row, nowMs))
    .toSorted((one, other) => (one.rank ?? 0) - (other.rank ?? 0));
  const firstSteps = processes.flatMap(({ fromStep }) => fromStep ?? []);
  const lastSteps = processes.flatMap(({ toStep }) => toStep ?? []);
  const hasEnded = times.every(({ ending }) => ending !== null);
  return {
    attempt: number,
    id,
    ...standingOf(times, nowMs),
    beganAtMs: beganAtMs(times),
    beatAtMs: beatAtMs(times),
    ...(hasEnded && { endedAtMs: Math.max(...times.map(({ endedAtMs }) => endedAtMs!)) }),
    ...(firstSteps.length > 0 && { fromStep: Math.min(...firstSteps) }),
    ...(lastSteps.length > 0 && { toStep: Math.max(...lastSteps) }),
    processes,
  };
}

function processOf(row: ProcessRow, nowMs: number): AttemptProcess {
  const times = timesOf(row);
  return {
    id: row.id,
    ...(JSON.parse(row.about) as About),
    ...(row.toStep !== null && { toStep: row.toStep }),
    state: processState(times, nowMs),
    beganAtMs: row.beganAtMs,
    beatAtMs: row.beatAtMs,
    ...(times.ending !== null && { end: { atMs: row.endedAtMs!, ...times.ending } }),
  };
}

/** Notes that another attempt went on, and whether the launcher preempted this one for it. */
function goOn(attempt: Attempt, next: Attempt): void {
  const by = relauncher(attempt, next);
  attempt.next = { attempt: next.attempt, ...(by !== undefined && { by }) };
  if (by !== undefined && attempt.state === "killed" && attempt.signal === sigterm)
    attempt.state = "preempted";
}

/** Returns the launcher that started the same launch again, by its own counter. */
function relauncher(attempt: Attempt, next: Attempt): string | undefined {
  const later = launchesOf(next);
  return launchesOf(attempt).find((launch) =>
    later.some(
      ({ by, id, restart }) => by === launch.by && id === launch.id && restart > launch.restart,
    ),
  )?.by;
}

function launchesOf({ processes }: Attempt): AttemptLaunch[] {
  return processes[0]?.launches ?? [];
}
