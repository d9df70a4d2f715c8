import type { Transaction, Value } from "../../database/database.ts";
import { addAnnotation } from "../annotate.ts";
import { touchHead } from "../head.ts";
import { addNonfinite, nonfiniteOf } from "../nonfinite.ts";
import { ServiceError } from "../../ground/errors.ts";
import {
  counterFlag,
  type PointBatch,
  pointColumns,
  PointResult,
  splitPartitionKey,
} from "../../points/point-batch.ts";
import { rowBytes, textBytes } from "../../database/quotas/amounts.ts";
import type { Counting } from "../../database/quotas/ledger.ts";
import { addParams, noteAttributes, writeTags } from "./attributes.ts";
import type { Tag } from "./change-folder.ts";
import {
  integerOf,
  isLater,
  type RunMetric,
  storedInteger,
  storedValue,
  valueOf,
} from "./metric.ts";
import { addModelMetrics, type ModelMetric } from "./models/metrics.ts";
import type { Recording } from "./recording.ts";
import { requireActiveRun } from "./run-row.ts";

export interface LogRun {
  organizationId: string;
  runId: string;
  /** Latest value of each key among all metrics of the call; regular ones are its points. */
  latest: RunMetric[];
  /** Values that no point can represent. */
  irregular: RunMetric[];
  /** Params with distinct keys. */
  params: Tag[];
  tags: Tag[];
  /** Metrics with a model. */
  modelMetrics: ModelMetric[];
  /** Set where the points are on a worker, and were appended there before. */
  recorded?: RecordedPoints;
}

/** Points of the call that were appended. */
export interface RecordedPoints {
  /** How many of them are new. */
  stored: number;
  /** Points whose identifier another writer has used for another one. */
  taken: RunMetric[];
}

/** `run.log`: all of a batch, or nothing. The points come last: see `Recording`. */
export async function logRun(
  transaction: Transaction,
  { organizationId, runId, latest, irregular, params, tags, modelMetrics, recorded }: LogRun,
  context: Counting & Recording,
): Promise<{ experimentId: string }> {
  const run = await requireActiveRun(transaction, organizationId, runId);
  await requireNoneDeleted(transaction, runId, latest);
  const whose = { organizationId, runId };
  const hasParams = await addParams(
    transaction,
    { ...whose, meta: run.meta },
    params,
    context.ledger,
  );
  const hasTags = await writeTags(transaction, whose, tags, context.ledger);
  if (hasParams || hasTags) await noteAttributes(transaction, run.id);
  await addModelMetrics(transaction, whose, modelMetrics, context.ledger);
  await writeLatest(transaction, runId, latest);
  await addIrregular(transaction, whose, irregular, context);
  const { recording } = context;
  const { stored, taken } =
    recording === undefined
      ? (recorded ?? { stored: 0, taken: [] })
      : recordedPoints(await recording.append(), recording.points);
  if (stored > 0) {
    await transaction.run(
      "UPDATE run SET points = points + $2 WHERE experiment = $1",
      runId,
      stored,
    );
  }
  // Their values are stored all the same.
  await addIrregular(transaction, whose, taken, context);
  return { experimentId: runId };
}

/** `run.tryLog`: throws what `run.log` would throw, and changes nothing. */
export async function tryLogRun(
  transaction: Transaction,
  input: LogRun,
  context: Counting & Recording,
): Promise<void> {
  const undone = new Error("undone");
  const log = async () => {
    await logRun(transaction, input, context);
    throw undone;
  };
  await context.ledger.attempt(log).catch((error: unknown) => {
    if (error !== undone) throw error;
  });
}

/** Says what became of points by a PointResult each. */
export function recordedPoints(results: Uint8Array, points: PointBatch): RecordedPoints {
  const stored = results.reduce((sum, one) => sum + (one === PointResult.stored ? 1 : 0), 0);
  const taken = results.includes(PointResult.conflict)
    ? metricsOf(points).filter((_, at) => results[at] === PointResult.conflict)
    : [];
  return { stored, taken };
}

function metricsOf({ columns, count, partitions }: PointBatch): RunMetric[] {
  const { partition, value, timestamp, step } = pointColumns(columns, count);
  return Array.from(partition, (tagged, at) => {
    const { name: key } = splitPartitionKey(partitions[tagged % counterFlag]);
    return { key, value: value[at], timestamp: BigInt(timestamp[at]), step: BigInt(step[at]) };
  });
}

/**
 * Refuses metrics in the trash, also for values that are no points and are not checked elsewhere.
 */
