/** Runs in the browser of test/web/painters.ts: two painters of the same points. */
import { columnAround, shareOf, type Raster } from "@lossless/protocol/raster";
import { passesApart } from "../lines/passes.ts";
import { besideRaised, paintLines, paintRaised } from "./paint-lines.ts";
import { paintLine, type Canvas, type Pen, type Scale } from "./paint-line.ts";
import type { Line, Partition } from "../lines/line.ts";

/** All points of a series, beyond the range of the picture too. */
export interface Points {
  step: number[];
  value: number[];
  /** When they were recorded; without it no point was recorded before the one ahead of it. */
  ms?: number[];
}

export interface PictureSize {
  width: number;
  height: number;
  isLog: boolean;
}

export interface Ink {
  colour: string;
  width: number;
}

const pen = { colour: "#0b6b57", width: 1.5, pattern: 0, opacity: 1 };

/** Pixels in which the picture of the reply differs from the picture of all points. */
export function differingPixels(
  points: Points,
  picture: PictureSize,
  partition: Partition,
  raster: Raster,
): number {
  const scale = scaleOf(points, picture, raster);
  const own = pixelsOf(picture, (canvas) =>
    paintLines(canvas, [passesApart(partition)], scale, [pen]),
  );
  const all = pixelsOf(picture, (canvas) =>
    paintEveryPoint(canvas, points, scale, raster, partition.reduced !== undefined, pen),
  );
  if (all.every((pixel) => pixel === 0)) throw new Error("nothing is painted");
  return own.filter((pixel, at) => pixel !== all[at]).length;
}

/** The same where no column is joined to its neighbours. */
export function differingWithoutJoins(
  points: Points,
  picture: PictureSize,
  partition: Partition,
  raster: Raster,
): number {
  const scale = scaleOf(points, picture, raster);
  const alone = pixelsOf(picture, (canvas) => {
    for (const at of partition.reduced!.column.keys()) {
      const cut = Object.entries(partition.reduced!).map(([key, all]) => [key, [all[at]]]);
      const reduced = Object.fromEntries(cut) as NonNullable<Line["reduced"]>;
      paintLine(canvas, { reduced }, scale, pen);
    }
  });
  const all = pixelsOf(picture, (canvas) =>
    paintEveryPoint(canvas, points, scale, raster, true, pen),
  );
  return alone.filter((pixel, at) => pixel !== all[at]).length;
}

/**
 * The same for many dense lines over each other, in the order of their points: the extent of each,
 * faint, and above it the mean of each in every column. A raised one is complete, above the faded
 * picture.
 */
export function differingLines(
  lines: readonly Points[],
  picture: PictureSize,
  partitions: readonly Partition[],
  raster: Raster,
  raised: number | null,
): number {
  const value = lines.flatMap((line) => line.value);
  const scale = scaleOf({ step: [], value }, picture, raster);
  const pens = lines.map((_, at) => ({ ...pen, colour: colours[at % 3], pattern: at % 3 }));
  const extents = (canvas: Canvas, at: number, opacity: number) =>
    paintInRuns(canvas, lines[at], scale, raster, { ...pens[at], opacity });
  const own = pixelsAbove(
    picture,
    (canvas) => paintLines(canvas, partitions, scale, pens),
    raised === null
      ? null
      : (canvas) => paintRaised(canvas, partitions[raised], scale, pens[raised]),
  );
  const all = pixelsAbove(
    picture,
    (canvas) => {
      for (const at of lines.keys()) extents(canvas, at, 0.2);
      for (const at of lines.keys())
        paintInRuns(canvas, meansOf(lines[at], raster), scale, raster, pens[at]);
    },
    raised === null ? null : (canvas) => extents(canvas, raised, 1),
  );
  if (all.every((pixel) => pixel === 0)) throw new Error("nothing is painted");
  return own.filter((pixel, at) => pixel !== all[at]).length;
}

const colours = ["#0b6b57", "#b0336b", "#2a50d0"];

/** One point a column: the mean of its points. Beside the range it is the neighbouring point. */
function meansOf(points: Points, raster: Raster): Points {
  const { start, end } = raster;
  const first = points.step.findIndex((each) => each >= start);
  const next = points.step.findIndex((each) => each >= end);
  const last = next < 0 ? points.step.length - 1 : next;
  const [step, value] = [points.step, points.value].map((all) =>
    all.slice(Math.max(0, first - 1), last + 1),
  );
  const sums = new Map<number, { step: number; sum: number; count: number }>();
  for (const [at, each] of step.entries()) {
    const column = columnAround(raster, each);
    const known = sums.get(column) ?? { step: each, sum: 0, count: 0 };
    sums.set(column, { ...known, sum: known.sum + value[at], count: known.count + 1 });
  }
  const all = [...sums.values()];
  return { step: all.map((one) => one.step), value: all.map(({ sum, count }) => sum / count) };
}

