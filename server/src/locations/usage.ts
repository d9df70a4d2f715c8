import type { Match, Transfer, UsageRow } from "@lossless/protocol";
import type { Moment } from "../clock.ts";
import type { Reader, Transaction } from "../database/database.ts";

export interface UsageEntry {
  organizationId: string;
  kind: "write" | "read";
  placeCloud: string;
  placeRegion: string;
  locationId: string;
  match: Match | null;
  transfer: Transfer;
  bytes: number;
}

/** Adds one to the row of the day and what it is grouped by, in the transaction that it describes. */
export async function countUsage(
  transaction: Transaction,
  entry: UsageEntry,
  { nowMs }: Moment,
): Promise<void> {
  await transaction.run(
    `INSERT INTO usage (organization, day, kind, place_cloud, place_region, location, match, transfer, bytes, count)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, 1)
     ON CONFLICT (organization, day, kind, place_cloud, place_region, location, match, transfer)
     DO UPDATE SET bytes = usage.bytes + excluded.bytes, count = usage.count + 1`,
    entry.organizationId,
    dayOf(nowMs),
    entry.kind,
    entry.placeCloud,
    entry.placeRegion,
    entry.locationId,
    entry.match ?? "",
    entry.transfer,
    entry.bytes,
  );
}

/** The last `days` UTC days, today among them, newest first. */
export async function readUsage(
  reader: Reader,
  { organizationId, days }: { organizationId: string; days: number },
  { nowMs }: Moment,
): Promise<UsageRow[]> {
  const rows = await reader.all<Omit<UsageRow, "match"> & { match: Match | "" }>(
    `SELECT day, kind, place_cloud AS "placeCloud", place_region AS "placeRegion", location, match, transfer,
       bytes, count
     FROM usage WHERE organization = $1 AND day > $2
     ORDER BY day DESC, kind, place_cloud, place_region, location, match, transfer`,
    organizationId,
    dayOf(nowMs - days * 24 * 60 * 60 * 1_000),
  );
  return rows.map((row) => ({ ...row, match: row.match === "" ? null : row.match }));
}

function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}
