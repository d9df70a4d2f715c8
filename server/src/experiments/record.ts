import type { ExperimentRecord } from "@lossless/protocol";
import { parseExact } from "../exact-json.ts";

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

/** All fields are always there, null when there is nothing (M59). */
export function toRecord(row: RecordRow): ExperimentRecord {
  return {
    experimentId: row.id,
    slug: row.slug,
    description: row.description,
    meta: parseExact(row.meta) as Record<string, unknown>,
    status: row.status,
    error: row.error,
    errorMeta:
      row.error_meta === null ? null : (parseExact(row.error_meta) as Record<string, unknown>),
    createdAtMs: row.created_at_ms,
    updatedAtMs: row.updated_at_ms,
    startedAtMs: row.started_at_ms,
    doneAtMs: row.done_at_ms,
    errorAtMs: row.error_at_ms,
    statusAtMs: row.status_at_ms,
    folderId: row.folder,
  };
}
