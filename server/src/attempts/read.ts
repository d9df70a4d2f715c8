import type { Attempt, ReadAttemptsBody } from "@lossless/protocol";
import { limits } from "@lossless/protocol/limits";
import type { Reader } from "../database/database.ts";
import { requireExperiment } from "../experiments/identity.ts";
import type { Moment } from "../ground/clock.ts";
import { addArray, type ReplyText } from "../ground/reply-text.ts";
import { attemptsOf } from "./attempts.ts";
import { type ProcessRow, processColumns } from "./process-rows.ts";

export interface ReadAttempts {
  organizationId: string;
  body: ReadAttemptsBody;
}

/** `POST /api/attempts/v1/read`. */
export async function readAttempts(
  reader: Reader,
  { organizationId, body }: ReadAttempts,
  text: ReplyText,
  { nowMs }: Moment,
): Promise<void> {
  const { experimentId: asked, limit = limits.attemptsReadMax } = body;
  const experimentId = await requireExperiment(reader, organizationId, { experimentId: asked });
  const rows = await reader.all<ProcessRow>(
    `SELECT ${processColumns} FROM attempt_process WHERE experiment = $1 ORDER BY began_at_ms, id`,
    experimentId,
  );
  const attempts = attemptsOf(rows, nowMs);
  await text.add('{"attempts":');
  const last = attempts.slice(-limit);
  if (last.length === 0) await text.add("[]");
  else await addArray(text, last, (attempt: Attempt) => JSON.stringify(attempt));
  const { attemptSilentMs } = limits;
  await text.add(
    `,"total":${attempts.length},"nowMs":${nowMs},"silentAfterMs":${attemptSilentMs}}`,
  );
}
