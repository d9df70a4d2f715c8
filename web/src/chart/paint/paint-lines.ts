import { paintBand, paintGroupMean, paintMembers } from "./paint-group.ts";
import {
  paintLine,
  paintManyMeans,
  paintMeans,
  type Canvas,
  type Pen,
  type Scale,
} from "./paint-line.ts";
import type { Partition } from "../lines/line.ts";

/** Dense lines from which their extents would merge into one block of colour. */
const denseMin = 4;
/** Dense lines from which means are filled rather than stroked. */
const manyMin = 17;
/** Opacity behind a smoothed line, and behind means. */
const behindSmoothed = 0.25;
const behindMeans = 0.2;
/** Opacity of points at steps that a later one has, too, as a share of the line's. */
const earlierShare = 0.4;
/** Opacity of the image of all lines beside the one under the pointer. */
export const besideRaised = 0.25;

/**
 * Paints the lines of a chart: first the extent of all points, then on top of it the line that
 * guides the eye, which is the smoothed one, or the means of columns where many dense lines
 * overlap. A group is a mean with a band.
 */
export function paintLines(
  canvas: Canvas,
  partitions: readonly Partition[],
  scale: Scale,
  pens: readonly Pen[],
): void {
  const dense = partitions.filter(({ reduced, group }) => reduced !== undefined && !group);
  const isBlock = dense.length >= denseMin;
  const paintDense = dense.length >= manyMin ? paintManyMeans : paintMeans;
  for (const [at, line] of partitions.entries())
    lay(canvas, line, scale, pens[at], isBlock && line.reduced !== undefined ? behindMeans : 1);
  for (const [at, line] of partitions.entries()) {
    if (line.group !== undefined) paintGroupMean(canvas, line, scale, pens[at]);
    else if (line.smoothed !== undefined) paintLine(canvas, line.smoothed, scale, pens[at]);
    else if (isBlock && line.reduced !== undefined) paintDense(canvas, line, scale, pens[at]);
  }
}

/** Paints the raised line above the image of all: complete, a group with its members. */
export function paintRaised(canvas: Canvas, line: Partition, scale: Scale, pen: Pen): void {
  lay(canvas, line, scale, pen, 1);
  if (line.group !== undefined) {
    paintMembers(canvas, line, scale, pen);
    paintGroupMean(canvas, line, scale, pen);
  } else if (line.smoothed !== undefined) paintLine(canvas, line.smoothed, scale, pen);
}

/** Paints the extent of all points. */
function lay(canvas: Canvas, line: Partition, scale: Scale, pen: Pen, share: number): void {
  if (line.group !== undefined) return paintBand(canvas, line, scale, pen);
  const opacity = line.smoothed !== undefined ? behindSmoothed : share;
  for (const exact of line.earlier ?? [])
    paintLine(canvas, { exact }, scale, { ...pen, opacity: opacity * earlierShare });
  paintLine(canvas, line, scale, { ...pen, opacity });
}

export interface Edges {
  top: number;
  bottom: number;
  /** The range of values at the edge. */
  low: number;
  high: number;
  isLog: boolean;
}

/** Paints a tick at the edge for each place where values leave the plot. */
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
  for (const { exact, earlier = [], reduced } of partitions) {
    const mark = (left: number, width: number, least: number, largest: number) => {
      if (largest > high) canvas.fillRect(left, top, width, tick.height);
      if (isBelow(least)) canvas.fillRect(left, bottom - tick.height, width, tick.height);
    };
    const leaves = (least: number, largest: number) => largest > high || isBelow(least);
    for (const { x, value } of [...(exact ? [exact] : []), ...earlier])
      for (const [at, each] of value.entries())
        if (leaves(each, each)) mark(scale.x(x[at]) - tick.width / 2, tick.width, each, each);
    // Most lines leave nowhere, and there may be a hundred.
    for (let at = 0; at < (reduced?.column.length ?? 0); at++) {
      const { column, min, max } = reduced!;
      if (!leaves(min[at], max[at])) continue;
      const left = scale.columnX(column[at]);
      const width = Math.max(tick.width, scale.columnX(column[at] + 1) - left);
      mark(left, width, min[at], max[at]);
    }
  }
}
