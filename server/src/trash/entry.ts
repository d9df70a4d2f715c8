import type { TrashEntry } from "@lossless/protocol";
import { limits } from "@lossless/protocol/limits";
import type { Reader, Transaction } from "../database/database.ts";
import { ServiceError } from "../ground/errors.ts";
import { shownEmail } from "../accounts/rows/people/person.ts";
import { readShownNames } from "../experiments/mlflow/shown-names.ts";
import { experimentOfSeries } from "./series-subject.ts";

/** A row of the trash, as it is stored. */
export interface TrashRow {
  id: string;
  kind: TrashEntry["kind"];
  subject: string;
  name: string;
  version: string | null;
  series: string | null;
  folder: string | null;
  points: number;
  bytes: number;
  actor: string;
  actor_email: string | null;
  key_name: string | null;
  trashed_at_ms: number;
  purge_at_ms: number;
  is_purging: number;
}

export interface ListTrash {
  organizationId: string;
  /** Entries older than this one; null: from the newest on. */
  before: string | null;
}

/** `trash.list`: the entries in the trash, latest first; `next` is null on the last page. */
export async function listTrash(
  reader: Reader,
  { organizationId, before }: ListTrash,
): Promise<{ entries: TrashEntry[]; next: string | null }> {
  const rows = await reader.all<TrashRow>(
    `SELECT ${entryColumns} WHERE trash.organization = $1 AND trash.kind <> 'organization'
       AND (trash.id < $2 OR $2 IS NULL)
     ORDER BY trash.id DESC LIMIT $3`,
    organizationId,
    before,
    limits.trashEntriesMax + 1,
  );
  const page = rows.slice(0, limits.trashEntriesMax);
  const next = page.length < rows.length ? page.at(-1)!.id : null;
  return { entries: await entriesOf(reader, organizationId, page), next };
}

/**
 * Returns entries in the order of their ids. Throws `not_found` for one that is not in the
 * organization's trash.
 */
export async function requireEntries(
  transaction: Transaction,
  organizationId: string,
  ids: readonly string[],
): Promise<TrashRow[]> {
  const wanted = [...new Set(ids)];
  // Locked before they are read: a purge may begin at any moment.
  await transaction.all(
    `SELECT id FROM trash WHERE organization = $1 AND kind <> 'organization' AND ${transaction.isOneOf("id", "$2")}
     ORDER BY id${transaction.forUpdate}`,
    organizationId,
    JSON.stringify(wanted),
  );
  const rows = await transaction.all<TrashRow>(
    `SELECT ${entryColumns} WHERE trash.organization = $1 AND trash.kind <> 'organization'
       AND ${transaction.isOneOf("trash.id", "$2")}
     ORDER BY trash.id`,
    organizationId,
    JSON.stringify(wanted),
  );
  if (rows.length === wanted.length) return rows;
  const there = new Set(rows.map(({ id }) => id));
  const missing = wanted.filter((id) => !there.has(id));
  throw new ServiceError("not_found", `Nothing in the trash has the id ${missing[0]}.`);
}

export const entryColumns = `trash.id, trash.kind, trash.subject, trash.name, trash.version, trash.series,
  trash.folder, trash.points, trash.bytes, trash.actor, person.email AS actor_email, api_key.name AS key_name, trash.trashed_at_ms,
  trash.purge_at_ms, trash.is_purging
  FROM trash LEFT JOIN person ON person.id = trash.actor LEFT JOIN api_key ON api_key.id = trash.actor`;

/** The rows as the interface shows them, in their order. */
export async function entriesOf(
  reader: Reader,
  organizationId: string,
  rows: readonly TrashRow[],
): Promise<TrashEntry[]> {
  const experimentIds = rows.filter(({ kind }) => kind !== "version").map(subjectOf);
  const names = await readShownNames(reader, organizationId, experimentIds);
  return rows.map((row) => entryOf(row, names));
}

/** The experiment, also of a series, or the upload of a version. */
export function subjectOf({ kind, subject }: TrashRow): string {
  return kind === "series" ? experimentOfSeries(subject) : subject;
}

function entryOf(row: TrashRow, names: ReadonlyMap<string, string>): TrashEntry {
  const subject = subjectOf(row);
  return {
    id: row.id,
    kind: row.kind,
    subject,
    name: row.name,
    experimentName: names.get(subject) ?? null,
    version: row.version,
    series: row.series,
    folder: row.folder === null ? [] : (JSON.parse(row.folder) as string[]),
    points: row.points,
    bytes: row.bytes,
    trashedBy: row.actor_email === null ? (row.key_name ?? row.actor) : shownEmail(row.actor_email),
    trashedAtMs: row.trashed_at_ms,
    purgeAtMs: row.purge_at_ms,
    isPurging: row.is_purging === 1,
  };
}
