import type { OverviewReply } from "@lossless/client";
import uPlot from "uplot";
import { axisRange, edgeOf, valueAt } from "./axis-x.ts";
import { heightsOf, type Heights } from "./axis-y.ts";
import { colourAt, type Kind } from "./colours.ts";
import { paintEdges, paintLines } from "./paint-lines.ts";
import { tickText, timeAxisHeight, xAxisOf } from "./ticks.ts";
import type { ChartView, Range } from "./view.ts";

export interface Drawing {
  overview: OverviewReply;
  view: ChartView;
  /** What its lines look like, in the order of the overview. */
  kinds: readonly Kind[];
  width: number;
  height: number;
  /** Another range of x, or of y. */
  onView: (part: Pick<Partial<ChartView>, "range" | "heights">, isStep: boolean) => void;
  /** The place under the pointer, and its height from the top; undefined: it is elsewhere. */
  onPointer: (place: { x: number; top: number } | undefined) => void;
}

export interface DrawnChart {
  /** Other columns or another range on the same axes. A selection that is being made goes on. */
  show(change: Pick<Drawing, "overview" | "view" | "kinds">): void;
  /** The line that is whole while the others fade. */
  raise(line: number | undefined): void;
  point(x: number | undefined): void;
  /** The height at which a value stands, in CSS pixels from the top of the plot. */
  topOf: (value: number) => number;
  destroy(): void;
}

/** What stands beside the plot itself, in CSS pixels: it decides how many columns a chart has. */
export const margin = { left: 64, right: 24, top: 10, bottom: 30 };

/** Axes, cursor and selection are uPlot's; the lines are painted from columns the service made. */
export function drawChart(element: HTMLElement, drawing: Drawing): DrawnChart {
  const shown: Shown = { ...drawing, raised: undefined, range: [0, 1] };
  shown.range = rangeOf(shown);
  const plot = new uPlot(optionsOf(element, shown), dataOf(shown), element);
  const held = holdWhileDown(element, () => plot.setData(dataOf(shown)));
  return {
    show(change) {
      Object.assign(shown, change);
      shown.range = rangeOf(shown);
      held.update();
    },
    raise(line) {
      if (shown.raised === line) return;
      shown.raised = line;
      plot.redraw(false);
    },
    point(x) {
      const left = x === undefined ? -10 : plot.valToPos(x, "x");
      const isInside = left >= 0 && left <= plot.over.clientWidth;
      plot.setCursor({ left: isInside ? left : -10, top: isInside ? 0 : -10 }, false);
    },
    topOf: (value) => plot.valToPos(value, "y"),
    destroy() {
      held.end();
      plot.destroy();
    },
  };
}

export interface Shown extends Drawing {
  raised: number | undefined;
  /** Both ends of the x axis as they are drawn. */
  range: [number, number];
}

/** While the exact picture of another range is on its way, the one that is there is stretched. */
function rangeOf({ overview, view: { range } }: Drawing): [number, number] {
  const own = axisRange(overview);
  if (range === undefined || (range.start === overview.start && range.end === overview.end))
    return own;
  return overview.xScale === "log" && range.start <= 0 ? own : [range.start, range.end];
}

/** uPlot has no data but the edges of the axis. */
function dataOf({ range }: Shown): uPlot.AlignedData {
  return [range, [null, null]];
}

/** Nothing moves under a pointer that is held down. */
function holdWhileDown(element: HTMLElement, change: () => void) {
  let isHeld = false;
  let isWaiting = false;
  const update = () => {
    isWaiting = isHeld;
    if (!isHeld) change();
  };
  const hold = () => void (isHeld = true);
  const release = () => {
    isHeld = false;
    // The selection is taken first.
    setTimeout(() => isWaiting && update());
  };
  element.addEventListener("pointerdown", hold);
  window.addEventListener("pointerup", release);
  window.addEventListener("pointercancel", release);
  const end = () => {
    isHeld = true;
    element.removeEventListener("pointerdown", hold);
    window.removeEventListener("pointerup", release);
    window.removeEventListener("pointercancel", release);
  };
  return { update, end };
}

const distributions = { linear: 1, log: 3, symlog: 4 } as const;

function optionsOf(element: HTMLElement, shown: Shown): uPlot.Options {
  const { view, width, height, overview } = shown;
  const theme = getComputedStyle(element);
  const line = theme.getPropertyValue("--line");
  const axis = {
    stroke: theme.getPropertyValue("--soft"),
    font: "12px system-ui, sans-serif",
    grid: { stroke: line, width: 1 },
    ticks: { stroke: line, width: 1, size: 4 },
  };
  const heights = () => heightsOf(shown.overview.series, shown.view);
  return {
    width,
    height,
    ms: 1,
    padding: [margin.top, margin.right, 0, 0],
    legend: { show: false },
    scales: {
      x: {
        time: overview.xAxis === "timestamp",
        distr: overview.xScale === "log" ? 3 : 1,
        range: () => shown.range,
      },
      y: {
        distr: distributions[view.y],
        asinh: heights().threshold,
        range: () => [heights().low, heights().high],
      },
    },
    axes: [
      { ...axis, ...xAxisOf(overview), size: bottomOf(overview) },
      {
        ...axis,
        size: margin.left,
        space: view.y === "linear" ? 36 : 18,
        values: (_, splits) => splits.map((value) => tickText(value, view.y !== "linear")),
        ...(view.y === "symlog" ? { filter: insideOnly } : {}),
      },
    ],
    series: [{}, { paths: () => null, points: { show: false } }],
    cursor: {
      y: false,
      points: { show: false },
      drag: { x: true, y: false, setScale: false, dist: 6 },
      bind: {
        mousedown: (plot, _, begin) => (event) => (startDrag(plot, event, shown, begin), null),
        dblclick: () => () => (shown.onView({ range: undefined, heights: undefined }, true), null),
      },
    },
    hooks: {
      ready: [(plot) => listen(plot, shown)],
      draw: [(plot) => paintAll(plot, element, shown, heights())],
      setSelect: [(plot) => zoom(plot, shown)],
    },
  };
}

