import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import {
  type ExperimentRecord,
  type LosslessClient,
  limits,
  type Recorder,
} from "@lossless/client";
import { CommandError } from "../command.ts";
import type { MlflowServer } from "../import/mlflow/mlflow-server.ts";
import { experimentOfSlug } from "../named-experiment.ts";
import { importConsole } from "./import-console.ts";
import { importAttempts } from "./attempts.ts";
import { linesOf, recordPoints } from "./import-points.ts";
import { endRun, importRun } from "./import-run.ts";
import { type AnnotationLine, type ExportedExperiment, names, sumOf } from "./layout.ts";
import { countedText } from "../output.ts";

export interface ImportTarget {
  client: LosslessClient;
  mlflow: MlflowServer;
  patienceMs: number;
}

export interface ImportedExperiment {
  experimentId: string;
  /** An earlier import was complete. */
  isKnown: boolean;
  stored: number;
  annotations: number;
  lines: number;
  problems: string[];
}

/**
 * Origin of an imported experiment, in its meta under `_origin`: the exported experiment, and the
 * times of its events. `revision` is written last: all content of that revision is here.
 */
interface Origin {
  experimentId: string;
  revision?: number;
  [time: string]: unknown;
}

/** Records an exported experiment under its slug. A repetition adds only what is new. */
export async function importExperiment(
  target: ImportTarget,
  exported: ExportedExperiment,
  { directory, folderId }: { directory: string; folderId: string | null },
): Promise<ImportedExperiment> {
  const { client, patienceMs } = target;
  const { record, revision } = exported;
  const before = await existing(client, record);
  const result = { isKnown: false, stored: 0, annotations: 0, lines: 0, problems: [] as string[] };
  const known = before && originOf(before);
  if (before !== undefined && known?.revision === revision)
    return { ...result, experimentId: before.experimentId, isKnown: true };
  await checkFiles(exported, directory);
  const recorder = await client.record(
    {
      slug: record.slug,
      // Edits made here since the first import stay.
      description: before?.description ?? record.description,
      meta: before?.meta ?? metaWithOrigin(record),
      ...(before === undefined && { folderId }),
    },
    {
      start: before === undefined && record.startedAtMs !== null,
      waitingPointsMax: 16_000,
      retry: { retryForMs: patienceMs },
    },
  );
  const { experimentId } = recorder;
  await recordPoints(recorder, join(directory, names.points));
  await importAttempts(recorder, exported.attempts ?? []);
  const place = { directory, runId: experimentId, folderId };
  await importRun(target.mlflow, exported, place);
  result.annotations = await addAnnotations(client, recorder, join(directory, names.annotations));
  result.lines = await importConsole(client, recorder, exported.console, directory);
  const report = await recorder.finish({
    ...endOf(record, before),
    deadlineMs: patienceMs,
  });
  await endRun(target.mlflow, exported, experimentId);
  result.stored = report.stored;
  if (report.rejected > 0)
    result.problems.push(
      `${countedText(report.rejected, "point")}: ${report.rejectedPoints[0].error.message}`,
    );
  if (result.problems.length === 0) await markWhole(client, experimentId, revision);
  return { ...result, experimentId };
}

/** Returns the experiment of this slug, if it was imported from the same one. */
async function existing(
  client: LosslessClient,
  { slug, experimentId, meta }: ExperimentRecord,
): Promise<ExperimentRecord | undefined> {
  const found = await experimentOfSlug(client, slug);
  if (found === undefined) return undefined;
  const first = (meta[originKey] as Origin | undefined)?.experimentId ?? experimentId;
  if (originOf(found)?.experimentId === first) return found;
  throw new CommandError(`another experiment has this slug`);
}

const originKey = "_origin";

function originOf({ meta }: ExperimentRecord): Origin | undefined {
  const origin = meta[originKey];
  return typeof origin === "object" && origin !== null ? (origin as Origin) : undefined;
}

/** A repeated import keeps the origin, except for the revision. */
function metaWithOrigin(record: ExperimentRecord): Record<string, unknown> {
  const { experimentId, createdAtMs, updatedAtMs, startedAtMs, doneAtMs, errorAtMs } = record;
  const times = { createdAtMs, updatedAtMs, startedAtMs, doneAtMs, errorAtMs };
  const { revision: _, ...first } = originOf(record) ?? { experimentId, ...times };
  const meta = { ...record.meta, [originKey]: first };
  if (Buffer.byteLength(JSON.stringify(meta)) + 100 <= limits.jsonMetaBytesMax) return meta;
  return { ...record.meta, [originKey]: { experimentId: first.experimentId } };
}

/** The exported end of the experiment, unless it has the same end here. */
function endOf(record: ExperimentRecord, before: ExperimentRecord | undefined) {
  const { status, error, errorMeta } = record;
  const isSame = before?.status === status && before.error === error;
  if (status === "running" || isSame) return { keepStatus: true };
  return status === "done" ? {} : { error: error ?? "error", errorMeta: errorMeta ?? {} };
}

async function checkFiles({ files }: ExportedExperiment, directory: string): Promise<void> {
  for (const file of files) {
    const found = await sumOf(directory, file.path);
    if (found.sha256 !== file.sha256)
      throw new CommandError(
        `${join(directory, file.path)} differs from the export: its checksum is wrong`,
      );
  }
}

/** Adds annotations that are missing, compared by content. */
async function addAnnotations(
  client: LosslessClient,
  recorder: Recorder,
  file: string,
): Promise<number> {
  const { experimentId } = recorder;
  const there = new Map<string, number>();
  const { annotations, truncated } = await client.annotations({ experimentId });
  if (truncated)
    throw new CommandError(
      "it has more annotations here than can be read, so they might be stored twice",
    );
  for (const { annotation, meta } of annotations) {
    const key = keyOf(annotation, meta);
    there.set(key, (there.get(key) ?? 0) + 1);
  }
  const adding: Promise<unknown>[] = [];
  for await (const { annotation, meta, createdAtMs } of linesOf<AnnotationLine>(file)) {
    const key = keyOf(annotation, meta);
    const count = there.get(key) ?? 0;
    if (count > 0) there.set(key, count - 1);
    else adding.push(recorder.annotate(annotation, { [originKey]: { createdAtMs }, ...meta }));
  }
  await Promise.all(adding);
  return adding.length;
}

function keyOf(annotation: string, meta: Record<string, unknown>): string {
  const { [originKey]: _, ...own } = meta;
  return JSON.stringify([annotation, own]);
}

/** Marks the import as complete, so that a repetition of the same state skips it. */
async function markWhole(
  client: LosslessClient,
  experimentId: string,
  revision: number,
): Promise<void> {
  const record = await client.experiment({ experimentId });
  const before = originOf(record)?.revision;
  if (isDeepStrictEqual(before, revision)) return;
  await client.editExperiment({
    experimentId,
    meta: [
      {
        path: [originKey, "revision"],
        ...(before !== undefined && { before }),
        after: revision,
      },
    ],
  });
}