async function requireNoneDeleted(
  transaction: Transaction,
  runId: string,
  latest: readonly RunMetric[],
): Promise<void> {
  if (latest.length === 0) return;
  const deleted = await transaction.get<{ name: string }>(
    `SELECT name FROM dropped_series
     WHERE experiment = $1 AND trash IS NOT NULL AND ${transaction.isOneOf("name", "$2")} LIMIT 1`,
    runId,
    JSON.stringify(latest.map(({ key }) => key)),
  );
  if (deleted === undefined) return;
  const sentence = `The metric ${deleted.name} of the run was deleted; nothing was stored.`;
  throw new ServiceError("series_deleted", sentence);
}

/** Keeps the latest of each metric, within the experiment's lock, which a call's points take. */
async function writeLatest(
  transaction: Transaction,
  runId: string,
  latest: readonly RunMetric[],
): Promise<void> {
  if (latest.length === 0) return;
  const rows = await transaction.all<StoredMetric>(
    `SELECT key, kind, value, timestamp, step
     FROM run_metric WHERE experiment = $1 AND ${transaction.isOneOf("key", "$2")}`,
    runId,
    JSON.stringify(latest.map(({ key }) => key)),
  );
  const stored = new Map(rows.map((row) => [row.key, metricOf(row)]));
  const changed = latest.filter((metric) => {
    const before = stored.get(metric.key);
    return before === undefined || isLater(metric, before);
  });
  for (const metric of changed) {
    const { kind, value } = storedValue(metric.value);
    await transaction.run(
      `INSERT INTO run_metric (experiment, key, kind, value, timestamp, step)
       VALUES ($1, $2, $3, $4, $5, $6)
       ON CONFLICT (experiment, key) DO UPDATE SET kind = excluded.kind, value = excluded.value,
         timestamp = excluded.timestamp, step = excluded.step`,
      runId,
      metric.key,
      kind,
      value,
      storedInteger(metric.timestamp),
      storedInteger(metric.step),
    );
  }
}

export interface StoredMetric {
  key: string;
  kind: number;
  value: number;
  /** Timestamp as `storedInteger` writes it. */
  timestamp: string;
  step: string;
}

export function metricOf({ key, kind, value, timestamp, step }: StoredMetric): RunMetric {
  return {
    key,
    value: valueOf(kind, value),
    timestamp: integerOf(timestamp),
    step: integerOf(step),
  };
}

/** Annotations for values that no chart can show; beyond them the rows are all there is. */
const notesPerRunMax = 10_000;

async function addIrregular(
  transaction: Transaction,
  { organizationId, runId }: { organizationId: string; runId: string },
  metrics: readonly RunMetric[],
  context: Counting,
): Promise<void> {
  if (metrics.length === 0) return;
  let room = notesPerRunMax;
  if (metrics.some(({ value }) => !Number.isFinite(value)))
    room -= await countNotes(transaction, runId);
  for (const metric of metrics) {
    const { kind, value } = storedValue(metric.value);
    const values: Value[] = [
      runId,
      metric.key,
      storedInteger(metric.timestamp),
      storedInteger(metric.step),
      kind,
      value,
    ];
    const added = await transaction.run(
      `INSERT INTO run_point (experiment, key, timestamp, step, kind, value)
       VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING`,
      ...values,
    );
    if (added === 0) continue;
    await context.ledger.charge(organizationId, { bytes: rowBytes + textBytes(metric.key) });
    if (kind === 0) await touchHead(transaction, runId);
    else if (room-- > 0) await note(transaction, { organizationId, runId }, metric, context);
    else {
      await touchHead(transaction, runId);
      const told = nonfiniteOf(noteOf(metric).metaText, context.nowMs);
      if (told !== undefined)
        await addNonfinite(transaction, runId, [{ ...told, isNative: false }]);
    }
  }
}

async function countNotes(transaction: Transaction, runId: string): Promise<number> {
  const row = await transaction.get<{ notes: number }>(
    `SELECT count(*) AS notes FROM (
       SELECT 1 FROM run_point WHERE experiment = $1 AND kind <> 0 LIMIT ${notesPerRunMax}) AS noted`,
    runId,
  );
  return row!.notes;
}

async function note(
  transaction: Transaction,
  { organizationId, runId }: { organizationId: string; runId: string },
  metric: RunMetric,
  context: Counting,
): Promise<void> {
  const whose = { organizationId, experimentId: runId };
  const added = { ...whose, ...noteOf(metric), messageId: null, isOfMlflow: true };
  await addAnnotation(transaction, added, context);
}

/** Returns a note as our own clients write it for values that are no points. */
function noteOf({ key, step, value, timestamp }: RunMetric) {
  const name = JSON.stringify(key);
  const time = timestamp < 0n ? "" : `,"timestampMs":${timestamp}`;
  return {
    annotation: `${key} is ${value} at step ${step}`,
    metaText: `{"kind":"nonfinite","metricName":${name},"step":${step},"value":"${value}"${time}}`,
  };
}
