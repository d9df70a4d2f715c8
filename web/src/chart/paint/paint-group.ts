import { paintLine, paintMeans, type Canvas, type Pen, type Scale } from "./paint-line.ts";
import type { Partition } from "../lines/line.ts";

const bandShare = 0.22;
const memberShare = 0.55;

/** Paints the band of a group, column by column. */
export function paintBand(
  canvas: Canvas,
  { reduced }: Partition,
  scale: Scale,
  { colour, opacity }: Pen,
): void {
  if (reduced === undefined) return;
  canvas.fillStyle = colour;
  canvas.globalAlpha = opacity * bandShare;
  for (const [at, column] of reduced.column.entries()) {
    const [top, low] = [scale.y(reduced.max[at]), scale.y(reduced.min[at])];
    // Values that a logarithmic axis cannot show reach down to its edge.
    const bottom = Number.isNaN(low) ? scale.bottom : low;
    if (Number.isNaN(top)) continue;
    const left = scale.columnX(column);
    canvas.fillRect(left, top, Math.max(1, scale.columnX(column + 1) - left), bottom - top);
  }
}

/** Paints the mean, from column to column; it ends where no member has a value. */
export function paintGroupMean(
  canvas: Canvas,
  { reduced }: Partition,
  scale: Scale,
  pen: Pen,
): void {
  if (reduced === undefined) return;
  const x = (column: number) => (scale.columnX(column) + scale.columnX(column + 1)) / 2;
  const { column, mean } = reduced;
  let start = 0;
  for (let at = 1; at <= column.length; at++) {
    if (column[at] === column[at - 1] + 1) continue;
    const exact = { x: column.slice(start, at), value: mean.slice(start, at) };
    paintLine(canvas, { exact }, { ...scale, x }, pen);
    start = at;
  }
}

/** Paints the members as thin lines; the extent of dense ones is in the band. */
export function paintMembers(canvas: Canvas, { group }: Partition, scale: Scale, pen: Pen): void {
  const thin = { ...pen, width: pen.width / 2, opacity: pen.opacity * memberShare, pattern: 0 };
  for (const member of group?.members ?? []) {
    const line = member.smoothed ?? member;
    if (line.reduced === undefined) paintLine(canvas, line, scale, thin);
    else paintMeans(canvas, line, scale, thin);
  }
}
