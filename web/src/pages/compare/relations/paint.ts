import type { Canvas } from "../../../chart/paint/paint-line.ts";
import { colourOf, type ColourScale, type Inks } from "./colour-scale.ts";
import type { Plotted } from "./plotted.ts";

/** A place on the drawing. */
type PlaceOf = (at: number, place: number) => { x: number; y: number };

/** Opacity of one of many lines, so that a thousand still show where they are dense. */
export function opacityOf(count: number): number {
  return Math.min(1, Math.max(0.3, 28 / count ** 0.65));
}

const outsideOpacity = 0.18;

/** Paints parallel coordinates: missing values make gaps, and a value between gaps is a dot. */
export function paintParallel(
  canvas: Canvas,
  plotted: readonly Plotted[],
  placeOf: PlaceOf,
  colours: ColourScale | undefined,
  inks: Inks,
  width: number,
): void {
  const inside = plotted.filter(({ isOutside }) => !isOutside).length;
  canvas.lineJoin = "round";
  for (const one of plotted) {
    take(canvas, one, colours, inks, opacityOf(inside));
    canvas.lineWidth = one.isOutside ? width / 2 : width;
    canvas.beginPath();
    for (const [at, place] of one.places.entries()) {
      if (place === undefined) continue;
      const { x, y } = placeOf(at, place);
      const hasBefore = one.places[at - 1] !== undefined;
      const hasNext = one.places[at + 1] !== undefined;
      if (hasBefore) canvas.lineTo(x, y);
      else canvas.moveTo(x, y);
      if (!hasBefore && !hasNext) canvas.lineTo(x + 0.01, y);
    }
    canvas.stroke();
  }
}

/** Paints points: circles, or for experiments with their own looks also squares and diamonds. */
export function paintPoints(
  canvas: Canvas,
  plotted: readonly Plotted[],
  placeOf: PlaceOf,
  colours: ColourScale | undefined,
  inks: Inks,
  radius: number,
): void {
  const inside = plotted.filter(({ isOutside }) => !isOutside).length;
  for (const one of plotted) {
    const [across, up] = one.places;
    if (across === undefined || up === undefined) continue;
    const { x } = placeOf(0, across);
    const { y } = placeOf(1, up);
    take(canvas, one, colours, inks, opacityOf(inside));
    canvas.beginPath();
    outlinePoint(canvas, colours === undefined ? one.kind?.pattern : 0, x, y, radius);
    canvas.fill();
  }
}

function outlinePoint(
  canvas: Canvas,
  pattern: number | undefined,
  x: number,
  y: number,
  radius: number,
): void {
  if (pattern === 1 || pattern === 2) {
    const far = pattern === 1 ? radius * 0.9 : radius * 1.25;
    const corners = pattern === 1 ? square : diamond;
    const [[firstX, firstY], ...others] = corners;
    canvas.moveTo(x + firstX * far, y + firstY * far);
    for (const [left, top] of others) canvas.lineTo(x + left * far, y + top * far);
  } else canvas.arc(x, y, radius, 0, 2 * Math.PI);
}

const square = [
  [-1, -1],
  [1, -1],
  [1, 1],
  [-1, 1],
] as const;
const diamond = [
  [0, -1],
  [1, 0],
  [0, 1],
  [-1, 0],
] as const;

function take(
  canvas: Canvas,
  one: Plotted,
  colours: ColourScale | undefined,
  inks: Inks,
  opacity: number,
): void {
  const colour = one.isOutside ? inks.soft : colourOf(colours, one, inks);
  canvas.fillStyle = colour;
  canvas.strokeStyle = colour;
  canvas.globalAlpha = one.isOutside ? outsideOpacity : opacity;
}

/** Radius of points, by their number. */
export function radiusOf(count: number): number {
  return count > 300 ? 3.5 : 5.5;
}

/** Distance from which a pointer is on a line or a point, in CSS pixels. */
const reach = 10;

/** The line nearest to a pointer; of equally near ones the uppermost. */
export function nearestLine(
  plotted: readonly Plotted[],
  placeOf: PlaceOf,
  axes: number,
  pointer: { x: number; y: number },
): Plotted | undefined {
  let at = 0;
  while (at + 2 < axes && placeOf(at + 1, 0).x <= pointer.x) at++;
  const nearTo = ({ places }: Plotted) => {
    const [from, to] = [places[at], places[at + 1] ?? undefined];
    const one = from === undefined ? undefined : placeOf(at, from);
    const other = to === undefined ? undefined : placeOf(at + 1, to);
    if (one === undefined || other === undefined) {
      const only = one ?? other;
      return only === undefined ? Infinity : Math.hypot(only.x - pointer.x, only.y - pointer.y);
    }
    const share = (pointer.x - one.x) / (other.x - one.x);
    const steep = (other.y - one.y) / (other.x - one.x);
    const beyond = Math.max(0, -share, share - 1) * (other.x - one.x);
    const away = Math.abs(one.y + Math.min(1, Math.max(0, share)) * (other.y - one.y) - pointer.y);
    return Math.hypot(away / Math.hypot(1, steep), beyond);
  };
  return nearest(plotted, nearTo);
}

export function nearestPoint(
  plotted: readonly Plotted[],
  placeOf: PlaceOf,
  pointer: { x: number; y: number },
): Plotted | undefined {
  return nearest(plotted, ({ places: [across, up] }) => {
    if (across === undefined || up === undefined) return Infinity;
    return Math.hypot(placeOf(0, across).x - pointer.x, placeOf(1, up).y - pointer.y);
  });
}

function nearest(
  plotted: readonly Plotted[],
  distanceOf: (one: Plotted) => number,
): Plotted | undefined {
  let found: Plotted | undefined;
  let least = reach;
  for (const one of plotted) {
    // One outside the brushes is found where no other is as near.
    const distance = distanceOf(one) + (one.isOutside ? reach / 2 : 0);
    if (distance <= least) [found, least] = [one, distance];
  }
  return found;
}
