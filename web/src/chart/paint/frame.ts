// Imported before uPlot, whose loading it repairs.
import "./browser-language.ts";
import type { OverviewReply } from "@lossless/client";
import uPlot from "uplot";
import { placeOf } from "../axes/axis-x.ts";
import { heightsOf } from "../axes/axis-y.ts";
import { margin, rightOf } from "../axes/margins.ts";
import { listen, startDrag } from "./gestures.ts";
import { paintPlot, type LinesImage } from "./paint-plot.ts";
import { commonUnit } from "../../parts/units.ts";
import { placeDots } from "./place-dots.ts";
import type { FrameInput, FrameState } from "./frame-state.ts";
import type { Dot } from "../cursor/dots.ts";
import { rangeOf, wholeRange } from "../axes/range.ts";
import { textWidth, valueTexts, type TickTexts } from "../axes/tick-texts.ts";
import {
  evenTicksOf,
  extremeTicksOf,
  powerTicks,
  symlogTicks,
  tickSpace,
  timeAxisHeight,
  xAxisOf,
  xTextsOf,
} from "../axes/ticks.ts";

export interface Frame {
  /** Shows other columns or another range on the same axes. A selection in progress goes on. */
  show(change: Pick<FrameInput, "overview" | "isCurrent" | "view" | "kinds" | "names">): void;
  /** Raises a line over the others; the image of all is kept for a pointer over the chart. */
  raise(line: number | undefined, isPointed: boolean): void;
  /** Shows the place that is read, and the values read there. */
  point(x: number | undefined, dots?: readonly Dot[]): void;
  /** The height of a value, in CSS pixels from the top of the plot. */
  topOf: (value: number) => number;
  destroy(): void;
}

/**
 * Draws a chart. Axes, cursor and selection are uPlot's; lines are painted from the service's
 * columns.
 */
export function createFrame(element: HTMLElement, input: FrameInput): Frame {
  const heights = heightsOf(input.overview, input.view);
  const state: FrameState = { ...input, raised: undefined, range: rangeOf(input), heights };
  const kept: LinesImage = { isPointed: false };
  const read: ReadPlace = { x: undefined, dots: [] };
  const notes: Notes = { x: "", y: "" };
  const plot = new uPlot(optionsOf(element, state, kept, read, notes), dataOf(state), element);
  const { xAxis, xScale } = state.overview;
  if (xAxis !== "timestamp") placeTicks(plot.axes[0], xScale, state);
  placeTicks(plot.axes[1], state.view.y, state);
  keepWhole(plot.axes[0], state);
  const held = holdWhileDown(element, () => {
    kept.image = undefined;
    plot.setData(dataOf(state));
  });
  return {
    show(change) {
      Object.assign(state, change);
      state.heights = heightsOf(state.overview, state.view);
      kept.image = undefined;
      state.range = rangeOf(state);
      held.update();
    },
    raise(line, isPointed) {
      kept.isPointed = isPointed || line !== undefined;
      if (!kept.isPointed && state.raised === undefined) kept.image = undefined;
      if (state.raised === line) return;
      state.raised = line;
      plot.redraw(false);
    },
    point(x, dots = []) {
      Object.assign(read, { x, dots });
      placeRead(plot, read);
    },
    topOf: (value) => plot.valToPos(value, "y"),
    destroy() {
      held.end();
      plot.destroy();
    },
  };
}

/** Data for uPlot: only the edges of the axis. */
function dataOf({ range }: FrameState): uPlot.AlignedData {
  return [range, [null, null]];
}

