import type { OverviewReply } from "@lossless/client";

export type Partition = OverviewReply["series"][number];

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
}

/** Only what is called: tests look at a list of these. */
export type Canvas = Pick<
  CanvasRenderingContext2D,
  | "fillStyle"
  | "strokeStyle"
  | "lineWidth"
  | "lineJoin"
  | "fillRect"
  | "beginPath"
  | "moveTo"
  | "lineTo"
  | "stroke"
  | "arc"
  | "fill"
>;

/**
 * Paints one line. A column of many points is a rectangle from its least to its largest value, and
 * half of the way to its neighbours: it covers what a line through every point would cover. Points
 * that came as they are make an ordinary line.
 */
export function paint(canvas: Canvas, partition: Partition, scale: Scale, pen: Pen): void {
  canvas.fillStyle = pen.colour;
  canvas.strokeStyle = pen.colour;
  canvas.lineWidth = pen.width;
  canvas.lineJoin = "round";
  if (partition.exact !== undefined) paintLine(canvas, partition.exact, scale, pen);
  if (partition.reduced !== undefined) paintColumns(canvas, partition.reduced, scale, pen);
}

function paintLine(
  canvas: Canvas,
  { x, value }: NonNullable<Partition["exact"]>,
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
  canvas.stroke();
  for (const point of lone) {
    canvas.beginPath();
    canvas.arc(point.x, point.y, 1.5 * pen.width, 0, 2 * Math.PI);
    canvas.fill();
  }
}

function paintColumns(
  canvas: Canvas,
  { column, first, last, min, max }: NonNullable<Partition["reduced"]>,
  scale: Scale,
  pen: Pen,
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
    if (heights.length > 0) {
      const top = Math.min(...heights) - pen.width / 2;
      const bottom = Math.max(...heights) + pen.width / 2;
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
