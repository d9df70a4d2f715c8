import { canonicalJson } from "@lossless/protocol/canonical-json";
import { limits } from "@lossless/protocol/limits";
import type { Reader, Transaction } from "../database/database.ts";
import { annotationsOf } from "./annotation-walk.ts";

/**
 * Summary of a partition's non-finite values. No point can be one: our clients write annotations of
 * the kind `nonfinite` instead, as imports and the MLflow interface do.
 */
export interface Nonfinite {
  name: string;
  /** As in `series.meta`. */
  meta: string;
  notes: number;
  /** Step of the last value. */
  step: number;
  timestamp: number;
  kind: NonfiniteKind;
  /** Whether a value did not come through MLflow. */
  isNative: boolean;
}

/** -1, 1 an infinity, 2 NaN: as migration 019 has it. */
export type NonfiniteKind = -1 | 1 | 2;

const kinds: Readonly<Record<string, NonfiniteKind>> = { NaN: 2, Infinity: 1, "-Infinity": -1 };

export function nonfiniteNumber(kind: number): number {
  return kind === 2 ? NaN : kind * Infinity;
}

/** As it stands on the wire. */
export function nonfiniteWord(kind: NonfiniteKind): "NaN" | "Infinity" | "-Infinity" {
  return kind === 2 ? "NaN" : kind === 1 ? "Infinity" : "-Infinity";
}

/** Partitions of metrics with such values that an experiment has; of others nothing is counted. */
export const nonfinitePartitionsMax = 1_000;

/** Returns the non-finite value in an annotation's meta; undefined when there is none. */
export function nonfiniteOf(metaText: string, createdAtMs: number): Nonfinite | undefined {
  // Few annotations are worth parsing.
  if (!metaText.includes("nonfinite") && !metaText.includes("\\u")) return undefined;
  const meta = JSON.parse(metaText) as Record<string, unknown>;
  const { kind, metricName: name, step, value, timestampMs, count } = meta;
  const { lastStep = step, lastValue = value, lastTimestampMs: time = timestampMs } = meta;
  const partition = partitionOf(meta);
  if (kind !== "nonfinite" || partition === undefined || !isName(name)) return undefined;
  if (!Number.isSafeInteger(lastStep) || !Object.hasOwn(kinds, String(lastValue))) return undefined;
  const isTimed = Number.isSafeInteger(time) && (time as number) >= 0;
  const isMany = Number.isSafeInteger(count) && (count as number) > 0;
  return {
    name,
    meta: partition,
    notes: isMany ? (count as number) : 1,
    step: lastStep as number,
    timestamp: isTimed ? (time as number) : createdAtMs,
    kind: kinds[String(lastValue)],
    isNative: true,
  };
}

function isName(name: unknown): name is string {
  return (
    typeof name === "string" &&
    name.length <= limits.metricNameBytesMax &&
    /^[\x20-\x7e]+$/.test(name)
  );
}

/**
 * Returns the partition of a value; those of `lossless import tensorboard` have their tag in
 * another field.
 */
function partitionOf({ pointMeta, imported, tag }: Record<string, unknown>): string | undefined {
  const isTagged = imported !== undefined && typeof tag === "string";
  const own = pointMeta ?? (isTagged ? { tag } : {});
  if (typeof own !== "object" || Array.isArray(own)) return undefined;
  if (!Object.values(own).every((one) => typeof one === "string")) return undefined;
  return canonicalJson(own);
}

/** Takes in later values of the same partition. */
export function mergeNonfinite(into: Nonfinite, later: Nonfinite): void {
  into.notes += later.notes;
  into.isNative ||= later.isNative;
  if (later.step < into.step) return;
  if (later.step === into.step && later.timestamp < into.timestamp) return;
  into.step = later.step;
  into.timestamp = later.timestamp;
  into.kind = later.kind;
}

/** Adds later or earlier values to those of an experiment; its head is locked. */
export async function addNonfinite(
  transaction: Transaction,
  experimentId: string,
  values: readonly Nonfinite[],
  areEarlier = false,
): Promise<void> {
  for (const value of values) await addOne(transaction, experimentId, value, areEarlier);
  await transaction.run(
    "UPDATE summarized SET meta_version = meta_version + 1 WHERE experiment = $1",
    experimentId,
  );
}

