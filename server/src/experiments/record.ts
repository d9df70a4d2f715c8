import type { ExperimentRecord } from "@lossless/protocol";

/** A row of `recordColumns`. */
export interface RecordRow {
  id: string;
  slug: string;
  description: string;
  meta: string;
  folder: string | null;
  status: ExperimentRecord["status"];
  error: string | null;
  error_meta: string | null;
  created_at_ms: number;
  updated_at_ms: number;
  started_at_ms: number | null;
  done_at_ms: number | null;
  error_at_ms: number | null;
  status_at_ms: number;
}

export const recordColumns = `id, slug, description, meta, folder, status, error, error_meta, created_at_ms,
  updated_at_ms, started_at_ms, done_at_ms, error_at_ms, status_at_ms`;

/**
 * Returns the JSON of an ExperimentRecord. All fields are always there, null when empty (M59);
 * metas as they were sent.
 */
export function recordText(row: RecordRow): string {
  const { id: experimentId, slug, description, status, error, folder: folderId } = row;
  const known = JSON.stringify({ experimentId, slug, description });
  const state = JSON.stringify({ status, error });
  const rest = JSON.stringify({
    createdAtMs: row.created_at_ms,
    updatedAtMs: row.updated_at_ms,
    startedAtMs: row.started_at_ms,
    doneAtMs: row.done_at_ms,
    errorAtMs: row.error_at_ms,
    statusAtMs: row.status_at_ms,
    folderId,
  });
  const metas = [`"meta":${row.meta}`, `"errorMeta":${row.error_meta ?? "null"}`];
  return `${known.slice(0, -1)},${metas[0]},${state.slice(1, -1)},${metas[1]},${rest.slice(1)}`;
}
