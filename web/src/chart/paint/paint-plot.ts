import type uPlot from "uplot";
import { columnAround } from "@lossless/protocol/raster";
import { edgeOf, placeOf } from "../axes/axis-x.ts";
import type { Partition } from "../lines/line.ts";
import { colourIn } from "../lines/colours.ts";
import { repeatedStretches } from "../lines/passes.ts";
import type { FrameState } from "./frame-state.ts";
import type { Pen, Scale } from "./paint-line.ts";
import { besideRaised, paintEdges, paintLines, paintRaised } from "./paint-lines.ts";
import { paintRepeated } from "./paint-repeated.ts";
import { type PaintedNames, paintNames } from "./paint-names.ts";
import type { ChartView } from "../view.ts";

/** The lines of a chart kept as an image, while a pointer raises one after the other. */
export interface LinesImage {
  /** Whether the image is kept: only under a pointer, as a page may have many charts. */
  isPointed: boolean;
  image?: HTMLCanvasElement | undefined;
  names?: PaintedNames;
}

/** Paints into uPlot's frame: lines, ticks where they leave it, and names. */
export function paintPlot(
  plot: uPlot,
  element: HTMLElement,
  state: FrameState,
  kept: LinesImage,
): void {
  const { overview, kinds, raised, heights } = state;
  const { ctx, bbox } = plot;
  const scale = scaleOn(plot, state);
  const width = 1.5 * devicePixelRatio;
  const style = getComputedStyle(element);
  const pens = kinds.map((kind) => {
    return { colour: colourIn(style, kind), width, pattern: kind.pattern, opacity: 1 };
  });
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  const colour = style.getPropertyValue("--text");
  const shading = { top: bbox.top, colour, ratio: devicePixelRatio };
  paintRepeated(ctx, repeatedStretches(overview.series), scale, shading);
  paintSeries(ctx, state, scale, pens, kept);
  const edges = { top: bbox.top, bottom: scale.bottom, ...heights, isLog: state.view.y === "log" };
  paintEdges(ctx, overview.series, scale, edges, { colour, width, height: 4 * devicePixelRatio });
  ctx.restore();
  if (state.names === undefined) return;
  const place = {
    left: bbox.left + bbox.width,
    top: bbox.top,
    height: bbox.height,
    ratio: devicePixelRatio,
    y: (value: number) => scale.y(value),
    isAtEdge: (partition: Partition) => isAtEdge(partition, state),
  };
  const inks = { text: colour, colours: pens.map((pen) => pen.colour) };
  ctx.save();
  kept.names = paintNames(ctx, overview.series, state.names, place, inks, raised, kept.names);
  ctx.restore();
}

/** The part of the plot, at its right, in which a line has to end to be named beside it. */
const edgePart = 0.1;

function isAtEdge({ exact, reduced, after }: Partition, { overview, range }: FrameState): boolean {
  if (after !== undefined) return true;
  const column = reduced?.column.at(-1);
  const end = exact?.x.at(-1) ?? (column === undefined ? NaN : edgeOf(overview, column + 1));
  return placeOf(range, overview.xScale, end) >= 1 - edgePart;
}

/**
 * Paints the lines; behind a raised one the kept image of all, since a hundred lines take longer
 * than a pointer waits.
 */
function paintSeries(
  context: CanvasRenderingContext2D,
  { overview: { series }, raised }: FrameState,
  scale: Scale,
  pens: readonly Pen[],
  kept: LinesImage,
): void {
  if (series.length < 2) return paintLines(context, series, scale, pens);
  const { width, height } = context.canvas;
  if (kept.image?.width !== width || kept.image.height !== height) {
    kept.image = document.createElement("canvas");
    kept.image.width = width;
    kept.image.height = height;
    paintLines(kept.image.getContext("2d")!, series, scale, pens);
  }
  const line = raised === undefined ? undefined : series[raised];
  context.globalAlpha = line === undefined ? 1 : besideRaised;
  context.drawImage(kept.image, 0, 0);
  if (line !== undefined) paintRaised(context, line, scale, pens[raised!]);
  if (!kept.isPointed) kept.image = undefined;
}

function scaleOn(plot: uPlot, { overview, view, range }: FrameState): Scale {
  const { bbox } = plot;
  const isOwn = range[0] === overview.start && range[1] === overview.end;
  const x = (value: number) => plot.valToPos(value, "x", true);
  return {
    x,
    columnX: (column) =>
      isOwn
        ? bbox.left + Math.round((column / overview.columns) * bbox.width)
        : x(edgeOf(overview, column)),
    columnOf: (value) => columnAround(overview, value),
    y: heightOn(plot, view.y),
    left: bbox.left,
    right: bbox.left + bbox.width,
    bottom: bbox.top + bbox.height,
  };
}

/** The height of a value on the canvas; uPlot's own function is slow for a hundred lines. */
function heightOn(plot: uPlot, y: ChartView["y"]): (value: number) => number {
  const { top, height } = plot.bbox;
  const { min, max } = plot.scales.y;
  if (y === "linear") return (value) => top + height * (1 - (value - min!) / (max! - min!));
  // uPlot would place values that a logarithmic axis cannot show below its edge.
  return (value) => (y === "log" && value <= 0 ? NaN : plot.valToPos(value, "y", true));
}
