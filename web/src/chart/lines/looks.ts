import type { OverviewReply } from "@lossless/client";
import { kindsOf, type Kind } from "./colours.ts";
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
  /** The fields by which it is grouped. */
  meta?: MetaFields | undefined;
}

/** The look of a line, and its name among others. */
export interface LineLook {
  kind: Kind;
  name: string;
}

/**
 * Looks of the lines: each of several experiments has a colour; of a single one, each partition
 * has, unless they are drawn together.
 */
export function looksInOrder(
  overview: OverviewReply,
  members: readonly Member[],
  isTogether: boolean,
): LineLook[] {
  const kinds = kindsInOrder(overview, isTogether);
  return overview.series.map((line, at) => {
    const kind = amongOf(line, members)?.kind ?? kinds[at];
    return { kind, name: lineName(line, members) };
  });
}

/**
 * The name of a line: the experiment where there are several, and the partition where a series has
 * some.
 */
export function lineName(
  line: Pick<Partition, "experimentId" | "metadata">,
  members: readonly Member[],
): string {
  return [amongOf(line, members)?.name, metaText(line.metadata)].filter(Boolean).join(" ");
}

function amongOf({ experimentId }: Pick<Partition, "experimentId">, members: readonly Member[]) {
  return members.find((member) => member.experimentId === experimentId)?.among;
}

export function metaText(meta: Readonly<Record<string, string>>): string {
  return Object.entries(meta)
    .map(([key, value]) => `${key}=${value}`)
    .join(" ");
}

/** The kinds of an overview's lines; together means that all have the same. */
export function kindsInOrder({ series }: OverviewReply, isTogether: boolean): Kind[] {
  const names = series.map((partition) =>
    isTogether ? partition.experimentId : nameOf(partition),
  );
  const kinds = kindsOf(names);
  return names.map((name) => kinds.get(name)!);
}

/** Identifies a partition by its meta; a line without one by its experiment. */
function nameOf({ experimentId, metadata }: Partition): string {
  const entries = Object.entries(metadata);
  return entries.length === 0
    ? experimentId
    : JSON.stringify(entries.sort(([one], [other]) => (one < other ? -1 : 1)));
}
