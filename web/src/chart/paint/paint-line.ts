import type { Line } from "../lines/line.ts";

/** Positions on the canvas, in device pixels; y grows downwards. */
export interface Scale {
  /** The left edge of a column, also of one beyond the range. */
  columnX(column: number): number;
  /** The column of x, in the range or beyond. */
  columnOf(x: number): number;
  x(value: number): number;
  /** NaN where the axis has no place: at 0 and below on a logarithmic one. */
  y(value: number): number;
  /** The edges of the plot. */
  left: number;
  right: number;
  bottom: number;
}

export interface Pen {
  colour: string;
  width: number;
  /** Index in `runs`. */
  pattern: number;
  opacity: number;
}

/** The methods in use: tests check a list of their calls. */
export type Canvas = Pick<
  CanvasRenderingContext2D,
  | "fillStyle"
  | "strokeStyle"
  | "lineWidth"
  | "lineJoin"
  | "globalAlpha"
  | "setLineDash"
  | "fillRect"
  | "beginPath"
  | "moveTo"
  | "lineTo"
  | "stroke"
  | "arc"
  | "fill"
>;

/** Columns of a dash pattern: that many drawn solid, then as many dimmed; none is left out. */
const runs = [Infinity, 14, 4];
const weaker = 0.45;

/**
 * Paints one line. A column of many points is a rectangle from its least to its largest value,
 * extended half of the way to its neighbours: it covers what a line through every point would
 * cover. Unreduced points make an ordinary line. It continues to the points next to the range.
 */
export function paintLine(canvas: Canvas, line: Line, scale: Scale, pen: Pen): void {
  take(canvas, pen);
  if (line.reduced !== undefined) paintColumns(canvas, line, line.reduced, scale, pen);
  else strokeLine(canvas, throughPicture(line, scale, pen), pen);
}

/** Paints a line through the means of columns, which lie within every extent. */
export function paintMeans(canvas: Canvas, line: Line, scale: Scale, pen: Pen): void {
  if (line.reduced === undefined) return;
  take(canvas, pen);
  const { column, mean } = line.reduced;
  const moved = (point: Line["before"]) => point && { ...point, x: scale.columnOf(point.x) };
  const means = { exact: { x: column, value: mean } };
  const around = { before: moved(line.before), after: moved(line.after) };
  const middles = { ...scale, x: (at: number) => middleOf(scale, at) };
  strokeLine(canvas, throughPicture({ ...means, ...around }, middles, pen), pen);
}

/**
 * The same with rectangles, each extended half of the way to its neighbours: without a graphics
 * card a browser strokes hundreds of lines ten times slower than it fills these.
 */
export function paintManyMeans(canvas: Canvas, line: Line, scale: Scale, pen: Pen): void {
  if (line.reduced === undefined) return;
  take(canvas, pen);
  const { column, mean } = line.reduced;
  const level = { column, first: mean, last: mean, min: mean, max: mean, mean };
  paintColumns(canvas, line, level, scale, pen);
}

function middleOf(scale: Scale, column: number): number {
  return (scale.columnX(column) + scale.columnX(column + 1)) / 2;
}

function take(canvas: Canvas, { colour, width, opacity }: Pen): void {
  canvas.fillStyle = colour;
  canvas.strokeStyle = colour;
  canvas.lineWidth = width;
  canvas.lineJoin = "round";
  canvas.globalAlpha = opacity;
}

interface CanvasPoint {
  x: number;
  y: number;
}

interface LinePoints {
  exact?: Line["exact"] | undefined;
  before?: Line["before"] | undefined;
  after?: Line["after"] | undefined;
  breaks?: Line["breaks"] | undefined;
}

/** The places of a line's points, including those before and after the plot. */
function throughPicture(
  { exact, before, after, breaks = [] }: LinePoints,
  scale: Scale,
  pen: Pen,
): CanvasPoint[] {
  const placeOf = (x: number, value: number) => ({ x: scale.x(x), y: scale.y(value) });
  const places = exact?.x.map((x, at) => placeOf(x, exact.value[at])) ?? [];
  // A place that the axis does not have ends a line, and the next one begins another.
  for (const at of breaks.toReversed()) places.splice(at, 0, { x: NaN, y: NaN });
  if (before !== undefined) places.unshift(placeOf(before.x, before.value));
  if (after !== undefined) places.push(placeOf(after.x, after.value));
  if (places.length < 2) return before === undefined && after === undefined ? places : [];
  const [second, next] = [places[1], places[places.length - 2]];
  if (before !== undefined) places[0] = broughtNear(places[0], second, scale, pen);
  if (after !== undefined) places.push(broughtNear(places.pop()!, next, scale, pen));
  return places;
}