/** A symmetric logarithmic axis has ticks at its threshold, also where it does not reach that. */
function insideOnly({ scales: { y } }: uPlot, splits: number[]): (number | null)[] {
  return splits.map((value) => (value < y.min! || value > y.max! ? null : value));
}

function bottomOf({ xAxis }: OverviewReply): number {
  return xAxis === "timestamp" ? timeAxisHeight : margin.bottom;
}

function paintAll(plot: uPlot, element: HTMLElement, shown: Shown, heights: Heights): void {
  const { overview, view, kinds, range, raised } = shown;
  const { ctx, bbox } = plot;
  const isOwn = range[0] === overview.start && range[1] === overview.end;
  const x = (value: number) => plot.valToPos(value, "x", true);
  const scale = {
    x,
    columnX: (column: number) =>
      isOwn
        ? bbox.left + Math.round((column / overview.columns) * bbox.width)
        : x(edgeOf(overview, column)),
    // uPlot would put what a logarithmic axis cannot show below its edge.
    y: (value: number) => (view.y === "log" && value <= 0 ? NaN : plot.valToPos(value, "y", true)),
    bottom: bbox.top + bbox.height,
  };
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  const width = 1.5 * devicePixelRatio;
  const pens = kinds.map((kind) => {
    const colour = colourAt(element, kind);
    return { colour, width, pattern: kind.pattern, opacity: 1 };
  });
  paintLines(ctx, overview.series, scale, pens, raised);
  const edges = { top: bbox.top, bottom: scale.bottom, ...heights, isLog: view.y === "log" };
  const colour = getComputedStyle(element).getPropertyValue("--text");
  paintEdges(ctx, overview.series, scale, edges, { colour, width, height: 4 * devicePixelRatio });
  ctx.restore();
}

/** A drag selects in x, with alt in y; with shift it moves the picture. */
function startDrag(
  plot: uPlot,
  event: MouseEvent,
  shown: Shown,
  begin: (event: MouseEvent) => unknown,
): void {
  const { drag } = plot.cursor;
  drag!.x = !event.altKey;
  drag!.y = event.altKey;
  if (!event.shiftKey || event.button !== 0) return void begin(event);
  const { overview, range } = shown;
  const width = plot.over.clientWidth;
  const moved = (to: MouseEvent): Range => {
    const share = (event.clientX - to.clientX) / width;
    return wholeRange(overview, range, share, 1 + share);
  };
  const move = (to: MouseEvent) => shown.onView({ range: moved(to) }, false);
  const end = (to: MouseEvent) => {
    window.removeEventListener("mousemove", move);
    window.removeEventListener("mouseup", end);
    shown.onView({ range: moved(to) }, true);
  };
  window.addEventListener("mousemove", move);
  window.addEventListener("mouseup", end);
}

function listen(plot: uPlot, shown: Shown): void {
  const { over } = plot;
  const pointed = (event: MouseEvent) => {
    const { left, top } = over.getBoundingClientRect();
    const x = plot.posToVal(event.clientX - left, "x");
    shown.onPointer({ x, top: event.clientY - top });
  };
  over.addEventListener("mousemove", pointed);
  over.addEventListener("mouseleave", () => shown.onPointer(undefined));
  const wheel = (event: WheelEvent) => {
    // Without the key the page scrolls; two fingers on a trackpad set it by themselves.
    if (!event.ctrlKey) return;
    event.preventDefault();
    const { left, width } = over.getBoundingClientRect();
    const at = (event.clientX - left) / width;
    const factor = Math.exp(event.deltaY / 200);
    shown.onView({ range: zoomed(shown.overview, shown.range, at, factor) }, false);
  };
  over.addEventListener("wheel", wheel, { passive: false });
}

/** The range that has this factor of the width, with the same value at a share of it. */
export function zoomed(
  overview: OverviewReply,
  range: readonly [number, number],
  at: number,
  factor: number,
): Range {
  return wholeRange(overview, range, at - at * factor, at + (1 - at) * factor);
}

/** From one share of what is shown to another: at least one step, and none below 0. */
function wholeRange(
  { xAxis, xScale }: OverviewReply,
  range: readonly [number, number],
  from: number,
  to: number,
): Range {
  const [start, end] = [from, to].map((share) => valueAt(range, xScale, share));
  if (xAxis === "metric") return { start, end };
  const first = Math.max(xScale === "log" ? 1 : 0, Math.floor(start));
  return { start: first, end: Math.max(first + 1, Math.ceil(end)) };
}

function zoom(plot: uPlot, shown: Shown): void {
  const { left, top, width, height } = plot.select;
  if (width <= 0 || height <= 0) return;
  plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
  if (plot.cursor.drag?.y === true) {
    const [start, end] = [top + height, top].map((place) => plot.posToVal(place, "y"));
    if (start < end) shown.onView({ heights: { start, end } }, true);
    return;
  }
  const full = plot.over.clientWidth;
  const range = wholeRange(shown.overview, shown.range, left / full, (left + width) / full);
  shown.onView({ range }, true);
}
