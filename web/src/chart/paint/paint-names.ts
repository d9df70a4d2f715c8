import { nameHeight, namedEnds } from "./end-names.ts";
import { lastPointOf } from "../cursor/reading.ts";
import { shortNames } from "../../parts/short-names.ts";
import type { Partition } from "../lines/line.ts";

interface NamesArea {
  /** The right edge of the plot, its top and its height, in device pixels. */
  left: number;
  top: number;
  height: number;
  /** Device pixels per CSS pixel. */
  ratio: number;
  y: (value: number) => number;
  /** Whether a line goes on to the right edge of the plot, or nearly so. */
  isAtEdge: (partition: Partition) => boolean;
}

/** Lines of which all are named, also those that end ahead of the edge. */
const allNamedMax = 8;

/** Names as they were last painted, which many frames do again. */
export interface PaintedNames {
  names: readonly string[];
  room: number;
  texts: readonly string[];
}

interface NameColours {
  text: string;
  /** Colours of the lines, in their order. */
  colours: readonly string[];
}

/** Paints names of lines at their ends, beside the plot. */
export function paintNames(
  canvas: CanvasRenderingContext2D,
  partitions: readonly Partition[],
  names: readonly string[],
  { left, top, height, ratio, y, isAtEdge }: NamesArea,
  { text, colours }: NameColours,
  raised: number | undefined,
  before: PaintedNames | undefined,
): PaintedNames {
  const room = canvas.canvas.width - left - 16 * ratio;
  const fontOf = (weight: string) => `${weight}${(nameHeight - 2) * ratio}px system-ui, sans-serif`;
  canvas.font = fontOf(raisedFont);
  const isPainted = before?.names === names && before.room === room;
  const painted = isPainted ? before : { names, room, texts: textsIn(canvas, names, room) };
  const ends = partitions.flatMap((partition, line) =>
    painted.texts[line] === "" || (partitions.length > allNamedMax && !isAtEdge(partition))
      ? []
      : [{ line, top: (y(endOf(partition)) - top) / ratio }],
  );
  canvas.textBaseline = "middle";
  canvas.textAlign = "left";
  for (const { line, top: below, end } of namedEnds(ends, height / ratio, raised)) {
    canvas.font = fontOf(line === raised ? raisedFont : "");
    canvas.globalAlpha = raised === undefined || line === raised ? 1 : 0.6;
    canvas.fillStyle = colours[line];
    canvas.strokeStyle = colours[line];
    const [from, to] = [top + end * ratio, top + below * ratio];
    const x = left + swatchStart(canvas, [left, from, to], ratio);
    canvas.fillRect(x, to - 1.5 * ratio, left + 10 * ratio - x, 3 * ratio);
    canvas.fillStyle = text;
    canvas.fillText(painted.texts[line], left + 13 * ratio, top + below * ratio);
  }
  canvas.globalAlpha = 1;
  return painted;
}

/** The weight of the name of the raised line: all have the room for it. */
const raisedFont = "600 ";

function textsIn(canvas: CanvasRenderingContext2D, names: readonly string[], room: number) {
  const short = shortNames(names, room, (text) => canvas.measureText(text).width);
  const texts = names.map((name) => short.get(name)!);
  // A text that several lines would have tells nothing.
  const counts = Map.groupBy(texts, (text) => text);
  return texts.map((text) => (counts.get(text)!.length > 1 ? "" : text));
}

/** Joins a moved name with its line; returns where its swatch begins, in device pixels. */
function swatchStart(
  canvas: CanvasRenderingContext2D,
  [left, from, to]: readonly [number, number, number],
  ratio: number,
): number {
  if (Math.abs(to - from) < 2 * ratio) return 4 * ratio;
  canvas.lineWidth = ratio;
  canvas.beginPath();
  canvas.moveTo(left + ratio, from);
  canvas.lineTo(left + 7 * ratio, to);
  canvas.stroke();
  return 7 * ratio;
}

/** The value at which a line ends; NaN: it has none. */
export function endOf(partition: Partition): number {
  const last = lastPointOf(partition);
  if (last === undefined) return NaN;
  const end = partition.group === undefined ? last.smoothed : partition.reduced?.mean.at(-1);
  return end ?? last.max;
}
