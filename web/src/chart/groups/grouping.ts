import type { Partition } from "../lines/line.ts";
import type { MetaFields } from "../lines/looks.ts";
import type { Grouping } from "../view.ts";
import { differing } from "./differing.ts";
import { groupName } from "./group-name.ts";
import { isMetaField } from "./keys.ts";

export interface Group {
  /** Values shared by its members and not by other groups. */
  name: ReturnType<typeof groupName>;
  /** Indices of its lines in the overview. */
  members: readonly number[];
  /** Whether it joins partitions of a single experiment. */
  isOfOne: boolean;
}

/**
 * Groups the lines of an overview, in the order of their first members. Partitions are
 * distinguished by their keys, experiments by their metas. If only keys of partitions are left out,
 * each experiment is a group of its own.
 */
export function groupsOf(
  lines: readonly Pick<Partition, "experimentId" | "metadata">[],
  grouping: Grouping,
  metas: ReadonlyMap<string, MetaFields>,
): Group[] {
  const groups = new Map<string, { values: Map<string, string>; members: number[] }>();
  const isEach = grouping.kind === "without" && !grouping.keys.some(isMetaField);
  for (const [at, { experimentId, metadata }] of lines.entries()) {
    const values = valuesOf(metadata, metas.get(experimentId), grouping);
    const sorted = [...values].sort(([one], [other]) => (one < other ? -1 : 1));
    const identity = JSON.stringify([isEach ? experimentId : "", sorted]);
    const known = groups.get(identity);
    if (known === undefined) groups.set(identity, { values, members: [at] });
    else known.members.push(at);
  }
  const all = [...groups.values()];
  const names = grouping.kind === "by" ? grouping.keys : differing(all.map(({ values }) => values));
  return all.map(({ values, members }) => ({
    name: groupName(
      names,
      names.map((key) => values.get(key) ?? "none"),
    ),
    members,
    isOfOne: isEach,
  }));
}

function valuesOf(
  metadata: Readonly<Record<string, string>>,
  meta: MetaFields | undefined,
  { kind, keys }: Grouping,
): Map<string, string> {
  const all = new Map([...(meta ?? []), ...Object.entries(metadata)]);
  const wanted = (key: string) => (kind === "by" ? keys.includes(key) : !keys.includes(key));
  return new Map([...all].filter(([key]) => wanted(key)));
}
