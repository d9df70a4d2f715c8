import type { UsageViewReply } from "@lossless/protocol";
import { limits } from "@lossless/protocol/limits";
import type { Reader } from "../../database/database.ts";
import type { Moment } from "../../ground/clock.ts";
import { dayNumberOf, dayText } from "../../ground/days.ts";
import type { ReplyText } from "../../ground/reply-text.ts";
import { kinds } from "../../database/quotas/amounts.ts";
import { listQuotas } from "../../database/quotas/quota.ts";
import { readRecorded } from "../../database/quotas/recorded-points.ts";

/** Expressions by which the bars of a day are divided. */
const groupings = {
  location: "location",
  place: "place_cloud || '/' || place_region",
  transfer: "transfer",
} as const;

export type UsageGrouping = keyof typeof groupings;

interface Question {
  organizationId: string;
  days: number;
  by: UsageGrouping;
}

/** `views.usage`: the JSON of a UsageViewReply, of the last `days` UTC days, today among them. */
export async function readUsageView(
  reader: Reader,
  { organizationId, days, by }: Question,
  text: ReplyText,
  { nowMs }: Moment,
): Promise<void> {
  const today = dayNumberOf(nowMs);
  const first = today - days + 1;
  const from = dayText(first);
  const recorded = await readRecorded(reader, organizationId);
  const groups = await largestGroups(reader, organizationId, groupings[by], from);
  const [quota] = await listQuotas(reader, { organization: organizationId });
  const reply: UsageViewReply = {
    firstDay: from,
    lastDay: dayText(today),
    points: recorded
      .filter(({ day }) => day >= first && day > 0)
      .map(({ day, points }) => ({ day: dayText(day), points })),
    pointsBefore: recorded.find(({ day }) => day === 0)?.points ?? 0,
    pointsTotal: recorded.reduce((sum, { points }) => sum + points, 0),
    groups,
    bytes: await readBytes(reader, organizationId, groupings[by], from, groups),
    stored: await readStored(reader, organizationId),
    quota: kinds.map((kind) => ({
      kind,
      used: quota?.used[kind] ?? 0,
      maximum: quota?.maxima[kind] ?? null,
    })),
  };
  await text.add(JSON.stringify(reply));
}

async function largestGroups(
  reader: Reader,
  organizationId: string,
  grouping: string,
  from: string,
): Promise<string[]> {
  const rows = await reader.all<{ name: string }>(
    `SELECT ${grouping} AS name FROM usage WHERE organization = $1 AND day >= $2
     GROUP BY ${grouping} ORDER BY sum(bytes) DESC, ${grouping} LIMIT $3`,
    organizationId,
    from,
    limits.usageGroupsMax,
  );
  return rows.map(({ name }) => name);
}

async function readBytes(
  reader: Reader,
  organizationId: string,
  grouping: string,
  from: string,
  groups: readonly string[],
): Promise<UsageViewReply["bytes"]> {
  if (groups.length === 0) return [];
  const named = groups.map((_, at) => `$${at + 3}`).join(", ");
  return reader.all<UsageViewReply["bytes"][number]>(
    `SELECT day, kind, named AS of, CAST(sum(bytes) AS BIGINT) AS bytes, CAST(sum(count) AS BIGINT) AS count FROM (
       SELECT day, kind, CASE WHEN ${grouping} IN (${named}) THEN ${grouping} END AS named, bytes, count
       FROM usage WHERE organization = $1 AND day >= $2) AS grouped
     GROUP BY day, kind, named ORDER BY day, kind DESC, named`,
    organizationId,
    from,
    ...groups,
  );
}

/** Reads the stored amounts. Pending uploads count whole, with the announced size. */
async function readStored(
  reader: Reader,
  organizationId: string,
): Promise<UsageViewReply["stored"]> {
  const rows = await reader.all<{
    location: string;
    state: string;
    uploads: number;
    bytes: number;
  }>(
    `SELECT location, state, count(*) AS uploads, CAST(sum(bytes) AS BIGINT) AS bytes FROM upload
     WHERE organization = $1 AND state <> 'abandoned' GROUP BY location, state ORDER BY location`,
    organizationId,
  );
  const found = new Map<string, UsageViewReply["stored"][number]>();
  for (const { location, state, uploads, bytes } of rows) {
    const one = found.get(location) ?? { location, ...nothing };
    found.set(location, one);
    if (state === "committed") {
      one.versions += uploads;
      one.bytes += bytes;
    } else {
      one.pendingUploads += uploads;
      one.pendingBytes += bytes;
    }
  }
  return [...found.values()];
}

const nothing = { versions: 0, bytes: 0, pendingUploads: 0, pendingBytes: 0 };
