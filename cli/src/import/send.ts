import {
  type ExperimentRecord,
  hasCode,
  type LosslessClient,
  type Recorder,
  type RecordingReport,
  type RejectedPoint,
} from "@lossless/client";
import { CommandError } from "../command.ts";
import type { Row } from "../csv/row.ts";
import { importRecordOf } from "./import-record.ts";
import { NonfiniteRows } from "./nonfinite-rows.ts";
import { type Scan, timestampMsOf } from "./scan.ts";

export interface SendOptions {
  /** undefined: the experiment stays where it is. */
  folderId: string | null | undefined;
  /** Allows an experiment that no import has made. */
  append: boolean;
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
  options: SendOptions,
): Promise<Sent> {
  const before = await existing(client, file, options.append);
  const isAppended = before !== undefined && isOfAnother(before);
  const recorder = await client.record(
    {
      slug: file.slug,
      // What somebody has written since the first import stays.
      description: before?.description ?? `Imported from ${file.record.file}`,
      meta: {
        ...before?.meta,
        import: { ...file.record, ...(isAppended ? { appended: true } : {}) },
      },
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
    messageId: `${idPrefix}-${row.row}`,
    ...(row.meta === undefined ? {} : { meta: row.meta }),
  });
}

/** The experiment of this slug, if there is one that may be added to. */
async function existing(
  client: LosslessClient,
  { slug, record }: Scan,
  append: boolean,
): Promise<ExperimentRecord | undefined> {
  let found: ExperimentRecord;
  try {
    found = await client.experiment({ experimentSlug: slug });
  } catch (error) {
    if (hasCode(error, "experiment_not_found")) return undefined;
    throw error;
  }
  const earlier = importRecordOf(found.meta);
  if (earlier === undefined && !append) {
    throw new CommandError(
      `the experiment ${slug} exists and was not imported; choose another with --slug-prefix, or add to it with --append`,
    );
  }
  if (earlier !== undefined && earlier.baseTimestampMs !== record.baseTimestampMs) {
    throw new CommandError(
      `${slug} was imported with another base; repeat it with --base-timestamp ${earlier.baseTimestampMs}`,
    );
  }
  return found;
}

function summary(experimentId: string, report: RecordingReport, nonfinite: number): Sent {
  const { stored, deduplicated, rejected, rejectedPoints } = report;
  const rejectedRows = rejectedPoints.map((point) => ({
    line: Number(point.messageId.slice(idPrefix.length + 1)) + 1,
    problem: rejection(point),
  }));
  return { experimentId, stored, deduplicated, nonfinite, rejected, rejectedRows };
}

function rejection({ error }: RejectedPoint): string {
  if (!hasCode(error, "message_id_conflict")) return error.message;
  return "another row with this number was imported before; the file has changed since";
}
