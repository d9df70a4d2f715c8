import {
  gaussPointsMax,
  smoothOf,
  weightMax,
  type ChartView,
  type Range,
  type Smooth,
} from "../../chart/view.ts";
import { countText } from "../../parts/words.ts";
import { edgeExamples, edgeIn, edgeText, type EdgeKind } from "../../parts/edge-text.ts";

/** The view of the charts as typed text; empty means everything, or no smoothing. */
export interface ExactFields {
  xFrom: string;
  xTo: string;
  yFrom: string;
  yTo: string;
  smoothing: "" | Smooth["kind"];
  /** A weight, or a number of points. */
  amount: string;
}

type AxesView = Pick<ChartView, "x" | "range" | "heights" | "smooth">;

const kinds: Record<ChartView["x"]["kind"], EdgeKind> = {
  step: "number",
  offset: "number",
  metric: "number",
  elapsed: "duration",
  time: "time",
};

export function exactFields({ x, range, heights, smooth }: AxesView): ExactFields {
  const written = heights === "robust" ? undefined : heights;
  return {
    xFrom: range === undefined ? "" : edgeText(kinds[x.kind], range.start),
    xTo: range === undefined ? "" : edgeText(kinds[x.kind], range.end - behind(x)),
    yFrom: written === undefined ? "" : String(written.start),
    yTo: written === undefined ? "" : String(written.end),
    smoothing: smooth?.kind ?? "",
    amount:
      smooth === undefined ? "" : String(smooth.kind === "gauss" ? smooth.points : smooth.weight),
  };
}

/** An example of an end of x. */
export function exampleOfX({ x }: AxesView): string {
  return x.kind === "metric"
    ? edgeExamples.number
    : { ...edgeExamples, number: "1000" }[kinds[x.kind]];
}

/** Parses the changed fields. Throws sentences for the reader about invalid ones. */
export function exactChange(view: AxesView, fields: ExactFields): Partial<ChartView> {
  const before = exactFields(view);
  const isOther = (...names: (keyof ExactFields)[]) =>
    names.some((name) => fields[name].trim() !== before[name]);
  return {
    ...(isOther("xFrom", "xTo") && { range: rangeOfX(view, fields) }),
    ...(isOther("yFrom", "yTo") && { heights: rangeIn("y", "number", fields.yFrom, fields.yTo) }),
    ...(isOther("smoothing", "amount") && { smooth: smoothIn(fields) }),
  };
}

function rangeOfX({ x }: AxesView, { xFrom, xTo }: ExactFields): Range | undefined {
  const range = rangeIn("x", kinds[x.kind], xFrom, xTo, x.kind !== "metric");
  if (range === undefined || x.kind === "metric") return range;
  const start = Math.max(0, Math.floor(range.start));
  return { start, end: Math.max(start, Math.floor(range.end)) + behind(x) };
}

/** Added to a typed end of steps or milliseconds, which is shown inclusively. */
function behind({ kind }: AxesView["x"]): number {
  return kind === "metric" ? 0 : 1;
}

function rangeIn(
  axis: "x" | "y",
  kind: EdgeKind,
  from: string,
  to: string,
  mayBeOne = false,
): Range | undefined {
  const [low, high] = [from.trim(), to.trim()];
  if (low === "" && high === "") return undefined;
  const start = low === "" ? undefined : edgeIn(kind, low, false);
  const end = high === "" ? undefined : edgeIn(kind, high, true);
  if (start !== undefined && end !== undefined && (start < end || (mayBeOne && start === end)))
    return { start, end };
  throw new Error(
    `Enter both ends of ${axis}, such as ${edgeExamples[kind]}, the lower one first, or leave both empty to show all of it.`,
  );
}

function smoothIn({ smoothing, amount }: ExactFields): ChartView["smooth"] {
  if (smoothing === "") return undefined;
  const smooth = smoothOf(`${smoothing}:${amount.trim()}`);
  if (smooth !== undefined) return smooth;
  throw new Error(
    smoothing === "gauss"
      ? `A Gaussian needs a number of points from 1 to ${countText(gaussPointsMax)}.`
      : `The weight of smoothing is a number above 0 and up to ${weightMax}, such as 0.95.`,
  );
}
