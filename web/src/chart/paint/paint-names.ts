import { distinctParts, fitted, nameHeight, namedEnds } from "./end-names.ts";
import { lastPointOf } from "../cursor/reading.ts";
import type { Partition } from "../lines/line.ts";

interface NamesArea {
  /** The right edge of the plot, its top and its height, in device pixels. */
  left: number;
  top: number;
  height: number;
  /** Device pixels per CSS pixel. */
  ratio: number;
  y: (value: number) => number;
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
  { left, top, height, ratio, y }: NamesArea,
  { text, colours }: NameColours,
  raised: number | undefined,
): void {
  const ends = partitions.map((partition, line) => {
    return { line, top: (y(endOf(partition)) - top) / ratio };
  });
  const parts = distinctParts(names);
  canvas.textBaseline = "middle";
  canvas.textAlign = "left";
  for (const { line, top: below } of namedEnds(ends, height / ratio, raised)) {
    const weight = line === raised ? "600 " : "";
    canvas.font = `${weight}${(nameHeight - 2) * ratio}px system-ui, sans-serif`;
    const room = canvas.canvas.width - left - 16 * ratio;
    const shown = fitted(parts[line], room, (each) => canvas.measureText(each).width);
    canvas.globalAlpha = raised === undefined || line === raised ? 1 : 0.6;
    canvas.fillStyle = colours[line];
    canvas.fillRect(left + 4 * ratio, top + (below - 1.5) * ratio, 6 * ratio, 3 * ratio);
    canvas.fillStyle = text;
    canvas.fillText(shown, left + 13 * ratio, top + below * ratio);
  }
  canvas.globalAlpha = 1;
}

/** The value at which a line ends; NaN: it has none. */
export function endOf(partition: Partition): number {
  const last = lastPointOf(partition);
  if (last === undefined) return NaN;
  const end = partition.group === undefined ? last.smoothed : partition.reduced?.mean.at(-1);
  return end ?? last.max;
}
