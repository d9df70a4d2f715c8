import type { Match, Transfer, UsageRow } from "@lossless/protocol";
import { limits } from "@lossless/protocol/limits";
import type { Moment } from "../../../ground/clock.ts";
import type { Reader, Transaction } from "../../../database/database.ts";
import { dayNumberOf, dayText } from "../../../ground/days.ts";
import type { ReplyText } from "../../../ground/reply-text.ts";

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

/**
 * Adds one to the row of the day and its group, in the transaction that it describes. Readers
 * declare any place, so a day distinguishes 1,000 places; reads from further ones are counted
 * without a place.
 */
export async function countUsage(
  transaction: Transaction,
  entry: UsageEntry,
  { nowMs }: Moment,
): Promise<void> {
  const day = dayText(dayNumberOf(nowMs));
  const values = (cloud: string, region: string) => [
    entry.organizationId,
    day,
    entry.kind,
    cloud,
    region,
    entry.locationId,
    entry.match ?? "",
    entry.transfer,
    entry.bytes,
  ];
  const { placeCloud, placeRegion } = entry;
  const counted = await transaction.run(
    `UPDATE usage SET bytes = bytes + $9, count = count + 1
     WHERE organization = $1 AND day = $2 AND kind = $3 AND place_cloud = $4 AND place_region = $5
       AND location = $6 AND match = $7 AND transfer = $8`,
    ...values(placeCloud, placeRegion),
  );
  if (counted > 0) return;
  const isTold = await hasRoomForPlace(transaction, entry, day);
  // Another node may have made the row meanwhile.
  await transaction.run(
    `INSERT INTO usage (organization, day, kind, place_cloud, place_region, location, match, transfer, bytes, count)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, 1)
     ON CONFLICT (organization, day, kind, place_cloud, place_region, location, match, transfer)
     DO UPDATE SET bytes = usage.bytes + excluded.bytes, count = usage.count + 1`,
    ...(isTold ? values(placeCloud, placeRegion) : values("", "")),
  );
}

/**
 * Whether the day has room for another place. Called for new rows only, because it reads the day.
 * Nodes that call it at once may each admit one place.
 */
async function hasRoomForPlace(
  reader: Reader,
  { organizationId, placeCloud, placeRegion }: UsageEntry,
  day: string,
): Promise<boolean> {
  if (placeCloud === "" && placeRegion === "") return true;
  const places = await reader.all<{ cloud: string; region: string }>(
    `SELECT DISTINCT place_cloud AS cloud, place_region AS region FROM usage
     WHERE organization = $1 AND day = $2 AND (place_cloud <> '' OR place_region <> '')`,
    organizationId,
    day,
  );
  if (places.length < limits.usagePlacesPerDayMax) return true;
  return places.some(({ cloud, region }) => cloud === placeCloud && region === placeRegion);
}

/** The JSON of a UsageReply: the last `days` UTC days, today among them, newest first. */
export async function readUsage(
  reader: Reader,
  { organizationId, days }: { organizationId: string; days: number },
  text: ReplyText,
  { nowMs }: Moment,
): Promise<void> {
  await text.add('{"rows":[');
  const since = dayText(dayNumberOf(nowMs) - days);
  let separator = "";
  for await (const rows of readDays(reader, organizationId, since)) {
    for (const row of rows) {
      const shown: UsageRow = { ...row, match: row.match === "" ? null : row.match };
      const turn = text.add(separator + JSON.stringify(shown));
      if (turn !== undefined) await turn;
      separator = ",";
    }
  }
  await text.add("]}");
}

type StoredUsage = Omit<UsageRow, "match"> & { match: Match | "" };

/** Reads day by day: a thousand places a day are many rows. */
async function* readDays(
  reader: Reader,
  organizationId: string,
  since: string,
): AsyncGenerator<StoredUsage[]> {
  const days = await reader.all<{ day: string }>(
    "SELECT DISTINCT day FROM usage WHERE organization = $1 AND day > $2 ORDER BY day DESC",
    organizationId,
    since,
  );
  for (const { day } of days) {
    yield await reader.all<StoredUsage>(
      `SELECT day, kind, place_cloud AS "placeCloud", place_region AS "placeRegion", location, match, transfer,
         bytes, count
       FROM usage WHERE organization = $1 AND day = $2
       ORDER BY kind, place_cloud, place_region, location, match, transfer`,
      organizationId,
      day,
    );
  }
}
