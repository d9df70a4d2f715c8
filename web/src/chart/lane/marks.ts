/** An event of a run at a place on the axis. */
export interface Mark {
  kind: MarkKind;
  words: string;
  /** The known parts of its place. */
  step?: number | undefined;
  timeMs?: number | undefined;
  /** The only series that it concerns; absent: all. */
  seriesName?: string;
  /** Whether it lasts from its place on. */
  isLasting?: boolean;
  /** The version saved there. */
  saved?: SavedVersion;
  /** Shows what was logged there. */
  show?: () => void;
}

/** A version of an artifact. Unknown facts are absent. */
export interface SavedVersion {
  artifact: string;
  version: string;
  /** The command that fetches the version. */
  command: string;
  /** Address of its page. */
  address: string;
  bytes?: number;
  files?: number;
}

/**
 * Kinds of marks by importance: of marks in one place the first kind gives the sign and its count.
 */
export const markKinds = [
  "error",
  "nonfinite",
  "version",
  "annotation",
  "media",
  "done",
  "start",
] as const;
export type MarkKind = (typeof markKinds)[number];

export const signs: Record<MarkKind, string> = {
  error: "✕",
  nonfinite: "▲",
  version: "◆",
  annotation: "⚑",
  media: "▣",
  done: "✓",
  start: "▸",
};

/** Origins of a chart's axis; undefined: not known. */
export interface Anchors {
  /** Time of the experiment's first point, for an axis that counts from it. */
  firstMs?: number | undefined;
  /** First step of the series, for an axis that counts from it. */
  firstStep?: number | undefined;
  /** The step that a run had reached at a time; undefined for a start before all points. */
  stepAt?: ((timeMs: number, isStart: boolean) => number | undefined) | undefined;
}

/** A mark with its place, in units of the axis. */
export interface PlacedMark {
  mark: Mark;
  x: number;
}

type Axis = "step" | "offset" | "elapsed" | "timestamp" | "metric";

/** The place of a mark, in units of the axis; undefined where unknown. */
export function placeOfMark({ kind, step, timeMs }: Mark, axis: Axis, anchors: Anchors) {
  const atStep = () =>
    step ?? (timeMs === undefined ? undefined : anchors.stepAt?.(timeMs, kind === "start"));
  if (axis === "step") return atStep();
  if (axis === "timestamp") return timeMs;
  if (axis === "offset") return difference(atStep(), anchors.firstStep);
  return axis === "elapsed" ? difference(timeMs, anchors.firstMs) : undefined;
}

/** The marks on a chart of a series: its own, and those that concern all series. */
export function marksFor(names: readonly string[], marks: readonly Mark[]): Mark[] {
  return marks.filter(({ seriesName = names[0] }) => names.includes(seriesName));
}

/** The marks with a place on an axis. */
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

/** The newest marks, at most `most`. */
export function newestMarks(placed: readonly PlacedMark[], most: number): PlacedMark[] {
  const newestFirst = placed.toSorted(
    ({ mark: one }, { mark: other }) => (other.timeMs ?? 0) - (one.timeMs ?? 0),
  );
  return newestFirst.slice(0, most);
}

function difference(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? undefined : one - other;
}

/** Adjacent marks that share one button. */
export interface Cluster {
  left: number;
  /** The end of lasting marks; undefined: they are only at their place. */
  right: number | undefined;
  marks: Mark[];
}

export interface SignOf {
  kind: MarkKind;
  /** Number of marks of this kind. */
  count: number;
}

/**
 * The signs of a cluster: the most important kind with its count; a start before it and an end
 * after it, which are never merged with red or green signs; and whether there is more.
 */
export function signsOf({ marks }: Pick<Cluster, "marks">): { shown: SignOf[]; hasMore: boolean } {
  const counts = Map.groupBy(marks, ({ kind }) => kind);
  const sign = (kind: MarkKind): SignOf[] => {
    const count = counts.get(kind)?.length ?? 0;
    if (count === 0) return [];
    // A mark stands for several steps where there are very many.
    return [{ kind, count: kind === "media" ? 1 : count }];
  };
  const heaviest = marks[0].kind;
  const middle = heaviest === "start" || heaviest === "done" ? [] : sign(heaviest);
  const shown = [...sign("start"), ...middle, ...sign("done")];
  const isShown = new Set(shown.map(({ kind }) => kind));
  return { shown, hasMore: marks.some(({ kind }) => !isShown.has(kind)) };
}

/** Identifies a cluster while its place changes, so that its button keeps the focus. */
export function keyOf({ marks: [{ kind, step, timeMs, words }] }: Cluster): string {
  return JSON.stringify([kind, step, timeMs, words]);
}

/** Width of a cluster's button in CSS pixels, a target for fingers and pointers. */
const clusterWidth = 24;

/** Whether a mark is drawn at the edge of the axis when its place is beyond. */
export function staysAtEdge({ kind }: Mark, isWhole: boolean): boolean {
  // Non-finite values are not points: if none follow, the axis ends before them.
  return isWhole && kind === "nonfinite";
}

/**
 * Clusters from left to right, no closer than a target's width. Lasting marks reach to the end.
 * `isWhole`: the axis has all points, without a zoom.
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
    // A lasting mark may begin before the plot.
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
