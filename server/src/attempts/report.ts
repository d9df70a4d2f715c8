import type { ReportAttemptBody } from "@lossless/protocol";
import { limits } from "@lossless/protocol/limits";
import type { Transaction } from "../database/database.ts";
import { rowBytes, textBytes } from "../database/quotas/amounts.ts";
import type { Counting } from "../database/quotas/ledger.ts";
import { experimentDeleted, touchHead } from "../experiments/head.ts";
import { ServiceError } from "../ground/errors.ts";
import { updateLiveness } from "./liveness.ts";
import { type Ending, openState } from "./state.ts";

export interface ReportAttempt {
  organizationId: string;
  experimentId: string;
  body: ReportAttemptBody;
}

/**
 * Stores what is new of a report: that a process has begun, that it lives, or that it has ended. A
 * beat changes two rows and nothing that anybody waits for; everything else changes the
 * experiment's revision, and the reply then names it.
 */
export async function reportAttempt(
  transaction: Transaction,
  { organizationId, experimentId, body }: ReportAttempt,
  { nowMs, ledger }: Counting,
): Promise<{ experimentId?: string }> {
  const times = timesOf(body, nowMs);
  const { id } = body.process;
  let known = await knownProcess(transaction, experimentId, id);
  const isChange = isNews(newsOf(known, body, times, nowMs));
  if (known.endedAtMs !== null && !isChange) return {};
  if (isChange) {
    await touchHead(transaction, experimentId);
    // Under the lock: another node may have taken the same report.
    known = await knownProcess(transaction, experimentId, id);
  }
  const { isNew, isEnd } = newsOf(known, body, times, nowMs);
  if (isNew) await add(transaction, { organizationId, experimentId, body }, times, ledger);
  else await beat(transaction, experimentId, body, times.beatAtMs);
  if (isEnd) {
    const { agoMs: _, ...ending } = body.end!;
    const text = JSON.stringify(ending);
    await transaction.run(
      "UPDATE attempt_process SET ended_at_ms = $3, ending = $4 WHERE experiment = $1 AND id = $2",
      experimentId,
      id,
      // It was seen alive before it ended.
      Math.max(times.endedAtMs, known.beatAtMs ?? 0),
      text,
    );
    await ledger.charge(organizationId, { bytes: textBytes(text) - textBytes(known.ending) });
  }
  if (!isChange) return {};
  await updateLiveness(transaction, experimentId, nowMs);
  return { experimentId };
}

interface News {
  isNew: boolean;
  /** The process was silent, and is not any more. */
  isAgain: boolean;
  isEnd: boolean;
}

function newsOf(known: Known, { end }: ReportAttemptBody, times: Times, nowMs: number): News {
  const { beatAtMs, endedAtMs } = known;
  return {
    isNew: beatAtMs === null,
    isAgain:
      beatAtMs !== null &&
      endedAtMs === null &&
      openState(beatAtMs, nowMs) === "silent" &&
      openState(times.beatAtMs, nowMs) === "running",
    isEnd: end !== undefined && (endedAtMs === null || isBetter(end, known)),
  };
}

function isNews({ isNew, isAgain, isEnd }: News): boolean {
  return isNew || isAgain || isEnd;
}

interface Times {
  beganAtMs: number;
  beatAtMs: number;
  endedAtMs: number;
}

/** Times of the service's clock, in the order in which these things happened. */
function timesOf({ beganAgoMs, beatAgoMs, end }: ReportAttemptBody, nowMs: number): Times {
  const at = (agoMs: number) => Math.max(0, nowMs - agoMs);
  const beganAtMs = at(beganAgoMs);
  const beatAtMs = Math.max(beganAtMs, at(beatAgoMs));
  return { beganAtMs, beatAtMs, endedAtMs: Math.max(beganAtMs, at(end?.agoMs ?? 0)) };
}

interface Known {
  trashed: number;
  beatAtMs: number | null;
  endedAtMs: number | null;
  ending: string | null;
}

/** Whether an end tells more than the one that is known: how it was, and not only that it was. */
function isBetter(end: NonNullable<ReportAttemptBody["end"]>, { ending }: Known): boolean {
  return end.how !== "gone" && ending !== null && (JSON.parse(ending) as Ending).how === "gone";
}

async function knownProcess(
  transaction: Transaction,
  experimentId: string,
  id: string,
): Promise<Known> {
  const known = await transaction.get<Known>(
    `SELECT head.trashed, beat_at_ms AS "beatAtMs", ended_at_ms AS "endedAtMs", ending
     FROM head LEFT JOIN attempt_process ON attempt_process.experiment = head.experiment AND id = $2
     WHERE head.experiment = $1`,
    experimentId,
    id,
  );
  if (known === undefined || known.trashed !== 0) throw experimentDeleted(experimentId);
  return known;
}

async function add(
  transaction: Transaction,
  { organizationId, experimentId, body }: ReportAttempt,
  { beganAtMs, beatAtMs }: Times,
  ledger: Counting["ledger"],
): Promise<void> {
  const { id, ...process } = body.process;
  const about = JSON.stringify(process);
  const { processes } = (await transaction.get<{ processes: number }>(
    "SELECT count(*) AS processes FROM attempt_process WHERE experiment = $1",
    experimentId,
  ))!;
  if (processes >= limits.attemptProcessesMax) {
    const maximum = limits.attemptProcessesMax;
    throw new ServiceError(
      "limit_exceeded",
      `At most ${maximum} processes are told of all attempts of one experiment.`,
      { limit: "attemptProcesses", maximum },
    );
  }
  const added = await transaction.run(
    `INSERT INTO attempt_process (experiment, id, attempt, about, began_at_ms, beat_at_ms, to_step)
     VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (experiment, id) DO NOTHING`,
    experimentId,
    id,
    body.attempt,
    about,
    beganAtMs,
    beatAtMs,
    body.toStep ?? null,
  );
  if (added > 0) {
    const bytes = rowBytes + textBytes(id, body.attempt, about);
    await ledger.charge(organizationId, { bytes });
  }
}

async function beat(
  transaction: Transaction,
  experimentId: string,
  { process, toStep }: ReportAttemptBody,
  beatAtMs: number,
): Promise<void> {
  await transaction.run(
    `UPDATE attempt_process SET
       beat_at_ms = CASE WHEN beat_at_ms < $3 THEN $3 ELSE beat_at_ms END,
       to_step = coalesce(CASE WHEN to_step > $4 THEN to_step ELSE $4 END, to_step)
     WHERE experiment = $1 AND id = $2`,
    experimentId,
    process.id,
    beatAtMs,
    toStep ?? null,
  );
  await transaction.run(
    `UPDATE liveness SET beat_at_ms = $3
     WHERE experiment = $1 AND beat_at_ms < $3 AND state IS NULL AND attempt =
       (SELECT attempt FROM attempt_process WHERE experiment = $1 AND id = $2)`,
    experimentId,
    process.id,
    beatAtMs,
  );
}
