import { limits } from "@lossless/protocol/limits";
import { picturesNamedIn } from "@lossless/protocol/report-pictures";
import { requireRole } from "../../database/access/role.ts";
import type { Actor } from "../../database/audit/audit.ts";
import type { Reader, Transaction } from "../../database/database.ts";
import { requireFewer } from "../../database/row-limit.ts";
import type { Moment } from "../../ground/clock.ts";
import { ServiceError } from "../../ground/errors.ts";

/** A report of an organization, as a person sees it, or a key. */
interface Looking {
  organizationId: string;
  /** Null: a key, which sees the organization's. */
  personId: string | null;
  report: string;
}

export interface StoredPicture {
  type: string;
  content: Uint8Array;
}

/**
 * Time for which a picture stays that no text names: a draft may, which is open over a weekend, or
 * a text will again.
 */
const unnamedMs = 7 * 24 * 60 * 60 * 1_000;

/** `picture.add`: the same bytes again only stay for another week. */
export async function addPicture(
  transaction: Transaction,
  input: Omit<Looking, "personId"> & StoredPicture & { picture: string; by: Actor },
  { nowMs }: Moment,
): Promise<void> {
  const { organizationId, report, picture, type, content, by } = input;
  await requireRole(transaction, organizationId, by.actor, "member");
  const looking = { organizationId, personId: by.actor, report };
  const named = picturesNamedIn(await requireReport(transaction, looking));
  // An import writes the text before its pictures.
  const unnamedAtMs = named.includes(picture) ? null : nowMs;
  const known = await transaction.get(
    "SELECT picture FROM report_picture WHERE report = $1 AND picture = $2",
    report,
    picture,
  );
  if (known !== undefined) {
    await transaction.run(
      `UPDATE report_picture SET unnamed_at_ms = $3
       WHERE report = $1 AND picture = $2 AND unnamed_at_ms IS NOT NULL`,
      report,
      picture,
      unnamedAtMs,
    );
    return;
  }
  await forgetUnnamed(transaction, report, named, nowMs);
  await requireRoom(transaction, organizationId, report, { count: 1, bytes: content.byteLength });
  await transaction.run(
    `INSERT INTO report_picture (report, picture, type, content, unnamed_at_ms)
     VALUES ($1, $2, $3, $4, $5)`,
    report,
    picture,
    type,
    content,
    unnamedAtMs,
  );
}

/** `picture.read`: by whoever sees the report; throws `not_found`. */
export async function readPicture(
  reader: Reader,
  { picture, ...looking }: Looking & { picture: string },
): Promise<StoredPicture> {
  await requireReport(reader, looking);
  const found = await reader.get<StoredPicture>(
    "SELECT type, content FROM report_picture WHERE report = $1 AND picture = $2",
    looking.report,
    picture,
  );
  if (found !== undefined) return found;
  throw new ServiceError("not_found", "The report has no such picture.");
}

/**
 * Keeps the pictures that a report's text names, those included that it was copied with from a
 * report that its author sees, and forgets others after a week.
 */
export async function keepPictures(
  transaction: Transaction,
  { content, ...looking }: Looking & { content: string },
  { nowMs }: Moment,
): Promise<void> {
  const { report } = looking;
  const named = picturesNamedIn(content);
  const stored = await transaction.all<{ picture: string; unnamed: number | null }>(
    "SELECT picture, unnamed_at_ms AS unnamed FROM report_picture WHERE report = $1",
    report,
  );
  // Rows that stay as they are, with their bytes, are not written anew.
  const left = stored.filter(
    ({ picture, unnamed }) => unnamed === null && !named.includes(picture),
  );
  const back = stored.filter(({ picture, unnamed }) => unnamed !== null && named.includes(picture));
  for (const [rows, unnamedAtMs] of [[left, nowMs] as const, [back, null] as const]) {
    if (rows.length === 0) continue;
    await transaction.run(
      `UPDATE report_picture SET unnamed_at_ms = $2
       WHERE report = $1 AND ${transaction.isOneOf("picture", "$3")}`,
      report,
      unnamedAtMs,
      JSON.stringify(rows.map(({ picture }) => picture)),
    );
  }
  await forgetUnnamed(transaction, report, named, nowMs);
  const known = new Set(stored.map(({ picture }) => picture));
  const missing = named.filter((picture) => !known.has(picture));
  if (missing.length > 0) await copyPictures(transaction, looking, missing);
}