/** Dims every other run of columns of a pattern. */
function paintInRuns(
  canvas: Canvas,
  points: Points,
  scale: Scale,
  raster: Raster,
  { colour, width, pattern, opacity }: Pen,
): void {
  const run = [Infinity, 14, 4][pattern];
  canvas.fillStyle = colour;
  const fill = canvas.fillRect.bind(canvas);
  const weakened = {
    ...inkOf(canvas),
    fillRect(x: number, y: number, w: number, h: number) {
      // The left edge of a column is where it begins, so this is the column of its middle.
      const column = Math.round(((x + w / 2) / scale.right) * raster.columns - 0.5);
      canvas.globalAlpha = Math.floor(column / run) % 2 === 1 ? opacity * 0.45 : opacity;
      fill(x, y, w, h);
    },
  } as Canvas;
  paintColumnsThrough(weakened, points, scale, raster, { colour, width });
}

/** The methods for strokes; for dense lines they do nothing. */
function inkOf(canvas: Canvas): Pick<Canvas, "beginPath" | "moveTo" | "lineTo" | "stroke"> {
  return {
    beginPath: () => canvas.beginPath(),
    moveTo: (x, y) => canvas.moveTo(x, y),
    lineTo: (x, y) => canvas.lineTo(x, y),
    stroke: () => canvas.stroke(),
  };
}

/** Heights cover all points, so that they do not depend on the reply. */
function scaleOf(points: Points, { width, height, isLog }: PictureSize, raster: Raster): Scale {
  const place = (value: number) => (isLog ? Math.log(value) : value);
  const places = points.value.map(place);
  const low = places.reduce((least, each) => Math.min(least, each), Infinity);
  const high = places.reduce((most, each) => Math.max(most, each), -Infinity);
  const room = (high - low || 1) * 1.1;
  return {
    columnX: (column) => Math.round((column / raster.columns) * width),
    columnOf: (x) => columnAround(raster, x),
    x: (x) => shareOf(raster, x) * width,
    y: (value) => (1 - (place(value) - low + room / 22) / room) * height,
    left: 0,
    right: width,
    bottom: height,
  };
}

/** Paints columns, or a line. Values at or below 0 have no place on a logarithmic axis. */
export function paintEveryPoint(
  canvas: Canvas,
  { step, value, ms }: Points,
  scale: Scale,
  raster: Raster,
  isDense: boolean,
  ink: Ink,
): void {
  canvas.fillStyle = canvas.strokeStyle = ink.colour;
  canvas.lineWidth = ink.width;
  canvas.lineJoin = "round";
  const isPlaced = (at: number) => raster.xScale !== "log" || step[at] > 0;
  const points = {
    step: step.filter((_, at) => isPlaced(at)),
    value: value.filter((_, at) => isPlaced(at)),
    ...(ms && { ms: ms.filter((_, at) => isPlaced(at)) }),
  };
  if (isDense) paintColumnsThrough(canvas, points, scale, raster, ink);
  else paintLineThrough(canvas, points, scale, raster, ink);
}

/**
 * Walks from point to point. Within a column the segment covers all values in between; half of the
 * way to the next column belongs to each; across columns without points it is a line. The canvas
 * clips what lies beside the picture.
 */
function paintColumnsThrough(
  canvas: Canvas,
  { step, value }: Points,
  scale: Scale,
  raster: Raster,
  ink: Ink,
): void {
  const tops = new Map<number, number>();
  const bottoms = new Map<number, number>();
  const cover = (column: number, y: number): void => {
    tops.set(column, Math.min(tops.get(column) ?? Infinity, y));
    bottoms.set(column, Math.max(bottoms.get(column) ?? -Infinity, y));
  };
  const middle = (column: number) => (scale.columnX(column) + scale.columnX(column + 1)) / 2;
  const ways = new Map<number, [CanvasPoint, CanvasPoint]>();
  for (let at = 0; at < step.length; at++) {
    const column = columnAround(raster, step[at]);
    const y = scale.y(value[at]);
    cover(column, y);
    if (at + 1 === step.length) break;
    const next = columnAround(raster, step[at + 1]);
    const nextY = scale.y(value[at + 1]);
    if (next === column + 1) {
      cover(column, (y + nextY) / 2);
      cover(next, (y + nextY) / 2);
    } else if (next > column) {
      ways.set(column, [
        { x: middle(column), y },
        { x: middle(next), y: nextY },
      ]);
    }
  }
  for (const [column, top] of tops) {
    const left = scale.columnX(column);
    const bottom = bottoms.get(column)! + ink.width / 2;
    const upper = top - ink.width / 2;
    canvas.fillRect(left, upper, Math.max(1, scale.columnX(column + 1) - left), bottom - upper);
    const way = ways.get(column);
    if (way !== undefined) strokeSeen(canvas, way, scale, ink);
  }
}

