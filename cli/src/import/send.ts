import { createHash } from "node:crypto";
import {
  type ExperimentRecord,
  hasCode,
  limits,
  type LosslessClient,
  type Recorder,
  type RecordingReport,
  type RejectedPoint,
} from "@lossless/client";
import type { Row } from "../csv/row.ts";
import { importRecordOf, metaWithRecord } from "./import-record.ts";
import { NonfiniteRows } from "./nonfinite-rows.ts";
import { type Scan, timestampMsOf } from "./scan.ts";

export interface SendOptions {
  /** Folder of a new experiment; undefined: none. */
  folderId: string | null | undefined;
  /** Receives the number of newly settled points, and the rows settled so far. */
  onProgress: (more: number, rows: number) => void;
  /** Called when the service does not accept a batch now. */
  onRetry: (error: Error) => void;
  /** Milliseconds to wait for a service that does not answer. */
  patienceMs: number;
}

export interface Sent {
  experimentId: string;
  /** Points new to the service. */
  stored: number;
  /** Points that the service had already. */
  deduplicated: number;
  nonfinite: number;
  rejected: number;
  rejectedRows: { line: number; problem: string }[];
}

/** Every import of a slug gives a row the same messageId, so it is stored once. */
const idPrefix = "csv";

/**
 * Sends one file to its experiment. Running it again, also after a kill, completes the rest. Throws
 * `experiment_changed` when the experiment is not as it was `before`, with nothing stored.
 */
export async function send(
  client: LosslessClient,
  file: Scan,
  before: ExperimentRecord | undefined,
  options: SendOptions,
): Promise<Sent> {
  const isAppended = before !== undefined && isOfAnother(before);
  const earlier = importRecordOf(before?.meta ?? {});
  // A file that was truncated since does not replace the record of the whole one.
  const isShorter = earlier !== undefined && file.record.rows < earlier.rows;
  const record = { ...file.record, ...(isAppended ? { appended: true } : {}) };
  const recorder = await client.record(
    {
      slug: file.slug,
      // Edits made since the first import stay.
      description: before?.description ?? `Imported from ${file.record.file}`,
      meta: isShorter
        ? before!.meta
        : metaWithRecord(before?.meta ?? {}, record, limits.jsonMetaBytesMax),
      ...(options.folderId === undefined ? {} : { folderId: options.folderId }),
      seenUpdatedAtMs: before?.updatedAtMs ?? null,
    },
    {
      idPrefix,
      start: before?.status !== "done" && !isAppended,
      waitingPointsMax: 16_000,
      onRetry: options.onRetry,
      retry: { retryForMs: options.patienceMs },
    },
  );
  const nonfinite = await sendRows(recorder, file, options.onProgress);
  await recorder.flush();
  await nonfinite.annotate(client, recorder);
  // Repeating a complete import leaves doneAtMs unchanged.
  const isNews = recorder.report().stored > 0 || before?.status !== "done";
  const keepStatus = isAppended || !isNews;
  const report = await recorder.finish({ keepStatus, deadlineMs: options.patienceMs });
  return summary(recorder.experimentId, report, nonfinite.count);
}

/** Sends the rows and reports progress: a row counts once acknowledged or rejected. */
async function sendRows(
  recorder: Recorder,
  file: Scan,
  onProgress: SendOptions["onProgress"],
): Promise<NonfiniteRows> {
  const { baseTimestampMs } = file.record;
  const nonfinite = new NonfiniteRows(baseTimestampMs);
  let recorded = 0;
  let told = 0;
  for await (const rows of file.rows()) {
    for (const row of rows) {
      recorded++;
      if (Number.isFinite(row.value)) {
        if (recorder.isFull) await recorder.ready();
        record(recorder, row, baseTimestampMs);
      } else {
        nonfinite.add(row);
      }
      if (recorded % 1_000 === 0) {
        const settled = recorded - recorder.waitingPoints;
        onProgress(settled - told, settled);
        told = settled;
      }
    }
  }
  await recorder.flush();
  onProgress(recorded - told, recorded);
  return nonfinite;
}

/**
 * Whether an experiment was recorded elsewhere and only got rows added: its status is not ours, as
 * it may be running right now.
 */
function isOfAnother({ meta }: ExperimentRecord): boolean {
  const earlier = importRecordOf(meta);
  return earlier === undefined || earlier.appended === true;
}

function record(recorder: Recorder, row: Row, baseTimestampMs: number): void {
  recorder.record(row.metric, row.value, row.step, {
    timestampMs: timestampMsOf(row, baseTimestampMs),
    messageId: messageIdOf(row),
    ...(row.meta === undefined ? {} : { meta: row.meta }),
  });
}

/** Distinguishes cells of a row by their columns, whatever the order of columns. */
function messageIdOf({ row, column }: Row): string {
  if (column === undefined) return `${idPrefix}-${row}`;
  const hash = createHash("sha256").update(column).digest("hex").slice(0, 16);
  return `${idPrefix}-${row}-${hash}`;
}

function summary(experimentId: string, report: RecordingReport, nonfinite: number): Sent {
  const { stored, deduplicated, rejected, rejectedPoints } = report;
  const rejectedRows = rejectedPoints.map((point) => ({
    line: Number(point.messageId.split("-")[1]) + 1,
    problem: rejection(point),
  }));
  return { experimentId, stored, deduplicated, nonfinite, rejected, rejectedRows };
}

function rejection({ error }: RejectedPoint): string {
  if (!hasCode(error, "message_id_conflict")) return error.message;
  return "another row with this number was imported before; the file has changed since";
}
