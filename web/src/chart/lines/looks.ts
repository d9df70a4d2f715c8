import type { OverviewReply } from "@lossless/client";
import { kindsOf, patternCount, type Kind } from "./colours.ts";
import type { Partition } from "./line.ts";

/** The meta of an experiment: texts of its leaves by field. */
export type MetaFields = ReadonlyMap<string, string>;

/** An experiment with lines on a chart. */
export interface Member {
  experimentId: string;
  /** Grows when its series has more values: then the chart asks again. */
  revision: number;
  /** Its name and look, where it is one of several. */
  among?: { name: string; kind: Kind };
  /** The colour that somebody chose for it. */
  colour?: number | undefined;
  /** The fields by which it is grouped. */
  meta?: MetaFields | undefined;
}

/** The look of a line, and its name among others. */
export interface LineLook {
  kind: Kind;
  name: string;
  /** The keys whose values are the name of a group, and the name with them. */
  group?: { keys: string; whole: string };
}

/** The keys whose values are the names of some lines; undefined without groups. */
export function keysTold(looks: readonly LineLook[]): string | undefined {
  return looks.find(({ group }) => group !== undefined)?.group?.keys;
}

/** The name of a line where it stands alone. */
export function nameAlone({ name, group }: Pick<LineLook, "name" | "group">): string {
  return group?.whole ?? name;
}

/**
 * Looks of the lines: each of several experiments has a colour; of a single one, each partition
 * has, unless they are drawn together. Of several series each has a pattern, or of a single
 * experiment a colour.
 */
export function looksInOrder(
  overview: OverviewReply,
  members: readonly Member[],
  isTogether: boolean,
): LineLook[] {
  const kinds = kindsInOrder(overview, isTogether, members);
  const names = seriesIn(overview.series);
  return overview.series.map((line, at) => {
    const among = amongOf(line, members)?.kind;
    const pattern = (among?.pattern ?? 0) + names.indexOf(line.seriesName);
    const kind = among && { ...among, pattern: pattern % patternCount };
    return { kind: kind ?? kinds[at], name: lineName(line, members, names.length > 1) };
  });
}

/** The names of the series of some lines, each once. */
export function seriesIn(lines: readonly { seriesName: string }[]): string[] {
  return [...new Set(lines.map(({ seriesName }) => seriesName))];
}

/**
 * The name of a line: the experiment where there are several, the series where it is `ofSeveral`,
 * and the partition where a series has some.
 */
export function lineName(
  line: Pick<Partition, "experimentId" | "seriesName" | "metadata">,
  members: readonly Member[],
  ofSeveral: boolean,
): string {
  const series = ofSeveral ? line.seriesName : "";
  const run = amongOf(line, members)?.name;
  return [run, series, metaText(line.metadata)].filter(Boolean).join(" ");
}

function amongOf({ experimentId }: Pick<Partition, "experimentId">, members: readonly Member[]) {
  return members.find((member) => member.experimentId === experimentId)?.among;
}

export function metaText(meta: Readonly<Record<string, string>>): string {
  return Object.entries(meta)
    .map(([key, value]) => `${key}=${value}`)
    .join(" ");
}

/** The kinds of an overview's lines; together means that all of a series have the same. */
export function kindsInOrder(
  { series }: OverviewReply,
  isTogether: boolean,
  members: readonly Member[] = [],
): Kind[] {
  const isOne = seriesIn(series).length < 2;
  const names = series.map((line) => {
    const name = isTogether ? line.experimentId : nameOf(line);
    return isOne ? name : `${line.seriesName} ${name}`;
  });
  const chosen = members.flatMap(({ experimentId, colour }) =>
    colour === undefined ? [] : [[experimentId, colour] as const],
  );
  const kinds = kindsOf(names, new Map(chosen));
  return names.map((name) => kinds.get(name)!);
}

/** Identifies a partition by its meta; a line without one by its experiment. */
function nameOf({ experimentId, metadata }: Partition): string {
  const entries = Object.entries(metadata);
  return entries.length === 0
    ? experimentId
    : JSON.stringify(entries.sort(([one], [other]) => (one < other ? -1 : 1)));
}
