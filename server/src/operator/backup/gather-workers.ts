import type { Database, Reader, Transaction, Value } from "../../database/database.ts";
import { wrongCounters } from "../../database/quotas/recount.ts";
import { wrongRecorded } from "../../database/quotas/recorded-points.ts";
import { readToldDays } from "../../database/quotas/told-amounts.ts";
import { moveSeriesAside, moveSeriesBack } from "../../points/moved-series.ts";
import { experimentOfSeries } from "../../trash/series-subject.ts";
import { copyTables } from "./copy-rows.ts";
import { readTables } from "./tables.ts";

type Row = Record<string, Value>;

/** Segments of points get numbers above those of consoles, which the directory has given. */
const segmentsFrom = 2 ** 32;
/** Rows of counters that workers wrote, beside those of the directory's connections. */
const writersFrom = 64;

/**
 * Brings the points of all workers into a copy of the directory, which is then an installation with
 * one server. The workers are read later than the directory was: they have every point that it
 * knows of. Experiments that were opened in between are left out.
 */
export async function gatherWorkers(
  staged: Database,
  workers: readonly Pick<Database, "read">[],
): Promise<void> {
  for (const [at, worker] of workers.entries())
    await worker.read((reader) =>
      staged.write((transaction) => gather(reader, transaction, at + 1)),
    );
  if (workers.length > 0) await staged.write(makeWhole);
}

async function gather(worker: Reader, transaction: Transaction, number: number): Promise<void> {
  const there = "(SELECT id FROM experiment WHERE server = $1)";
  const rows = await transaction.all<{ id: string }>(
    `SELECT id FROM experiment WHERE id IN ${there}`,
    number,
  );
  const ours = new Set<Value>(rows.map(({ id }) => id));
  const purged = await purgedPoints(transaction, number);
  for (const table of ["series", "dropped_series"])
    await transaction.run(`DELETE FROM ${table} WHERE experiment IN ${there}`, number);
  const wanted = ["log", "segment", "series", "dropped_series"];
  const tables = (await readTables(transaction)).filter(({ name }) => wanted.includes(name));
  await copyTables(worker, transaction, tables, ({ name }, row): Row | undefined => {
    if (!ours.has(row["experiment"])) return undefined;
    return name === "segment" ? { ...row, number: Number(row["number"]) + segmentsFrom } : row;
  });
  await gatherHeads(worker, transaction, ours);
  await gatherDays(worker, transaction, number);
  // Summaries that the worker has been faster than are made anew.
  const now = await purgedPoints(transaction, number);
  for (const id of new Set([...purged.keys(), ...now.keys()]))
    if (purged.get(id) !== now.get(id))
      await transaction.run(
        "UPDATE summarized SET counted = 0, metrics_version = metrics_version + 1 WHERE experiment = $1",
        id,
      );
}

async function purgedPoints(reader: Reader, number: number): Promise<Map<string, number>> {
  const rows = await reader.all<{ experiment: string; points: number }>(
    `SELECT experiment, sum(points) AS points FROM dropped_series
     WHERE experiment IN (SELECT id FROM experiment WHERE server = $1) GROUP BY experiment`,
    number,
  );
  return new Map(rows.map(({ experiment, points }) => [experiment, points]));
}

/** The record's revision and mark of deletion stay; all about points is the worker's. */
async function gatherHeads(
  worker: Reader,
  transaction: Transaction,
  ours: ReadonlySet<Value>,
): Promise<void> {
  const heads = await worker.all<Record<string, number> & { experiment: string }>(
    `SELECT experiment, log_seq, seal_seq, manifest_seq, points, sealed_points, revision,
       appended_at_ms FROM head ORDER BY experiment`,
  );
  const found = new Set<Value>();
  for (const head of heads) {
    const { experiment } = head;
    if (!ours.has(experiment)) continue;
    found.add(experiment);
    await transaction.run(
      `UPDATE head SET log_seq = $2, seal_seq = $3, manifest_seq = $4, points = $5,
         sealed_points = $6, revision = revision + $7, appended_at_ms = $8 WHERE experiment = $1`,
      experiment,
      head["log_seq"],
      head["seal_seq"],
      head["manifest_seq"],
      head["points"],
      head["sealed_points"],
      head["revision"],
      head["appended_at_ms"],
    );
  }
  // Their purge has begun on the worker.
  for (const id of ours)
    if (!found.has(id))
      await transaction.run(
        `UPDATE head SET log_seq = 0, seal_seq = 0, manifest_seq = 0, points = 0, sealed_points = 0
         WHERE experiment = $1`,
        id,
      );
}

async function gatherDays(worker: Reader, transaction: Transaction, number: number): Promise<void> {
  await transaction.run("DELETE FROM stored_amount WHERE writer = $1", -number);
  await transaction.run("DELETE FROM recorded_points WHERE writer = $1", -number);
  for (const { organization, day, points } of await readToldDays(worker))
    await transaction.run(
      "INSERT INTO recorded_points (organization, day, writer, points) VALUES ($1, $2, $3, $4)",
      organization,
      day,
      writersFrom + number,
      points,
    );
}

/** Does what workers still had to do, and counts anew. */
async function makeWhole(transaction: Transaction): Promise<void> {
  const restored = await transaction.all<{ experiment: string; trash: string }>(
    `SELECT DISTINCT experiment, trash FROM dropped_series
     WHERE trash IS NOT NULL AND trash NOT IN (SELECT id FROM trash)`,
  );
  for (const { experiment, trash } of restored)
    await moveSeriesBack(transaction, experiment, trash);
  const trashed = await transaction.all<{ id: string; subject: string; series: string }>(
    `SELECT id, subject, series FROM trash
     WHERE kind = 'series' AND id NOT IN (SELECT trash FROM dropped_series WHERE trash IS NOT NULL)`,
  );
  for (const { id, subject, series } of trashed)
    await moveSeriesAside(transaction, experimentOfSeries(subject), series, id);
  for (const statement of [
    // The worker had ended them.
    `DELETE FROM trash
     WHERE kind = 'series' AND id NOT IN (SELECT trash FROM dropped_series WHERE trash IS NOT NULL)`,
    "UPDATE experiment SET server = 0 WHERE server <> 0",
    "UPDATE head SET told_revision = 0, told_state = -1, told_bytes = 0, errand = 0",
    "DELETE FROM errand",
    "DELETE FROM installation WHERE name IN ('workers', 'workers_in_use')",
    "DELETE FROM installation WHERE name LIKE 'worker_address_%'",
  ])
    await transaction.run(statement);
  for (const { organization, counted, found } of await wrongCounters(transaction))
    await transaction.run(
      `INSERT INTO stored_amount (organization, writer, bytes, experiments, partitions, uploads)
       VALUES ($1, $2, $3, $4, $5, $6)`,
      organization,
      writersFrom,
      found.bytes - counted.bytes,
      found.experiments - counted.experiments,
      found.partitions - counted.partitions,
      found.uploads - counted.uploads,
    );
  for (const { organization, counted, found } of await wrongRecorded(transaction))
    await transaction.run(
      `INSERT INTO recorded_points (organization, day, writer, points)
       SELECT $1, max(day), $2, $3 FROM recorded_points WHERE organization = $1`,
      organization,
      writersFrom,
      found - counted,
    );
}
