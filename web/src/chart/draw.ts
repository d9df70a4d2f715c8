import type { OverviewReply } from "@lossless/client";
import uPlot from "uplot";
import { heightsOf } from "./heights.ts";
import { paint } from "./paint.ts";

export interface Drawing {
  overview: OverviewReply;
  /** One for each partition. */
  colours: readonly string[];
  isLog: boolean;
  width: number;
  height: number;
  onZoom: (range: { start: number; end: number } | undefined) => void;
  /** The place under the cursor; undefined: it is elsewhere. */
  onCursor: (x: number | undefined) => void;
}

/** What stands beside the plot itself, in CSS pixels: it decides how many columns a chart has. */
export const margin = { left: 64, right: 24, top: 10, bottom: 30 };

/** All charts of a page show one place under their cursors. */
const cursorKey = "x";

/** Axes, cursor and selection are uPlot's; the lines are painted from columns the service made. */
export function drawChart(element: HTMLElement, drawing: Drawing): uPlot {
  const { overview, isLog, width, height } = drawing;
  const { start, end, xAxis } = overview;
  const heights = heightsOf(overview.series, isLog);
  const theme = getComputedStyle(element);
  const soft = theme.getPropertyValue("--soft");
  const line = theme.getPropertyValue("--line");
  const axis = {
    stroke: soft,
    font: "12px system-ui, sans-serif",
    grid: { stroke: line, width: 1 },
    ticks: { stroke: line, width: 1, size: 4 },
  };
  return new uPlot(
    {
      width,
      height,
      ms: 1,
      padding: [margin.top, margin.right, 0, 0],
      legend: { show: false },
      scales: {
        x: { time: xAxis === "timestamp", range: () => [start, end] },
        y: { distr: isLog ? 3 : 1, range: () => heights },
      },
      axes: [
        { ...axis, size: margin.bottom, space: 70 },
        { ...axis, size: margin.left, space: 36, values: (_, splits) => splits.map(tickText) },
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
        draw: [(plot) => paintAll(plot, drawing)],
        setSelect: [(plot) => zoom(plot, drawing)],
        setCursor: [
          (plot) => {
            const { left = -1 } = plot.cursor;
            drawing.onCursor(left < 0 ? undefined : plot.posToVal(left, "x"));
          },
        ],
      },
    },
    [
      [start, end],
      [null, null],
    ],
    element,
  );
}

function paintAll(plot: uPlot, { overview, colours }: Drawing): void {
  const { ctx, bbox } = plot;
  const { start, end, columns } = overview;
  const scale = {
    columnX: (column: number) => bbox.left + Math.round((column / columns) * bbox.width),
    x: (value: number) => bbox.left + ((value - start) / (end - start)) * bbox.width,
    y: (value: number) => {
      const y = plot.valToPos(value, "y", true);
      return Number.isFinite(y) ? y : NaN;
    },
    bottom: bbox.top + bbox.height,
  };
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  const width = 1.5 * devicePixelRatio;
  for (const [at, partition] of overview.series.entries()) {
    paint(ctx, partition, scale, { colour: colours[at], width });
  }
  ctx.restore();
}

function zoom(plot: uPlot, { onZoom, overview }: Drawing): void {
  const { left, width } = plot.select;
  if (width <= 0) return;
  const start = Math.max(overview.start, Math.floor(plot.posToVal(left, "x")));
  const end = Math.min(overview.end, Math.ceil(plot.posToVal(left + width, "x")));
  plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
  onZoom({ start, end: Math.max(end, start + 1) });
}

function tickText(value: number | null): string {
  if (value === null) return "";
  const size = Math.abs(value);
  if (value !== 0 && (size >= 1e6 || size < 1e-3)) return value.toExponential().replace("+", "");
  return String(Number(value.toPrecision(5)));
}
