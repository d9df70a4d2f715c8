import type { OverviewReply } from "@lossless/client";

export type Partition = OverviewReply["series"][number];
/** A line: its points where they are few, or its columns. */
export type Line = Pick<Partition, "exact" | "reduced">;

/** Where things stand on the canvas, in device pixels; y grows downwards. */
export interface Scale {
  /** The left edge of a column. */
  columnX(column: number): number;
  x(value: number): number;
  /** NaN where the axis has no place for it: at and below 0 of a logarithmic one. */
  y(value: number): number;
  bottom: number;
}

export interface Pen {
  colour: string;
  width: number;
  /** Which of `runs` it alternates in. */
  pattern: number;
  opacity: number;
}

/** Only what is called: tests look at a list of these. */
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

/** So many columns of a pattern are whole, and as many weaker; none is left out. */
const runs = [Infinity, 14, 4];
const weaker = 0.45;

/**
 * Paints one line. A column of many points is a rectangle from its least to its largest value, and
 * half of the way to its neighbours: it covers what a line through every point would cover. Points
 * that came as they are make an ordinary line.
 */
export function paint(canvas: Canvas, line: Line, scale: Scale, pen: Pen): void {
  take(canvas, pen);
  if (line.exact !== undefined) paintLine(canvas, line.exact, scale, pen);
  if (line.reduced !== undefined) paintColumns(canvas, line.reduced, scale, pen);
}

/** A line through the means of columns: where it is dense, it lies somewhere in every extent. */
export function paintMeans(
  canvas: Canvas,
  { column, mean }: NonNullable<Line["reduced"]>,
  scale: Scale,
  pen: Pen,
): void {
  take(canvas, pen);
  const middle = (at: number) => (scale.columnX(at) + scale.columnX(at + 1)) / 2;
  paintLine(canvas, { x: column, value: mean }, { ...scale, x: middle }, pen);
}

function take(canvas: Canvas, { colour, width, opacity }: Pen): void {
  canvas.fillStyle = colour;
  canvas.strokeStyle = colour;
  canvas.lineWidth = width;
  canvas.lineJoin = "round";
  canvas.globalAlpha = opacity;
}

function paintLine(
  canvas: Canvas,
  { x, value }: NonNullable<Line["exact"]>,
  scale: Scale,
  pen: Pen,
): void {
  const lone: { x: number; y: number }[] = [];
  let isDrawing = false;
  canvas.beginPath();
  for (let at = 0; at < x.length; at++) {
    const point = { x: scale.x(x[at]), y: scale.y(value[at]) };
    if (Number.isNaN(point.y)) {
      isDrawing = false;
      continue;
    }
    if (isDrawing) canvas.lineTo(point.x, point.y);
    else canvas.moveTo(point.x, point.y);
    const isLast = at + 1 === x.length || Number.isNaN(scale.y(value[at + 1]));
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

/** A pattern is the whole line, weaker, and dashes at full strength upon it. */
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
  { column, first, last, min, max }: NonNullable<Line["reduced"]>,
  scale: Scale,
  { width, pattern, opacity }: Pen,
): void {
  /** Half of the way from the column before: nothing across columns without points. */
  let joined = NaN;
  for (let at = 0; at < column.length; at++) {
    const isNextBeside = column[at + 1] === column[at] + 1;
    const end = scale.y(last[at]);
    const next = at + 1 < column.length ? scale.y(first[at + 1]) : NaN;
    const join = isNextBeside ? (end + next) / 2 : NaN;
    const heights = [scale.y(max[at]), scale.y(min[at]), joined, join].filter(
      (height) => !Number.isNaN(height),
    );
    // A column that reaches below what a logarithmic axis shows goes down to its edge.
    if (heights.length > 0 && Number.isNaN(scale.y(min[at]))) heights.push(scale.bottom);
    if (pattern > 0) {
      const isWeaker = Math.floor(column[at] / runs[pattern]) % 2 === 1;
      canvas.globalAlpha = isWeaker ? opacity * weaker : opacity;
    }
    if (heights.length > 0) {
      const top = Math.min(...heights) - width / 2;
      const bottom = Math.max(...heights) + width / 2;
      const left = scale.columnX(column[at]);
      canvas.fillRect(left, top, Math.max(1, scale.columnX(column[at] + 1) - left), bottom - top);
    }
    joined = join;
    if (isNextBeside || Number.isNaN(end) || Number.isNaN(next)) continue;
    canvas.beginPath();
    canvas.moveTo((scale.columnX(column[at]) + scale.columnX(column[at] + 1)) / 2, end);
    const after = column[at + 1];
    canvas.lineTo((scale.columnX(after) + scale.columnX(after + 1)) / 2, next);
    canvas.stroke();
  }
}
