import { paintBand, paintGroupMean, paintMembers } from "./paint-group.ts";
import {
  paint,
  paintManyMeans,
  paintMeans,
  type Canvas,
  type Partition,
  type Pen,
  type Scale,
} from "./paint.ts";

/** So many dense lines painted whole would be one block of colour. */
const denseMin = 4;
/** So many are no longer stroked. */
const manyMin = 17;
/** What lies behind a smoothed line, behind means, and beside the line under the pointer. */
const behindSmoothed = 0.25;
const behindMeans = 0.2;
const besideRaised = 0.25;

/**
 * Paints the lines of a chart: first what all points cover, then above it what leads the eye, which
 * is the smoothed line where there is one, and the means of columns where many dense lines stand
 * together. The raised line is whole, above all others, and they fade. A group is a mean with a
 * band; raised it shows its members.
 */
export function paintLines(
  canvas: Canvas,
  partitions: readonly Partition[],
  scale: Scale,
  pens: readonly Pen[],
  raised: number | undefined,
): void {
  const dense = partitions.filter(({ reduced, group }) => reduced !== undefined && !group);
  const isBlock = dense.length >= denseMin;
  const isMany = dense.length >= manyMin;
  const order = [...partitions.keys()].filter((at) => at !== raised);
  const others = raised === undefined ? 1 : besideRaised;
  const lay = (at: number, strength: number) => {
    const { smoothed, reduced, group } = partitions[at];
    if (group !== undefined)
      return paintBand(canvas, partitions[at], scale, { ...pens[at], opacity: strength });
    const isBehindMeans = isBlock && at !== raised && reduced !== undefined;
    const share = smoothed !== undefined ? behindSmoothed : isBehindMeans ? behindMeans : 1;
    paint(canvas, partitions[at], scale, { ...pens[at], opacity: strength * share });
  };
  const lead = (at: number, strength: number) => {
    const { smoothed, reduced, group } = partitions[at];
    const pen = { ...pens[at], opacity: strength };
    if (group !== undefined) {
      if (at === raised) paintMembers(canvas, partitions[at], scale, pen);
      paintGroupMean(canvas, partitions[at], scale, pen);
    } else if (smoothed !== undefined) paint(canvas, smoothed, scale, pen);
    else if (isBlock && at !== raised && reduced !== undefined)
      (isMany ? paintManyMeans : paintMeans)(canvas, partitions[at], scale, pen);
  };
  for (const at of order) lay(at, others);
  for (const at of order) lead(at, others);
  if (raised === undefined || partitions[raised] === undefined) return;
  lay(raised, 1);
  lead(raised, 1);
}

export interface Edges {
  top: number;
  bottom: number;
  /** The values that stand there. */
  low: number;
  high: number;
  isLog: boolean;
}

/** A tick at the edge for each place where values leave the picture. */
export function paintEdges(
  canvas: Canvas,
  partitions: readonly Partition[],
  scale: Scale,
  { top, bottom, low, high, isLog }: Edges,
  tick: { colour: string; width: number; height: number },
): void {
  canvas.globalAlpha = 1;
  canvas.fillStyle = tick.colour;
  const isBelow = (value: number) => value < low || (isLog && value <= 0);
  for (const { exact, reduced } of partitions) {
    const mark = (left: number, width: number, least: number, largest: number) => {
      if (largest > high) canvas.fillRect(left, top, width, tick.height);
      if (isBelow(least)) canvas.fillRect(left, bottom - tick.height, width, tick.height);
    };
    for (const [at, value] of exact?.value.entries() ?? [])
      mark(scale.x(exact!.x[at]) - tick.width / 2, tick.width, value, value);
    for (const [at, column] of reduced?.column.entries() ?? []) {
      const left = scale.columnX(column);
      const width = Math.max(tick.width, scale.columnX(column + 1) - left);
      mark(left, width, reduced!.min[at], reduced!.max[at]);
    }
  }
}
