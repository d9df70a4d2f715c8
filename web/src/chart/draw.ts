import type { OverviewReply } from "@lossless/client";
import uPlot from "uplot";
import { colourAt, kindsOf, type Kind } from "./colours.ts";
import { axisRange, heightsOf } from "./heights.ts";
import { paint } from "./paint.ts";

export interface Drawing {
  overview: OverviewReply;
  isLog: boolean;
  width: number;
  height: number;
  onZoom: (range: { start: number; end: number } | undefined) => void;
  /** The place under the cursor; undefined: it is elsewhere. */
  onCursor: (x: number | undefined) => void;
}

export interface DrawnChart {
  /** Other columns on the same axes. A selection that is being made goes on. */
  show(overview: OverviewReply): void;
  destroy(): void;
}

/** What stands beside the plot itself, in CSS pixels: it decides how many columns a chart has. */
export const margin = { left: 64, right: 24, top: 10, bottom: 30 };

/** Times have a second line for their days. */
const timeAxisHeight = 46;

/** All charts of a page show one place under their cursors. */
const cursorKey = "x";

/** Axes, cursor and selection are uPlot's; the lines are painted from columns the service made. */
export function drawChart(element: HTMLElement, drawing: Drawing): DrawnChart {
  const shown = { ...drawing };
  const plot = new uPlot(optionsOf(element, shown), edgesOf(shown), element);
  let isHeld = false;
  const update = () => {
    if (!isHeld) plot.setData(edgesOf(shown));
  };
  const hold = () => void (isHeld = true);
  const release = () => {
    isHeld = false;
    // The selection is taken first.
    setTimeout(update);
  };
  element.addEventListener("pointerdown", hold);
  window.addEventListener("pointerup", release);
  return {
    show(overview) {
      if (overview === shown.overview) return;
      shown.overview = overview;
      update();
    },
    destroy() {
      isHeld = true;
      element.removeEventListener("pointerdown", hold);
      window.removeEventListener("pointerup", release);
      plot.destroy();
    },
  };
}

/** uPlot has no data but the edges of the axis. */
function edgesOf({ overview }: Drawing): uPlot.AlignedData {
  return [axisRange(overview), [null, null]];
}

function optionsOf(element: HTMLElement, drawing: Drawing): uPlot.Options {
  const { isLog, width, height, overview } = drawing;
  const isTime = overview.xAxis === "timestamp";
  const theme = getComputedStyle(element);
  const soft = theme.getPropertyValue("--soft");
  const line = theme.getPropertyValue("--line");
  const axis = {
    stroke: soft,
    font: "12px system-ui, sans-serif",
    grid: { stroke: line, width: 1 },
    ticks: { stroke: line, width: 1, size: 4 },
  };
  return {
    width,
    height,
    ms: 1,
    padding: [margin.top, margin.right, 0, 0],
    legend: { show: false },
    scales: {
      x: { time: isTime, range: () => axisRange(drawing.overview) },
      y: { distr: isLog ? 3 : 1, range: () => heightsOf(drawing.overview.series, isLog) },
    },
    axes: [
      {
        ...axis,
        size: isTime ? timeAxisHeight : margin.bottom,
        space: 70,
        ...(isTime ? {} : { incrs: wholeSteps }),
      },
      {
        ...axis,
        size: margin.left,
        space: 36,
        values: (_, splits) => splits.map((value) => tickText(value, isLog)),
      },
    ],
    series: [{}, { paths: () => null, points: { show: false } }],
    cursor: {
      y: false,
      points: { show: false },
      drag: { x: true, y: false, setScale: false, dist: 6 },
      sync: { key: cursorKey, setSeries: false },
      bind: { dblclick: () => () => (drawing.onZoom(undefined), null) },
    },
    hooks: {
      draw: [(plot) => paintAll(plot, element, drawing)],
      setSelect: [(plot) => zoom(plot, drawing)],
      setCursor: [
        (plot) => {
          const { left = -1 } = plot.cursor;
          drawing.onCursor(left < 0 ? undefined : plot.posToVal(left, "x"));
        },
      ],
    },
  };
}

/** There is nothing between two steps: 1, 2, 5, 10 and so on. */
const wholeSteps = Array.from({ length: 16 }, (_, power) => [1, 2, 5].map((n) => n * 10 ** power))
  .flat()
  .filter((step) => step <= 5e15);

function paintAll(plot: uPlot, element: HTMLElement, { overview, isLog }: Drawing): void {
  const { ctx, bbox } = plot;
  const { columns } = overview;
  const [first, last] = axisRange(overview);
  const scale = {
    columnX: (column: number) => bbox.left + Math.round((column / columns) * bbox.width),
    x: (value: number) => bbox.left + ((value - first) / (last - first)) * bbox.width,
    // uPlot would put what a logarithmic axis cannot show below its edge.
    y: (value: number) => (isLog && value <= 0 ? NaN : plot.valToPos(value, "y", true)),
    bottom: bbox.top + bbox.height,
  };
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  const width = 1.5 * devicePixelRatio;
  const kinds = kindsInOrder(overview);
  for (const [at, partition] of overview.series.entries()) {
    paint(ctx, partition, scale, { colour: colourAt(element, kinds[at]), width });
  }
  ctx.restore();
}

/** A partition is known by its meta; a line that has none by its experiment. */
export function kindsInOrder({ series }: OverviewReply): Kind[] {
  const names = series.map(({ experimentId, metadata }) =>
    Object.keys(metadata).length === 0 ? experimentId : JSON.stringify(metadata),
  );
  const kinds = kindsOf(names);
  return names.map((name) => kinds.get(name)!);
}

function zoom(plot: uPlot, { onZoom, overview }: Drawing): void {
  const { left, width } = plot.select;
  if (width <= 0) return;
  plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
  // The other charts follow a selection, too; the one under the pointer answers.
  if (plot.cursor.event == null) return;
  const start = Math.max(overview.start, Math.floor(plot.posToVal(left, "x")));
  const end = Math.min(overview.end, Math.floor(plot.posToVal(left + width, "x")) + 1);
  onZoom({ start, end: Math.max(end, start + 1) });
}

/** A logarithmic axis begins anywhere: its ends are no ticks. */
function tickText(value: number | null, isLog: boolean): string {
  if (value === null || (isLog && Number(value.toPrecision(2)) !== value)) return "";
  const size = Math.abs(value);
  if (value !== 0 && (size >= 1e6 || size < 1e-3)) return value.toExponential().replace("+", "");
  return String(Number(value.toPrecision(7)));
}