async function addOne(
  transaction: Transaction,
  experimentId: string,
  value: Nonfinite,
  isEarlier: boolean,
): Promise<void> {
  const { name, meta } = value;
  const row = await transaction.get<StoredNonfinite & { number: number }>(
    `SELECT ${columns}, number FROM nonfinite WHERE experiment = $1 AND name = $2 AND meta = $3`,
    experimentId,
    name,
    meta,
  );
  const merged = row === undefined || isEarlier ? { ...value } : storedNonfinite(row);
  if (row !== undefined) mergeNonfinite(merged, isEarlier ? storedNonfinite(row) : value);
  const { notes, step, timestamp, kind, isNative } = merged;
  const said = [notes, step, timestamp, kind, isNative ? 1 : 0];
  if (row !== undefined) {
    await transaction.run(
      `UPDATE nonfinite SET notes = $3, last_step = $4, last_timestamp = $5, last_kind = $6,
         is_native = $7 WHERE experiment = $1 AND number = $2`,
      experimentId,
      row.number,
      ...said,
    );
    return;
  }
  await transaction.run(
    `INSERT INTO nonfinite (experiment, number, name, meta, notes, last_step, last_timestamp,
       last_kind, is_native, trashed)
     SELECT $1, number + 1, $2, $3, CAST($4 AS BIGINT), CAST($5 AS BIGINT), CAST($6 AS BIGINT),
       CAST($7 AS BIGINT), CAST($8 AS BIGINT),
       CASE WHEN EXISTS (SELECT 1 FROM dropped_series
         WHERE experiment = $1 AND name = $2 AND trash IS NOT NULL) THEN 1 ELSE 0 END
     FROM (SELECT coalesce(max(number), 0) AS number, count(*) AS partitions FROM nonfinite
       WHERE experiment = $1) AS known
     WHERE partitions < ${nonfinitePartitionsMax}`,
    experimentId,
    name,
    meta,
    ...said,
  );
}

const columns = "name, meta, notes, last_step, last_timestamp, last_kind, is_native";

interface StoredNonfinite {
  name: string;
  meta: string;
  notes: number;
  last_step: number;
  last_timestamp: number;
  last_kind: NonfiniteKind;
  is_native: number;
}

function storedNonfinite(row: StoredNonfinite): Nonfinite {
  const { name, meta, notes, last_step: step, last_timestamp: timestamp, last_kind: kind } = row;
  return { name, meta, notes, step, timestamp, kind, isNative: row.is_native === 1 };
}

/**
 * Reads the values that are not finite of some experiments, of the named series or of all, except
 * series in the trash.
 */
export async function readNonfinite(
  reader: Reader,
  experimentIds: readonly string[],
  names?: readonly string[],
): Promise<(Nonfinite & { experiment: string })[]> {
  const rows = await reader.all<StoredNonfinite & { experiment: string }>(
    `SELECT experiment, ${columns} FROM nonfinite
     WHERE trashed = 0 AND ${reader.isOneOf("experiment", "$1")}
       ${names === undefined ? "" : `AND ${reader.isOneOf("name", "$2")}`}
     ORDER BY experiment, number`,
    JSON.stringify(experimentIds),
    ...(names === undefined ? [] : [JSON.stringify(names)]),
  );
  return rows.map((row) => ({ experiment: row.experiment, ...storedNonfinite(row) }));
}

/** An annotation of a value that is not finite. */
export type NonfiniteNote = Nonfinite & { isCount: boolean };

/** Yields all annotations of such values up to a number, in order of arrival. */
export async function* nonfiniteNotes(
  reader: Reader,
  experimentId: string,
  upTo?: number,
): AsyncGenerator<NonfiniteNote> {
  for await (const { meta, atMs } of annotationsOf(reader, experimentId, upTo)) {
    const note = nonfiniteOf(meta, atMs);
    if (note !== undefined) yield { ...note, isCount: note.notes > 1 };
  }
}

