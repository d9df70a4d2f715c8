import type { Reader, Transaction } from "../../database/database.ts";
import { ServiceError } from "../../ground/errors.ts";
import { beganAtMs, endedAtMs } from "../summaries/training-time.ts";
import { rootFolder } from "./folder.ts";

/** A run: its experiment's fields, and MLflow's own. */
export interface RunRow {
  id: string;
  slug: string;
  description: string;
  meta: string;
  folder: string | null;
  status: "running" | "done" | "error";
  created_at_ms: number;
  started_at_ms: number | null;
  done_at_ms: number | null;
  error_at_ms: number | null;
  /** 0 when nothing came through MLflow. */
  is_run: number;
  user_name: string | null;
  /** Name at the deletion of its tag; null when the tag was never deleted. */
  name: string | null;
  start_time: number | null;
  end_time: number | null;
  status_word: string | null;
  artifact_location: string | null;
  run_points: number;
  deleted_at_ms: number | null;
  began_at_ms: number;
  /** Null: it is running. */
  ended_at_ms: number | null;
  head_points: number;
  /** 1 when the summaries include every point. */
  is_settled: number;
}

export type RunFacts = Omit<RunRow, "description" | "meta">;

/** Columns of `experiment AS e`, its head `h`, and `run AS r` if there is one. */
export const factColumns = `e.id, e.slug, e.folder, e.status, e.created_at_ms,
  e.started_at_ms, e.done_at_ms, e.error_at_ms,
  CASE WHEN r.experiment IS NULL THEN 0 ELSE 1 END AS is_run, r.user_name, r.name, r.start_time, r.end_time,
  r.status_word, r.artifact_location, coalesce(r.points, 0) AS run_points, r.deleted_at_ms,
  ${beganAtMs} AS began_at_ms, ${endedAtMs} AS ended_at_ms, h.points AS head_points,
  CASE WHEN z.counted = 1 AND z.folded_seq = h.log_seq THEN 1 ELSE 0 END AS is_settled`;
export const runColumns = `${factColumns}, e.description, e.meta`;
/** In this order SQLite reads the last table only for rows that passed the others. */
export const runTables = `experiment e JOIN head h ON h.experiment = e.id
  LEFT JOIN run r ON r.experiment = e.id JOIN summarized z ON z.experiment = e.id`;

/**
 * Requires a run, also one that is marked as deleted; one of another organization is as absent as
 * none.
 */
export async function requireRun(
  reader: Reader,
  organizationId: string,
  runId: string,
): Promise<RunRow> {
  const row = await reader.get<RunRow>(
    `SELECT ${runColumns} FROM ${runTables}
     WHERE e.id = $1 AND e.organization = $2 AND e.trashed_at_ms IS NULL`,
    runId,
    organizationId,
  );
  if (row === undefined) {
    throw new ServiceError("experiment_not_found", `Run with id=${runId} not found`);
  }
  return row;
}

/** The same for a change, with the row of `run` there and locked. */
export async function requireActiveRun(
  transaction: Transaction,
  organizationId: string,
  runId: string,
): Promise<RunRow> {
  const row = await requireRun(transaction, organizationId, runId);
  if (row.deleted_at_ms !== null) {
    throw new ServiceError(
      "bad_request",
      `The run ${runId} must be in the 'active' state. Current state is deleted.`,
    );
  }
  await ensureRun(transaction, runId);
  return row;
}

/** An experiment of v2 gets the row with the first thing that MLflow writes to it. */
export async function ensureRun(transaction: Transaction, runId: string): Promise<void> {
  await transaction.run(
    `INSERT INTO run (experiment, user_name, start_time, end_time, status_word, artifact_location,
       points, deleted_at_ms, deleted_with_folder)
     VALUES ($1, '', NULL, NULL, '', NULL, 0, NULL, 0) ON CONFLICT (experiment) DO NOTHING`,
    runId,
  );
}

export function folderIdOf({ folder }: Pick<RunRow, "folder">): string {
  return folder ?? rootFolder;
}

/**
 * Returns the client's start time; for runs not begun by an MLflow client, that of their points or
 * the service's.
 */
export function startOf(row: RunFacts): number | null {
  return row.began_at_ms;
}

export function endOf(row: RunFacts): number | null {
  if (row.end_time !== null) return row.end_time;
  if (row.is_run === 1 && row.start_time !== null) return null;
  return row.ended_at_ms;
}

/** Returns the URI at which MLflow clients write and read files of a run. */
export function artifactUriOf(row: RunFacts): string {
  const location = row.artifact_location ?? `mlflow-artifacts:/${folderIdOf(row)}`;
  return below(location, `${row.id}/artifacts`);
}

/** A path below an artifact location, which may end with a query: that stays at the end. */
export function below(location: string, path: string): string {
  const end = location.indexOf("?");
  const [folder, query] = end < 0 ? [location, ""] : [location.slice(0, end), location.slice(end)];
  return `${folder.replace(/\/$/, "")}/${path}${query}`;
}

/** Returns MLflow's own status while it fits the state, which v2 may have changed since. */
export function statusWord({ status, status_word: word }: RunFacts): string {
  const fitting = words[status];
  return word !== null && fitting.includes(word) ? word : fitting[0];
}

const words: Record<RunRow["status"], readonly string[]> = {
  running: ["RUNNING", "SCHEDULED"],
  done: ["FINISHED"],
  error: ["FAILED", "KILLED"],
};
