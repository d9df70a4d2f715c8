import type { OverviewReply } from "@lossless/client";
import type { Partition } from "./line.ts";

/**
 * The overview with lines shown as what they are where a run went over its steps again: the last
 * point of each step is the line, earlier ones are lines of their own. Lines that came in columns
 * are left as they are.
 */
export function withPasses(overview: OverviewReply): OverviewReply {
  const { xAxis, series } = overview;
  // Elsewhere several points in one place are nothing unusual.
  if (xAxis !== "step" && xAxis !== "offset") return overview;
  return { ...overview, series: series.map(passesApart) };
}

/** One line, whose x is a step. */
export function passesApart(line: Partition): Partition {
  const { exact, smoothed, back } = line;
  if (exact === undefined || !exact.x.some((x, at) => x === exact.x[at - 1])) return line;
  const { last, earlier } = occurrences(exact.x);
  const taken = (points: Points, indices: readonly number[]): Points => ({
    x: indices.map((index) => points.x[index]),
    value: indices.map((index) => points.value[index]),
  });
  const isBack = new Set(back);
  // A clock that was set back alone is no pass: the step ahead has earlier points.
  const isRepeated = (at: number) => last[at] - (last[at - 1] ?? -1) > 1;
  const breaks = [...last.keys()].filter((at) => isBack.has(last[at]) && isRepeated(at - 1));
  return {
    ...line,
    exact: taken(exact, last),
    breaks,
    earlier: earlier.map((indices) => taken(exact, indices)),
    ...(smoothed?.exact && {
      smoothed: { ...smoothed, exact: taken(smoothed.exact, last), breaks },
    }),
  };
}

type Points = NonNullable<Partition["exact"]>;

/**
 * Indices of the last point at each x, and of the earlier ones: as many lines as there are earlier
 * points at one x, each broken where a step lacks such a point.
 */
function occurrences(x: readonly number[]): { last: number[]; earlier: number[][] } {
  const last: number[] = [];
  const earlier: number[][] = [];
  /** Lines that go on, by how many points follow theirs at one x. */
  let open: number[][] = [];
  for (let start = 0; start < x.length;) {
    let end = start;
    while (x[end + 1] === x[start]) end++;
    last.push(end);
    open = open.slice(0, end - start);
    for (let after = 1; after <= end - start; after++) {
      const index = end - after;
      const line = open[after - 1];
      if (line === undefined) earlier.push((open[after - 1] = [index]));
      else line.push(index);
    }
    start = end + 1;
  }
  return { last, earlier };
}

/** Columns from the first to the last of a stretch that a run went over again. */
export interface RepeatedStretch {
  first: number;
  last: number;
}

/** The stretches that lines in columns went over again, from left to right. */
export function repeatedStretches(partitions: readonly Partition[]): RepeatedStretch[] {
  const lines = partitions.flatMap((line) => line.group?.members ?? [line]);
  const columns = [...new Set(lines.flatMap(({ repeated = [] }) => repeated))];
  const stretches: RepeatedStretch[] = [];
  for (const column of columns.sort((one, other) => one - other)) {
    const stretch = stretches.at(-1);
    if (stretch?.last === column - 1) stretch.last = column;
    else stretches.push({ first: column, last: column });
  }
  return stretches;
}
