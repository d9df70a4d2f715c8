import type { GroupsBody, GroupsReply, OverviewBody, OverviewReply } from "@lossless/client";
import { limits } from "@lossless/protocol/limits";
import { kindsApart } from "../lines/colours.ts";
import { looksInOrder, type LineLook, type Member } from "../lines/looks.ts";
import type { Partition } from "../lines/line.ts";
import { withPasses } from "../lines/passes.ts";
import { plainText } from "../lines/value-text.ts";
import type { Band, Grouping } from "../view.ts";
import { groupName, lookOfGroup } from "./group-name.ts";
import { isFoundField, isMetaField, keyName } from "./keys.ts";
import type { GroupedOverview } from "./group-lines.ts";

/** Everything that a page finds, of which its charts draw the first lines only. */
export type Found =
  | { query: string; folderId?: string | undefined }
  | { experimentIds: readonly string[] };

/** The request for groups over all that is found, for the axis and the width of a chart. */
export function groupsRequest(
  found: Found,
  { series, xAxis, xSeriesName, xScale, start, end, columns, smooth }: OverviewBody,
  { keys }: Grouping,
): GroupsBody {
  const [{ seriesName, combined, filter = [] }] = series;
  const fields = keys.filter((key) => isFoundField(key));
  const whose =
    "query" in found
      ? { query: found.query, ...(found.folderId !== undefined && { folderId: found.folderId }) }
      : { experimentIds: found.experimentIds.slice(0, limits.groupNamedMax) };
  return {
    ...whose,
    seriesName,
    ...(combined && { combined }),
    ...(filter.length > 0 && { filter }),
    by: fields.map((key) => (isMetaField(key) ? key : keyName(key))),
    byPartition: keys.filter((key) => !isFoundField(key)),
    xAxis,
    ...(xSeriesName !== undefined && { xSeriesName }),
    ...(xScale !== undefined && { xScale }),
    ...(start !== undefined && { start }),
    ...(end !== undefined && { end }),
    columns: Math.min(columns, limits.groupColumnsMax),
    ...(smooth !== undefined && { smooth }),
    membersOf: series.map(({ experimentId }) => experimentId),
  };
}

/** The request for the lines of some members, on the columns of their groups. */
export function membersRequest(
  request: OverviewBody,
  { start, end, columns }: GroupsReply,
): OverviewBody {
  return { ...request, start, end, columns, align: false };
}

/** Draws groups as lines; those of their members that are read stand in them. */
export function foundLines(
  reply: GroupsReply & { seriesName: string },
  lines: OverviewReply | undefined,
  members: readonly Member[],
  { keys }: Grouping,
  band: Band,
): GroupedOverview {
  const { xAxis, xSeriesName, xScale, start, end, columns } = reply;
  const raster = {
    xAxis,
    ...(xSeriesName !== undefined && { xSeriesName }),
    xScale,
    start,
    end,
    columns,
  };
  const isSame =
    lines !== undefined && lines.start === start && lines.end === end && lines.columns === columns;
  const read: readonly Partition[] = isSame ? withPasses(lines).series : [];
  const drawn = read.filter(({ error }) => error === undefined);
  const groupOf = new Map(reply.members.map((one) => [identityOf(one), one.group]));
  const sorted = [...keys.filter(isFoundField), ...keys.filter((key) => !isFoundField(key))];
  const names = reply.groups.map(({ values }) => groupName(sorted, values.map(textOf)));
  const kinds = kindsApart(names.map(({ whole }) => whole));
  const looks = looksInOrder(
    { ...raster, partitions: 0, points: 0, series: drawn },
    members,
    false,
  );
  const series = reply.groups.map((group, at): Partition => {
    const own = [...drawn.keys()].filter((place) => groupOf.get(identityOf(drawn[place])) === at);
    return {
      ...lineOf(group, band, raster),
      seriesName: reply.seriesName,
      group: {
        members: own.map((place) => drawn[place]),
        looks: own.map((place) => looks[place]),
        lines: group.members,
        count: group.count,
        recorded: group.recorded.column.map((column, place) => ({
          column,
          members: group.recorded.members[place],
          x: group.recorded.x[place] ?? undefined,
        })),
        around: {
          ...(group.before !== undefined && { before: group.before }),
          ...(group.after !== undefined && { after: group.after }),
        },
      },
    };
  });
  const points = reply.groups.reduce((sum, group) => sum + group.points, 0);
  return {
    overview: { ...raster, partitions: series.length, points, series },
    looks: names.map((name): LineLook => ({
      kind: kinds.get(name.whole)!,
      ...lookOfGroup(name),
    })),
  };
}

function lineOf(
  group: GroupsReply["groups"][number],
  band: Band,
  raster: Pick<OverviewReply, "start" | "end" | "columns" | "xScale">,
): Partition {
  const { column, mean, points, unplaced, nonfinite } = group;
  const reach = group.deviation.map((deviation, at) =>
    band === "sem" ? deviation / Math.sqrt(group.count[at]) : deviation,
  );
  const [low, high] =
    band === "minmax"
      ? [group.min, group.max]
      : [mean.map((value, at) => value - reach[at]), mean.map((value, at) => value + reach[at])];
  return {
    experimentId: "",
    seriesName: "",
    metadata: {},
    points,
    ...(unplaced !== undefined && { unplaced }),
    // A mean is of finite values alone.
    ...(nonfinite !== undefined && { mayEndNonfinite: true }),
    ...extremes(group, raster),
    ...(column.length > 0 && {
      reduced: { column, first: mean, last: mean, min: low, max: high, mean },
    }),
  };
}

/** The least and the largest value, in the middles of their columns. */
function extremes(
  { column, min, max }: GroupsReply["groups"][number],
  { start, end, columns }: Pick<OverviewReply, "start" | "end" | "columns">,
): Pick<Partition, "min" | "max"> {
  if (column.length === 0) return {};
  const least = min.indexOf(min.reduce((one, other) => Math.min(one, other)));
  const largest = max.indexOf(max.reduce((one, other) => Math.max(one, other)));
  const x = (at: number) => start + ((column[at] + 0.5) * (end - start)) / columns;
  return {
    min: { x: x(least), value: min[least] },
    max: { x: x(largest), value: max[largest] },
  };
}

function identityOf({
  experimentId,
  metadata,
}: Pick<Partition, "experimentId" | "metadata">): string {
  const sorted = Object.entries(metadata).sort(([one], [other]) => (one < other ? -1 : 1));
  return JSON.stringify([experimentId, sorted]);
}

/** A value, as groups that the page makes by itself have it. */
function textOf({ kind, text }: GroupsReply["groups"][number]["values"][number]): string {
  if (kind === "none") return "none";
  return kind === "text" ? plainText(text) : text;
}

/** Says what the groups are of, and what is in none of those drawn. */
export function foundText({ experiments, withoutSeries, groups, others }: GroupsReply): string {
  const count = (number: number, noun: string) =>
    `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;
  const lines = groups.reduce((sum, group) => sum + group.members, 0);
  const damaged = groups.reduce((sum, group) => sum + (group.damaged ?? 0), 0);
  const words = [
    `N counts the ${count(lines, "line")} of all ${count(experiments, "experiment")} found`,
  ];
  if (withoutSeries > 0) words.push(`${count(withoutSeries, "experiment")} without this series`);
  if (others.groups > 0)
    words.push(
      `${count(others.groups, "smaller group")} of ${count(others.members, "line")} not drawn`,
    );
  if (damaged > 0) words.push(`${count(damaged, "line")} cannot be read and left out`);
  return words.join(", ");
}
