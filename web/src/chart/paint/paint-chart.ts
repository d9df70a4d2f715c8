import type uPlot from "uplot";
import { columnAround } from "@lossless/protocol/raster";
import { edgeOf } from "../axes/axis-x.ts";
import { colourIn } from "../lines/colours.ts";
import type { Shown } from "./frame-state.ts";
import type { Pen, Scale } from "./paint-line.ts";
import { besideRaised, paintEdges, paintLines, paintRaised } from "./paint-lines.ts";
import { paintNames } from "./paint-names.ts";
import type { ChartView } from "../view.ts";

/** The lines of a chart kept as an image, while a pointer raises one after the other. */
export interface KeptLines {
  /** Whether the image is kept: only under a pointer, as a page may have many charts. */
  isPointed: boolean;
  picture?: HTMLCanvasElement | undefined;
  /** The place that is read, in units of the axis. */
  cursor?: number | undefined;
}

/** Paints into uPlot's frame: lines, ticks where they leave it, and names. */
export function paintChart(plot: uPlot, element: HTMLElement, shown: Shown, kept: KeptLines): void {
  const { overview, kinds, raised, heights } = shown;
  const { ctx, bbox } = plot;
  const scale = scaleOn(plot, shown);
  const width = 1.5 * devicePixelRatio;
  const style = getComputedStyle(element);
  const pens = kinds.map((kind) => {
    return { colour: colourIn(style, kind), width, pattern: kind.pattern, opacity: 1 };
  });
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  paintSeries(ctx, shown, scale, pens, kept);
  const edges = { top: bbox.top, bottom: scale.bottom, ...heights, isLog: shown.view.y === "log" };
  const colour = style.getPropertyValue("--text");
  paintEdges(ctx, overview.series, scale, edges, { colour, width, height: 4 * devicePixelRatio });
  ctx.restore();
  if (shown.names === undefined) return;
  const place = {
    left: bbox.left + bbox.width,
    top: bbox.top,
    height: bbox.height,
    ratio: devicePixelRatio,
    y: (value: number) => scale.y(value),
  };
  const inks = { text: colour, colours: pens.map((pen) => pen.colour) };
  ctx.save();
  paintNames(ctx, overview.series, shown.names, place, inks, raised);
  ctx.restore();
}

/**
 * Paints the lines; behind a raised one the kept image of all, since a hundred lines take longer
 * than a pointer waits.
 */
function paintSeries(
  context: CanvasRenderingContext2D,
  { overview: { series }, raised }: Shown,
  scale: Scale,
  pens: readonly Pen[],
  kept: KeptLines,
): void {
  if (series.length < 2) return paintLines(context, series, scale, pens);
  const { width, height } = context.canvas;
  if (kept.picture?.width !== width || kept.picture.height !== height) {
    kept.picture = document.createElement("canvas");
    kept.picture.width = width;
    kept.picture.height = height;
    paintLines(kept.picture.getContext("2d")!, series, scale, pens);
  }
  const line = raised === undefined ? undefined : series[raised];
  context.globalAlpha = line === undefined ? 1 : besideRaised;
  context.drawImage(kept.picture, 0, 0);
  if (line !== undefined) paintRaised(context, line, scale, pens[raised!]);
  if (!kept.isPointed) kept.picture = undefined;
}

function scaleOn(plot: uPlot, { overview, view, range }: Shown): Scale {
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