/** Copies those of the pictures that the author sees in other reports, if there is room for all. */
async function copyPictures(
  transaction: Transaction,
  { organizationId, personId, report }: Looking,
  pictures: readonly string[],
): Promise<void> {
  const others = `report_picture AS other JOIN saved ON saved.id = other.report
    WHERE saved.organization = $1 AND (saved.person IS NULL OR saved.person = $2)`;
  // Equal names have equal bytes. By GROUP BY, SQLite would read and sort all of them.
  const seen = await transaction.all<{ picture: string; bytes: number }>(
    `SELECT DISTINCT other.picture, octet_length(other.content) AS bytes FROM ${others}
       AND ${transaction.isOneOf("other.picture", "$3")}`,
    organizationId,
    personId,
    JSON.stringify(pictures),
  );
  if (seen.length === 0) return;
  const bytes = seen.reduce((sum, one) => sum + one.bytes, 0);
  await requireRoom(transaction, organizationId, report, { count: seen.length, bytes });
  for (const { picture } of seen)
    await transaction.run(
      `INSERT INTO report_picture (report, picture, type, content)
       SELECT $4, other.picture, other.type, other.content FROM ${others}
         AND other.picture = $3 LIMIT 1`,
      organizationId,
      personId,
      picture,
      report,
    );
}

/**
 * Forgets pictures that were not named for a week. A node of the version before does not note that
 * the text which it saves names one again.
 */
async function forgetUnnamed(
  transaction: Transaction,
  report: string,
  named: readonly string[],
  nowMs: number,
): Promise<void> {
  await transaction.run(
    `DELETE FROM report_picture WHERE report = $1 AND unnamed_at_ms < $2
       AND NOT ${transaction.isOneOf("picture", "$3")}`,
    report,
    nowMs - unnamedMs,
    JSON.stringify(named),
  );
}

/** Returns the stored text of a report that is seen; throws `not_found`. */
async function requireReport(
  reader: Reader,
  { organizationId, personId, report }: Looking,
): Promise<string> {
  const row = await reader.get<{ content: string }>(
    `SELECT content FROM saved WHERE id = $1 AND organization = $2 AND kind = 'report'
       AND (person IS NULL OR person = $3)`,
    report,
    organizationId,
    personId,
  );
  if (row !== undefined) return row.content;
  throw new ServiceError("not_found", "There is no report with this id.");
}

/** Requires room for so many more. */
async function requireRoom(
  transaction: Transaction,
  organizationId: string,
  report: string,
  { count, bytes }: { count: number; bytes: number },
): Promise<void> {
  const { reportPicturesMax: most, reportPictureBytesPerOrganizationMax: bytesMax } = limits;
  await requireFewer(
    transaction,
    most + 1 - count,
    `A report has at most ${most} pictures; those that its texts no longer name go after a week.`,
    "report_picture WHERE report = $1",
    report,
  );
  const { sum } = (await transaction.get<{ sum: number }>(
    `SELECT coalesce(sum(octet_length(report_picture.content)), 0) AS sum FROM report_picture
     JOIN saved ON saved.id = report_picture.report WHERE saved.organization = $1`,
    organizationId,
  ))!;
  if (sum + bytes <= bytesMax) return;
  throw new ServiceError(
    "conflict",
    `The pictures of an organization's reports have at most ${bytesMax.toLocaleString("en")} bytes together.`,
  );
}
