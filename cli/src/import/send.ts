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
  /** Where a new experiment is put; undefined: in no folder. */
  folderId: string | null | undefined;
  /** Told how many more rows are settled, and how many these are now. */
  onProgress: (more: number, rows: number) => void;
  /** Told when the service does not take a batch now. */
  onRetry: (error: Error) => void;
  /** Milliseconds to wait for a service that has gone away. */
  patienceMs: number;
}

export interface Sent {
  experimentId: string;
  /** Points that are new in the service. */
  stored: number;
  /** Points that it had already. */
  deduplicated: number;
  nonfinite: number;
  rejected: number;
  rejectedRows: { line: number; problem: string }[];
}

/** Every import of a slug gives a row the same messageId: it is stored once however often sent. */
const idPrefix = "csv";

/** Sends one file to its experiment. Running it again, also after a kill, completes the rest. */
export async function send(
  client: LosslessClient,
  file: Scan,
  before: ExperimentRecord | undefined,
  options: SendOptions,
): Promise<Sent> {
  const isAppended = before !== undefined && isOfAnother(before);
  const earlier = importRecordOf(before?.meta ?? {});
  // A file that was cut off since does not take away what is known of the whole one.
  const isShorter = earlier !== undefined && file.record.rows < earlier.rows;
  const record = { ...file.record, ...(isAppended ? { appended: true } : {}) };
  const recorder = await client.record(
    {
      slug: file.slug,
      // What somebody has written since the first import stays.
      description: before?.description ?? `Imported from ${file.record.file}`,
      meta: isShorter
        ? before!.meta
        : metaWithRecord(before?.meta ?? {}, record, limits.jsonMetaBytesMax),
      ...(options.folderId === undefined ? {} : { folderId: options.folderId }),
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
  // A complete import that runs again leaves doneAtMs where it is.
  const isNews = recorder.report().stored > 0 || before?.status !== "done";
  const keepStatus = isAppended || !isNews;
  const report = await recorder.finish({ keepStatus, deadlineMs: options.patienceMs });
  return summary(recorder.experimentId, report, nonfinite.count);
}

/** Gives rows their turn and keeps the progress: a row counts once acknowledged or rejected. */
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

/** Start and end of a run that only got rows added are its own: it may be running right now. */
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

/** Several cells of a row are told apart by their columns, wherever these stand. */
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
