/** What happened at a place of a run, whatever series it was in. */
export interface Mark {
  kind: MarkKind;
  words: string;
  /** What is known of its place. */
  step?: number | undefined;
  timeMs?: number | undefined;
  /** Only this series is meant. */
  seriesName?: string;
  /** It is so from there on. */
  isLasting?: boolean;
  /** What was saved there. */
  saved?: SavedVersion;
}

/** A version of an artifact. What is not known yet is left out. */
export interface SavedVersion {
  artifact: string;
  version: string;
  /** It fetches the version. */
  command: string;
  /** Its page. */
  address: string;
  bytes?: number;
  files?: number;
  epoch?: number;
}

/** What weighs more stands first: of marks in one place the first gives the sign and its number. */
export const markKinds = ["error", "nonfinite", "version", "annotation", "done", "start"] as const;
export type MarkKind = (typeof markKinds)[number];

export const signs: Record<MarkKind, string> = {
  error: "✕",
  nonfinite: "▲",
  version: "◆",
  annotation: "⚑",
  done: "✓",
  start: "▸",
};

/** What the axis of a chart begins with: undefined is not known. */
export interface Anchors {
  /** The first point of the experiment, for an axis that counts from it. */
  firstMs?: number | undefined;
  /** The first step of the series, likewise. */
  firstStep?: number | undefined;
  /** How far a run had got at a time; undefined for a start that has all points before it. */
  stepAt?: ((timeMs: number, isStart: boolean) => number | undefined) | undefined;
}

/** A mark that has a place, in units of the axis. */
export interface PlacedMark {
  mark: Mark;
  x: number;
}

type Axis = "step" | "offset" | "elapsed" | "timestamp" | "metric";

/** Where a mark stands, in units of the axis; undefined where that is not known. */
export function placeOfMark({ kind, step, timeMs }: Mark, axis: Axis, anchors: Anchors) {
  const atStep = () =>
    step ?? (timeMs === undefined ? undefined : anchors.stepAt?.(timeMs, kind === "start"));
  if (axis === "step") return atStep();
  if (axis === "timestamp") return timeMs;
  if (axis === "offset") return difference(atStep(), anchors.firstStep);
  return axis === "elapsed" ? difference(timeMs, anchors.firstMs) : undefined;
}

/** Those that a chart of a series shows: of other series only what concerns all of them. */
export function marksFor(chart: string, marks: readonly Mark[]): Mark[] {
  return marks.filter(({ seriesName = chart }) => seriesName === chart);
}

/** Those marks that have a place on an axis. */
export function placedMarks(
  marks: readonly Mark[],
  { xAxis, xScale }: { xAxis: Axis; xScale: "linear" | "log" },
  anchors: Anchors,
): PlacedMark[] {
  return marks.flatMap((mark) => {
    const x = placeOfMark(mark, xAxis, anchors);
    return x === undefined || (xScale === "log" && x <= 0) ? [] : [{ mark, x }];
  });
}

/** The newest ones, where there are more than so many. */
export function newestMarks(placed: readonly PlacedMark[], most: number): PlacedMark[] {
  const newestFirst = placed.toSorted(
    ({ mark: one }, { mark: other }) => (other.timeMs ?? 0) - (one.timeMs ?? 0),
  );
  return newestFirst.slice(0, most);
}

function difference(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? undefined : one - other;
}

/** Marks so near to each other that they are one button. */
export interface Cluster {
  left: number;
  /** Undefined: at its place only; else as far as this. */
  right: number | undefined;
  marks: Mark[];
}

export interface SignOf {
  kind: MarkKind;
  /** How many of this kind there are. */
  count: number;
}

/**
 * What a cluster shows: what weighs most, with the number of its own kind; a start before it and an
 * end behind it, which are never a part of something red or green; and whether there is more.
 */
export function signsOf({ marks }: Pick<Cluster, "marks">): { shown: SignOf[]; hasMore: boolean } {
  const counts = Map.groupBy(marks, ({ kind }) => kind);
  const sign = (kind: MarkKind): SignOf[] => {
    const count = counts.get(kind)?.length ?? 0;
    return count === 0 ? [] : [{ kind, count }];
  };
  const heaviest = marks[0].kind;
  const middle = heaviest === "start" || heaviest === "done" ? [] : sign(heaviest);
  const shown = [...sign("start"), ...middle, ...sign("done")];
  return { shown, hasMore: shown.reduce((sum, { count }) => sum + count, 0) < marks.length };
}

/** By which a cluster is known while its place changes, so that its button keeps the focus. */
export function keyOf({ marks: [{ kind, step, timeMs, words }] }: Cluster): string {
  return JSON.stringify([kind, step, timeMs, words]);
}

/** A finger and a pointer hit what is as wide as this, in CSS pixels. */
const clusterWidth = 24;

/** Whether it stands at an edge of the axis where its place is beyond that. */
export function staysAtEdge({ kind }: Mark, isWhole: boolean): boolean {
  // What is not finite is no point: where none follows, the axis ends before it.
  return isWhole && kind === "nonfinite";
}

/**
 * From left to right, no two nearer than a target is wide. What lasts is drawn to the end.
 * `isWhole`: the axis has all points, and nothing is left out by a zoom.
 */
export function clustersOf(
  placed: readonly { mark: Mark; left: number }[],
  width: number,
  isWhole = false,
): Cluster[] {
  const clusters: Cluster[] = [];
  for (const { mark, left } of placed.toSorted((one, other) => one.left - other.left)) {
    const isHeld = staysAtEdge(mark, isWhole);
    if (left > width && !isHeld) continue;
    // What lasts may have begun before the picture does.
    if (left < 0 && mark.isLasting !== true && !isHeld) continue;
    const at = Math.min(width, Math.max(0, left));
    const last = clusters.at(-1);
    const right = mark.isLasting === true ? width : undefined;
    if (last === undefined || at - last.left >= clusterWidth)
      clusters.push({ left: at, right, marks: [mark] });
    else {
      last.marks.push(mark);
      last.right ??= right;
    }
  }
  for (const { marks } of clusters)
    marks.sort((one, other) => markKinds.indexOf(one.kind) - markKinds.indexOf(other.kind));
  return clusters;
}