/** Delays changes while a pointer is held down, so that nothing moves under it. */
function holdWhileDown(element: HTMLElement, change: () => void) {
  let isHeld = false;
  let isWaiting = false;
  const update = () => {
    isWaiting = isHeld;
    if (!isHeld) change();
  };
  // With shift a drag moves the plot.
  const hold = ({ shiftKey }: PointerEvent) => void (isHeld = !shiftKey);
  const release = () => {
    isHeld = false;
    // The selection is read first.
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

/** The place that is read, in units of the axis, and the values there. */
interface ReadPlace {
  x: number | undefined;
  dots: readonly Dot[];
}

/** Keeps the cursor line and the dots at what is read, also when the plot moves. */
function placeRead(plot: uPlot, { x, dots }: ReadPlace): void {
  const left = x === undefined ? -10 : plot.valToPos(x, "x");
  const isInside = left >= 0 && left <= plot.over.clientWidth;
  plot.setCursor({ left: isInside ? left : -10, top: isInside ? 0 : -10 }, false);
  placeDots(plot, dots);
}

/** Origin and unit of the ticks' numbers, by axis. */
interface Notes {
  x: string;
  y: string;
}

/** Room for a note. */
const noteHeight = 16;
const font = "12px system-ui, sans-serif";

function optionsOf(
  element: HTMLElement,
  state: FrameState,
  kept: LinesImage,
  read: ReadPlace,
  notes: Notes,
): uPlot.Options {
  const { view, width, height, overview } = state;
  const theme = getComputedStyle(element);
  const line = theme.getPropertyValue("--line");
  const axis = {
    stroke: theme.getPropertyValue("--soft"),
    font,
    grid: { stroke: line, width: 1 },
    ticks: { stroke: line, width: 1, size: 4 },
  };
  return {
    width,
    height,
    ms: 1,
    padding: [
      () => margin.top + (notes.y === "" ? 0 : noteHeight - 4),
      rightOf(state.names !== undefined, width),
      0,
      0,
    ],
    legend: { show: false },
    scales: {
      x: {
        time: overview.xAxis === "timestamp",
        distr: overview.xScale === "log" ? 3 : 1,
        range: () => state.range,
      },
      y: {
        distr: distributions[view.y],
        asinh: state.heights.threshold,
        range: () => [state.heights.low, state.heights.high],
      },
    },
    axes: axesOf(axis, state, notes),
    series: [{}, { paths: () => null, points: { show: false } }],
    cursor: {
      y: false,
      points: { show: false },
      drag: { x: true, y: false, setScale: false, dist: 6 },
      bind: {
        mousedown: (plot, _, begin) => (event) => (startDrag(plot, event, state, begin), null),
        dblclick: () => () => (state.onView({ range: undefined, heights: undefined }, true), null),
      },
    },
    hooks: {
      ready: [(plot) => (state.pointAgain = listen(plot, state))],
      draw: [
        (plot) => paintPlot(plot, element, state, kept),
        (plot) => paintNotes(plot, notes, axis.stroke),
        (plot) => placeRead(plot, read),
        () => state.pointAgain?.(read.x),
      ],
      setSelect: [(plot) => zoom(plot, state)],
    },
  };
}

function axesOf(axis: uPlot.Axis, { overview, view }: FrameState, notes: Notes): uPlot.Axis[] {
  const noted = (name: keyof Notes, { texts, note }: TickTexts) => {
    notes[name] = note;
    return texts;
  };
  const unit = commonUnit(overview.series);
  const x: uPlot.Axis = {
    ...axis,
    values: ({ scales }, splits) =>
      noted("x", xTextsOf(overview, splits, scales.x.min!, scales.x.max!)),
    ...xAxisOf(overview),
    size: () => bottomOf(overview) + (notes.x === "" ? 0 : noteHeight),
  };
  const y: uPlot.Axis = {
    ...axis,
    size: margin.left,
    space: view.y === "linear" ? 36 : tickSpace,
    values: ({ scales: { y: scale } }, splits) => {
      const isBent = view.y !== "linear" && evenTicksOf(scale.min!, scale.max!) === undefined;
      return noted("y", valueTexts(splits, unit, isBent));
    },
    // uPlot's own are powers of ten only.
    ...(view.y === "symlog" ? { filter: (_: uPlot, splits: number[]) => splits } : {}),
  };
  return [x, y];
}

/**
 * Places ticks where uPlot's own fail: they are for linear axes, and for less than 60 powers of
 * ten.
 */
function placeTicks(axis: uPlot.Axis, scale: "linear" | "log" | "symlog", state: FrameState): void {
  const own = axis.splits as Exclude<uPlot.Axis.Splits, number[]>;
  const placed = ({ bbox }: uPlot, low: number, high: number) => {
    if (scale === "linear") return extremeTicksOf(low, high);
    const even = evenTicksOf(low, high);
    if (even !== undefined || scale === "log") return even ?? powerTicks(low, high);
    return symlogTicks(low, high, state.heights.threshold, bbox.height / devicePixelRatio);
  };
  axis.splits = (plot, at, low, high, ...more) =>
    placed(plot, low, high) ?? own(plot, at, low, high, ...more);
  // Without integer distances between ticks uPlot draws no axis.
  const ownDistances = axis.incrs as Exclude<uPlot.Axis.Incrs, number[]>;
  axis.incrs = (plot, at, low, high, ...more) =>
    placed(plot, low, high) === undefined
      ? ownDistances(plot, at, low, high, ...more)
      : [Math.max(5, high - low)];
}

/** Leaves out texts that the chart's edge would cut, which would show another number. */
function keepWhole(axis: uPlot.Axis, state: FrameState): void {
  const own = axis.values as Exclude<uPlot.Axis.Values, readonly unknown[] | string>;
  axis.values = (plot, splits, ...more) => {
    const plotWidth = state.width - margin.left - rightOf(state.names !== undefined, state.width);
    const texts = own(plot, splits, ...more);
    return texts.map((text, at) => {
      const lines = String(text ?? "").split("\n");
      const half = Math.max(...lines.map(textWidth)) / 2;
      const left = placeOf(state.range, state.overview.xScale, splits[at]) * plotWidth;
      const isWhole = left - half >= -margin.left && left + half <= state.width - margin.left;
      return isWhole ? text : "";
    });
  };
}

function paintNotes({ ctx, bbox, height }: uPlot, { x, y }: Notes, colour: string): void {
  const ratio = devicePixelRatio;
  ctx.save();
  ctx.fillStyle = colour;
  ctx.font = font.replace("12px", `${12 * ratio}px`);
  ctx.textAlign = "left";
  ctx.textBaseline = "top";
  ctx.fillText(y, 12 * ratio, 2 * ratio);
  ctx.textAlign = "right";
  ctx.textBaseline = "bottom";
  ctx.fillText(x, bbox.left + bbox.width, (height - 1) * ratio);
  ctx.restore();
}

function bottomOf({ xAxis }: OverviewReply): number {
  return xAxis === "timestamp" ? timeAxisHeight : margin.bottom;
}

function zoom(plot: uPlot, state: FrameState): void {
  const { left, top, width, height } = plot.select;
  if (width <= 0 || height <= 0) return;
  plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
  if (plot.cursor.drag?.y === true) {
    const [start, end] = [top + height, top].map((place) => plot.posToVal(place, "y"));
    if (start < end) state.onView({ heights: { start, end } }, true);
    return;
  }
  const full = plot.over.clientWidth;
  const range = wholeRange(state.overview, state.range, left / full, (left + width) / full);
  state.onView({ range }, true);
}