/** Summarizes all such annotations up to a number, and values of MLflow's clients. */
export async function countNonfinite(
  reader: Reader,
  experimentId: string,
  upTo?: number,
): Promise<Nonfinite[]> {
  const found = new Map<string, Nonfinite>();
  for await (const { isCount: _, ...note } of nonfiniteNotes(reader, experimentId, upTo)) {
    const key = JSON.stringify([note.name, note.meta]);
    const known = found.get(key);
    if (known === undefined) found.set(key, note);
    else mergeNonfinite(known, note);
  }
  // Those that came through MLflow have annotations, up to a number of them; later ones than `upTo`
  // are counted already.
  const later = await reader.all<{ name: string; notes: number }>(
    "SELECT name, notes FROM nonfinite WHERE experiment = $1 AND meta = '{}'",
    experimentId,
  );
  const counted = new Map(upTo === undefined ? [] : later.map((one) => [one.name, one.notes]));
  const rows = await reader.all<{ key: string; values: number }>(
    `SELECT key, count(*) AS "values" FROM run_point WHERE experiment = $1 AND kind <> 0
     GROUP BY key ORDER BY key`,
    experimentId,
  );
  for (const { key, values } of rows) {
    const known = found.get(JSON.stringify([key, "{}"]));
    if (known === undefined) continue;
    const before = values - (counted.get(key) ?? 0);
    known.isNative = known.notes > before;
    known.notes = Math.max(known.notes, before);
  }
  return [...found.values()];
}

/** Values from before migration 033, which are counted once. */
export interface NonfiniteBefore {
  experimentId: string;
  /** The last annotation from before. */
  upTo: number;
  values: Nonfinite[];
}

/** Counts such values, if there are any that are not counted yet. */
export async function readNonfiniteBefore(
  reader: Reader,
  experimentId: string,
): Promise<NonfiniteBefore | undefined> {
  const row = await reader.get<{ notes_before: number }>(
    "SELECT notes_before FROM summarized WHERE experiment = $1",
    experimentId,
  );
  if (row === undefined || row.notes_before <= 0) return undefined;
  const upTo = row.notes_before;
  return { experimentId, upTo, values: await countNonfinite(reader, experimentId, upTo) };
}

/** `experiment.addNonfiniteBefore`: adds them. Another node may have done it already. */
export async function addNonfiniteBefore(
  transaction: Transaction,
  { experimentId, upTo, values }: NonfiniteBefore,
): Promise<void> {
  await transaction.get(
    `SELECT log_seq FROM head WHERE experiment = $1${transaction.forUpdate}`,
    experimentId,
  );
  const changed = await transaction.run(
    "UPDATE summarized SET notes_before = 0 WHERE experiment = $1 AND notes_before = $2",
    experimentId,
    upTo,
  );
  if (changed > 0) await addNonfinite(transaction, experimentId, values, true);
}

/**
 * An annotation of such a value was looked through: if it is from before, all of its experiment are
 * counted with its meta.
 */
export async function noteNonfiniteBefore(
  transaction: Transaction,
  experimentId: string,
  number: number,
): Promise<void> {
  await transaction.run(
    `UPDATE summarized SET notes_before = -notes_before, meta_version = meta_version + 1
     WHERE experiment = $1 AND notes_before <= $2`,
    experimentId,
    -number,
  );
}

/** All annotations of experiments above one were looked through; undefined: those of all. */
export async function passNotesBefore(
  transaction: Transaction,
  above: string | undefined,
): Promise<void> {
  // In one order, so that no two nodes wait for each other.
  const passed = await transaction.all<{ experiment: string }>(
    `SELECT experiment FROM summarized WHERE notes_before < 0 AND experiment > $1
     ORDER BY experiment${transaction.forUpdate}`,
    above ?? "",
  );
  if (passed.length === 0) return;
  await transaction.run(
    `UPDATE summarized SET notes_before = 0
     WHERE ${transaction.isOneOf("experiment", "$1")} AND notes_before < 0`,
    JSON.stringify(passed.map(({ experiment }) => experiment)),
  );
}
