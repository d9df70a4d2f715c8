import type { Partition } from "./paint.ts";

/** Which keys tell groups apart: these, or all but these. */
export interface Grouping {
  kind: "by" | "without";
  /** Fields of meta in the query language's spelling, or keys of partitions. */
  keys: readonly string[];
}

/** The meta of an experiment: texts of its leaves by their fields. */
export type MetaFields = ReadonlyMap<string, string>;

export interface Group {
  /** What its members have in common and other groups do not. */
  name: string;
  /** Places of its lines in the overview. */
  members: readonly number[];
  /** Whether it is one experiment's, and its partitions are what is put together. */
  isOfOne: boolean;
}

/** A field of meta is known by how it begins; partitions have other keys. */
export function isMetaField(key: string): boolean {
  return key.startsWith("meta.");
}

/**
 * The lines of an overview in groups, in the order of their first members. Partitions are told
 * apart by their keys, experiments by their metas. With nothing but keys of partitions left out,
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
    name: nameOf(values, names),
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

function nameOf(values: ReadonlyMap<string, string>, keys: readonly string[]): string {
  return keys.map((key) => `${key.replace(/^meta\./, "")}=${values.get(key) ?? "none"}`).join(" ");
}

/** The keys of which not all have the same value. */
export function differing(all: readonly ReadonlyMap<string, string>[]): string[] {
  const keys = [...new Set(all.flatMap((values) => [...values.keys()]))].sort();
  return keys.filter((key) => all.some((values) => values.get(key) !== all[0].get(key)));
}
