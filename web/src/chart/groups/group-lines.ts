import type { OverviewReply } from "@lossless/client";
import { kindsApart } from "../lines/colours.ts";
import { groupColumns } from "./group-columns.ts";
import type { Band, Grouping } from "../view.ts";
import { lookOfGroup } from "./group-name.ts";
import { groupsOf, type Group } from "./grouping.ts";
import { looksInOrder, type LineLook, type Member } from "../lines/looks.ts";
import type { Partition } from "../lines/line.ts";
import { withPasses } from "../lines/passes.ts";
import { placesAround, recordedPlaces } from "../lines/recorded-places.ts";

export interface GroupedOverview {
  /** The overview; each of its lines is a group. */
  overview: OverviewReply;
  looks: readonly LineLook[];
}

/** Replaces lines by groups; where there is a smoothed line, it is the one groupLines. */
export function groupLines(
  overview: OverviewReply,
  members: readonly Member[],
  grouping: Grouping,
  band: Band,
): GroupedOverview {
  const metas = new Map(
    members.flatMap(({ experimentId, meta }) => (meta === undefined ? [] : [[experimentId, meta]])),
  );
  // An unreadable line has no values: it stays separate, with its problem.
  const lines = overview.series.filter(({ error }) => error === undefined);
  const damaged = overview.series.filter(({ error }) => error !== undefined);
  const groups = groupsOf(lines, grouping, metas);
  const memberLooks = looksInOrder({ ...overview, series: lines }, members, false);
  const drawn = groups.map((group) =>
    groupLine(
      group.members.map((at) => lines[at]),
      group.members.map((at) => memberLooks[at]),
      overview,
      band,
    ),
  );
  const looks = looksOf(groups, lines, members);
  const rest = looksInOrder({ ...overview, series: damaged }, members, false);
  return {
    overview: { ...overview, series: [...drawn, ...damaged] },
    looks: [...looks, ...rest],
  };
}

/** Looks of groups: one of a single experiment's partitions has that experiment's look and name. */
function looksOf(
  groups: readonly Group[],
  lines: readonly Partition[],
  members: readonly Member[],
): LineLook[] {
  const own = groups.map(({ members: [first], isOfOne }) => {
    const { experimentId } = lines[first];
    return isOfOne
      ? members.find((member) => member.experimentId === experimentId)?.among
      : undefined;
  });
  const wholes = groups.map(({ name }, at) => own[at]?.name ?? name.whole);
  const kinds = kindsApart(wholes);
  return groups.map(({ name }, at) => ({
    kind: kinds.get(wholes[at])!,
    ...(own[at] ?? lookOfGroup(name)),
  }));
}

function groupLine(
  members: readonly Partition[],
  looks: readonly LineLook[],
  overview: OverviewReply,
  band: Band,
): Partition {
  const lines = members.map((member) => member.smoothed ?? member);
  const { column, mean, low, high, count } = groupColumns(lines, overview, band);
  const [recorded, around] = [recordedPlaces(lines, overview), placesAround(lines)];
  const { experimentId, seriesName } = members[0];
  const points = members.reduce((sum, member) => sum + member.points, 0);
  const unplaced = members.reduce((sum, member) => sum + (member.unplaced ?? 0), 0);
  const bounds = boundsOf(members);
  // A mean is of finite values alone.
  const mayEndNonfinite = members.some((one) => one.lastNonfinite ?? one.mayEndNonfinite);
  return {
    experimentId,
    seriesName,
    metadata: {},
    points,
    ...(unplaced > 0 && { unplaced }),
    ...(mayEndNonfinite && { mayEndNonfinite }),
    ...bounds,
    ...(column.length > 0 && {
      reduced: { column, first: mean, last: mean, min: low, max: high, mean },
    }),
    group: {
      members: withPasses({ ...overview, series: [...members] }).series,
      looks,
      lines: members.length,
      count,
      recorded,
      around,
    },
  };
}

function boundsOf(members: readonly Partition[]): Pick<Partition, "min" | "max"> {
  let min: Partition["min"];
  let max: Partition["max"];
  for (const member of members) {
    if (member.min !== undefined && member.min.value < (min?.value ?? Infinity)) min = member.min;
    if (member.max !== undefined && member.max.value > (max?.value ?? -Infinity)) max = member.max;
  }
  return { ...(min && { min }), ...(max && { max }) };
}
