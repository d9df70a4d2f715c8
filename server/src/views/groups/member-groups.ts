import type { Field, GroupsBody, GroupValue } from "@lossless/protocol";
import type { Reader } from "../../database/database.ts";
import { matchesFilter } from "../../experiments/series/filter.ts";
import type { QueryTerms } from "../table/compile-query.ts";
import { identityOf, idsPerStatement, noValue, readGroupValues } from "./group-values.ts";
import type { Turns } from "./turns.ts";

/** A line that is reduced: a partition of the series of an experiment. */
export interface GroupMember {
  experimentId: string;
  meta: string;
  number: number;
  /** The partition with the same meta of the series whose values are x. */
  xNumber: number | undefined;
  /** The same of the series with which it is combined. */
  otherNumber: number | undefined;
  /** All partitions of the series, whatever the filter; only where an offset counts from them. */
  siblings: readonly number[];
}

export interface MemberGroup {
  values: readonly GroupValue[];
  experiments: number;
  members: GroupMember[];
}

/** Finds the members of all groups, the group with the most members first. */
export async function findMemberGroups(
  reader: Reader,
  terms: QueryTerms,
  fields: readonly Field[],
  ids: readonly string[],
  body: GroupsBody,
  turns: Turns,
): Promise<{ groups: MemberGroup[]; withoutSeries: number }> {
  const values = await readGroupValues(reader, terms, fields, ids, turns);
  const groups = new Map<string, MemberGroup>();
  let withoutSeries = 0;
  for (let start = 0; start < ids.length; start += idsPerStatement) {
    const some = ids.slice(start, start + idsPerStatement);
    const found = await findMembers(reader, some, body);
    for (const id of some) {
      const members = found.get(id) ?? [];
      if (members.length === 0) withoutSeries++;
      const met = new Set<MemberGroup>();
      for (const member of members) {
        const group = groupOf(groups, [...values.get(id)!, ...partitionValues(member, body)]);
        group.members.push(member);
        met.add(group);
      }
      for (const group of met) group.experiments++;
    }
    await turns.next();
  }
  const sorted = [...groups].sort(
    ([one, left], [other, right]) =>
      right.members.length - left.members.length || (one < other ? -1 : 1),
  );
  return { groups: sorted.map(([, group]) => group), withoutSeries };
}

function groupOf(groups: Map<string, MemberGroup>, values: GroupValue[]): MemberGroup {
  const identity = identityOf(values);
  let group = groups.get(identity);
  if (group === undefined) groups.set(identity, (group = { values, experiments: 0, members: [] }));
  return group;
}

function partitionValues({ meta }: GroupMember, { byPartition = [] }: GroupsBody): GroupValue[] {
  if (byPartition.length === 0) return [];
  const metadata = JSON.parse(meta) as Record<string, string>;
  return byPartition.map((key) =>
    Object.hasOwn(metadata, key) ? { kind: "text", text: metadata[key] } : noValue,
  );
}

interface SeriesRow {
  experiment: string;
  partition: number;
  name: string;
  meta: string;
}

/** Finds the partitions of the series that pass the filter, by experiment, by their metas. */
async function findMembers(
  reader: Reader,
  ids: readonly string[],
  { seriesName, combined, filter = [], xAxis, xSeriesName }: GroupsBody,
): Promise<Map<string, GroupMember[]>> {
  const names = [seriesName, xSeriesName, combined?.seriesName].filter(
    (name) => name !== undefined,
  );
  const rows = await reader.all<SeriesRow>(
    `SELECT experiment, partition, name, meta FROM series
     WHERE ${reader.isOneOf("experiment", "$1")} AND ${reader.isOneOf("name", "$2")}
     ORDER BY experiment, meta, partition`,
    JSON.stringify(ids),
    JSON.stringify(names),
  );
  const partnersIn = (series: string | undefined) => {
    if (series === undefined) return undefined;
    const named = rows.filter(({ name }) => name === series);
    return new Map(
      named.map(({ experiment, partition, meta }) => [`${experiment} ${meta}`, partition]),
    );
  };
  const [partners, others] = [partnersIn(xSeriesName), partnersIn(combined?.seriesName)];
  const siblings = new Map<string, number[]>();
  const found = new Map<string, GroupMember[]>();
  for (const { experiment, partition, name, meta } of rows) {
    if (name !== seriesName) continue;
    const beside = siblings.get(experiment) ?? [];
    if (xAxis === "offset") siblings.set(experiment, beside);
    beside.push(partition);
    if (filter.length > 0 && !matchesFilter(JSON.parse(meta) as Record<string, string>, filter))
      continue;
    const xNumber = partners?.get(`${experiment} ${meta}`);
    const otherNumber = others?.get(`${experiment} ${meta}`);
    if (combined !== undefined && otherNumber === undefined) continue;
    const own = { experimentId: experiment, meta, number: partition, xNumber, otherNumber };
    const member = { ...own, siblings: xAxis === "offset" ? beside : [] };
    const known = found.get(experiment);
    if (known === undefined) found.set(experiment, [member]);
    else known.push(member);
  }
  return found;
}