/**
 * The end of a segment, or a point on it just out of sight: a canvas computes in single precision,
 * which far away is coarser than a pixel.
 */
function broughtNear(
  end: CanvasPoint,
  from: CanvasPoint,
  { left, right }: Scale,
  { width }: Pen,
): CanvasPoint {
  const x = Math.min(right + 4 * width, Math.max(left - 4 * width, end.x));
  if (x === end.x || x < Math.min(from.x, end.x) || x > Math.max(from.x, end.x)) return end;
  return { x, y: from.y + (end.y - from.y) * ((x - from.x) / (end.x - from.x)) };
}

function strokeLine(canvas: Canvas, places: readonly CanvasPoint[], pen: Pen): void {
  const lone: CanvasPoint[] = [];
  let isDrawing = false;
  canvas.beginPath();
  for (const [at, point] of places.entries()) {
    if (Number.isNaN(point.y)) {
      isDrawing = false;
      continue;
    }
    if (isDrawing) canvas.lineTo(point.x, point.y);
    else canvas.moveTo(point.x, point.y);
    const isLast = at + 1 === places.length || Number.isNaN(places[at + 1].y);
    if (!isDrawing && isLast) lone.push(point);
    isDrawing = true;
  }
  strokePattern(canvas, pen);
  for (const point of lone) {
    canvas.beginPath();
    canvas.arc(point.x, point.y, 1.5 * pen.width, 0, 2 * Math.PI);
    canvas.fill();
  }
}

/** Strokes a pattern: the whole line dimmed, and solid dashes on top. */
function strokePattern(canvas: Canvas, { pattern, opacity, width }: Pen): void {
  const run = runs[pattern] * width;
  if (run === Infinity) return canvas.stroke();
  canvas.globalAlpha = opacity * weaker;
  canvas.stroke();
  canvas.globalAlpha = opacity;
  canvas.setLineDash([run, run]);
  canvas.stroke();
  canvas.setLineDash([]);
}

function paintColumns(
  canvas: Canvas,
  { before, after }: Line,
  { column, first, last, min, max }: NonNullable<Line["reduced"]>,
  scale: Scale,
  pen: Pen,
): void {
  const { width, pattern, opacity } = pen;
  const way = (from: number, fromY: number, to: number, toY: number) => {
    if (Number.isNaN(fromY) || Number.isNaN(toY)) return;
    const [one, other] = [
      { x: middleOf(scale, from), y: fromY },
      { x: middleOf(scale, to), y: toY },
    ];
    const [begin, end] = [broughtNear(one, other, scale, pen), broughtNear(other, one, scale, pen)];
    canvas.beginPath();
    canvas.moveTo(begin.x, begin.y);
    canvas.lineTo(end.x, end.y);
    canvas.stroke();
  };
  /** Half of the way from the previous column; none across columns without points. */
  let joined = NaN;
  if (before !== undefined) {
    const from = scale.columnOf(before.x);
    const [y, firstY] = [scale.y(before.value), scale.y(first[0])];
    if (from + 1 === column[0]) joined = (y + firstY) / 2;
    else way(from, y, column[0], firstY);
  }
  for (let at = 0; at < column.length; at++) {
    const isLast = at + 1 === column.length;
    const nextColumn = isLast ? after && scale.columnOf(after.x) : column[at + 1];
    const isNextBeside = nextColumn === column[at] + 1;
    const end = scale.y(last[at]);
    const next = scale.y((isLast ? after?.value : first[at + 1]) ?? NaN);
    const join = isNextBeside ? (end + next) / 2 : NaN;
    const [least, largest] = [scale.y(min[at]), scale.y(max[at])];
    const top = Math.min(above(largest), above(least), above(joined), above(join));
    // A column that reaches below a logarithmic axis extends to its edge.
    const lowest = Number.isNaN(least) ? scale.bottom : least;
    const bottom = Math.max(below(largest), lowest, below(joined), below(join));
    if (pattern > 0) {
      const isWeaker = Math.floor(column[at] / runs[pattern]) % 2 === 1;
      canvas.globalAlpha = isWeaker ? opacity * weaker : opacity;
    }
    if (top !== Infinity) {
      const left = scale.columnX(column[at]);
      const right = Math.max(1, scale.columnX(column[at] + 1) - left);
      canvas.fillRect(left, top - width / 2, right, bottom + width / 2 - (top - width / 2));
    }
    joined = join;
    if (nextColumn !== undefined && !isNextBeside) way(column[at], end, nextColumn, next);
  }
}

/** Values without a place on the axis affect neither bound. */
function above(y: number): number {
  return Number.isNaN(y) ? Infinity : y;
}

function below(y: number): number {
  return Number.isNaN(y) ? -Infinity : y;
}