/**
 * Paints a line through the last point of every step, and fainter ones through earlier points; a
 * single point is a dot.
 */
function paintLineThrough(
  canvas: Canvas,
  points: Points,
  scale: Scale,
  { start, end }: Raster,
  ink: Ink,
): void {
  const { step, value } = points;
  const rows = [...step.keys()];
  const place = (at: number) => ({ x: scale.x(step[at]), y: scale.y(value[at]) });
  const inside = rows.filter((at) => step[at] >= start && step[at] < end);
  const ofStep = [...Map.groupBy(inside, (at) => step[at]).values()];
  canvas.globalAlpha = 0.4;
  for (let back = 2; ofStep.some(({ length }) => length >= back); back++) {
    let line: number[] = [];
    for (const each of [...ofStep, []]) {
      if (each.length >= back) line.push(each.at(-back)!);
      else {
        strokeOrDot(canvas, line.map(place), scale, ink);
        line = [];
      }
    }
  }
  canvas.globalAlpha = 1;
  const before = rows.findLast((at) => step[at] < start);
  const after = rows.find((at) => step[at] >= end);
  let line = before === undefined ? [] : [before];
  for (const [number, each] of ofStep.entries()) {
    const ahead = ofStep[number - 1] ?? [];
    const isBack = (points.ms?.[each[0]] ?? 0) < (points.ms?.[ahead.at(-1) ?? -1] ?? 0);
    if (ahead.length > 1 && each.length === 1 && isBack) {
      strokeOrDot(canvas, line.map(place), scale, ink);
      line = [];
    }
    line.push(each.at(-1)!);
  }
  if (after !== undefined) line.push(after);
  strokeOrDot(canvas, line.map(place), scale, ink);
}

function strokeOrDot(canvas: Canvas, places: CanvasPoint[], scale: Scale, ink: Ink): void {
  if (places.length > 1) return strokeSeen(canvas, places, scale, ink);
  if (places.length === 0) return;
  canvas.beginPath();
  canvas.arc(places[0].x, places[0].y, 1.5 * ink.width, 0, 2 * Math.PI);
  canvas.fill();
}

interface CanvasPoint {
  x: number;
  y: number;
}

/**
 * Strokes once, without parts so far out that single precision would bend them: ends are cut where
 * the pages cut them, since a pixel may depend on that by a 255th.
 */
function strokeSeen(canvas: Canvas, places: CanvasPoint[], { left, right }: Scale, ink: Ink): void {
  const cutAt = (edge: number, end: CanvasPoint, other: CanvasPoint) => {
    if ((end.x - edge) * (other.x - edge) >= 0) return end;
    return { x: edge, y: other.y + (end.y - other.y) * ((edge - other.x) / (end.x - other.x)) };
  };
  const [first, last] = [places[0], places[places.length - 1]];
  const seen = [...places];
  seen[0] = cutAt(left - 4 * ink.width, first, places[1] ?? first);
  seen[seen.length - 1] = cutAt(right + 4 * ink.width, last, places.at(-2) ?? last);
  canvas.beginPath();
  for (const [at, { x, y }] of seen.entries()) {
    if (at === 0) canvas.moveTo(x, y);
    else canvas.lineTo(x, y);
  }
  canvas.stroke();
}

function pixelsOf(picture: PictureSize, draw: (canvas: Canvas) => void): Uint32Array {
  const context = contextOf(picture);
  draw(context);
  return pixelsIn(context);
}

/** The pixels of a picture, or of one upon another that has faded. */
function pixelsAbove(
  picture: PictureSize,
  draw: (canvas: Canvas) => void,
  drawAbove: ((canvas: Canvas) => void) | null,
): Uint32Array {
  const below = contextOf(picture);
  draw(below);
  if (drawAbove === null) return pixelsIn(below);
  const context = contextOf(picture);
  context.globalAlpha = besideRaised;
  context.drawImage(below.canvas, 0, 0);
  drawAbove(context);
  return pixelsIn(context);
}

function contextOf({ width, height }: PictureSize): CanvasRenderingContext2D {
  const canvas = document.createElement("canvas");
  canvas.width = width;
  canvas.height = height;
  return canvas.getContext("2d")!;
}

function pixelsIn(context: CanvasRenderingContext2D): Uint32Array {
  const { width, height } = context.canvas;
  return new Uint32Array(context.getImageData(0, 0, width, height).data.buffer);
}
