/** Runs in the pages of test/web/exact-runs.test.ts: their charts, drawn from all points. */
import type { OverviewReply } from "@lossless/client";
import { columnAround } from "@lossless/protocol/raster";
import { axisRange, placeOf } from "../axes/axis-x.ts";
import { withPasses } from "../lines/passes.ts";
import { heightsOf } from "../axes/axis-y.ts";
import { colourIn } from "../lines/colours.ts";
import { createFrame } from "./frame.ts";
import { paintEveryPoint, type Points } from "./every-point.fixture.ts";
import { kindsInOrder } from "../lines/looks.ts";
import type { Scale } from "./paint-line.ts";
import { viewOf } from "../view.ts";

/**
 * Pixels in which a chart of this page, including frame and axes, differs from the same frame with
 * a line through every point, clipped to the plot.
 */
export async function differingOnPage(points: Points, reply: OverviewReply): Promise<number> {
  const overview = withPasses(reply);
  const [{ seriesName, reduced }] = overview.series;
  const figure = document.querySelector(`figure[data-series="${seriesName}"]`)!;
  const canvas = figure.querySelector("canvas")!;
  const ratio = devicePixelRatio;
  const address = new URLSearchParams(location.search);
  const view = viewOf((name) => address.get(name) ?? undefined);
  const { low, high } = heightsOf(overview, view);
  const element = document.createElement("div");
  element.className = "plot";
  figure.append(element);
  const chart = createFrame(element, {
    overview: emptied(overview),
    isCurrent: true,
    view: { ...view, heights: { start: low, end: high } },
    kinds: kindsInOrder(overview, false),
    width: canvas.width / ratio,
    height: canvas.height / ratio,
    onView: () => undefined,
    onPointer: () => undefined,
  });
  await new Promise(requestAnimationFrame);
  const own = element.querySelector("canvas")!;
  const [context, over] = [own.getContext("2d")!, element.querySelector<HTMLElement>(".u-over")!];
  const box = {
    left: over.offsetLeft * ratio,
    top: over.offsetTop * ratio,
    width: over.offsetWidth * ratio,
    height: over.offsetHeight * ratio,
  };
  const isLog = view.y === "log";
  const bent = (value: number) => (isLog ? Math.log10(value) : value);
  const share = (value: number) => (bent(value) - bent(low)) / (bent(high) - bent(low));
  const range = axisRange(overview);
  const scale: Scale = {
    columnX: (column) => box.left + Math.round((column / overview.columns) * box.width),
    columnOf: (x) => columnAround(overview, x),
    x: (x) => box.left + box.width * placeOf(range, overview.xScale, x),
    y: (value) => box.top + box.height * (1 - share(value)),
    left: box.left,
    right: box.left + box.width,
    bottom: box.top + box.height,
  };
  const bare = pixelsOf(own);
  context.save();
  context.beginPath();
  context.rect(box.left, box.top, box.width, box.height);
  context.clip();
  const colour = colourIn(getComputedStyle(element), kindsInOrder(overview, false)[0]);
  const ink = { colour, width: 1.5 * ratio };
  paintEveryPoint(context, points, scale, overview, reduced !== undefined, ink);
  context.restore();
  const all = pixelsOf(own);
  chart.destroy();
  element.remove();
  if (all.every((pixel, at) => pixel === bare[at])) throw new Error("nothing is painted");
  return pixelsOf(canvas).filter((pixel, at) => pixel !== all[at]).length;
}

/** The same axes without lines. */
function emptied(overview: OverviewReply): OverviewReply {
  const none = { column: [], first: [], last: [], min: [], max: [], mean: [] };
  const series = overview.series.map(({ before: _before, after: _after, ...line }) => ({
    ...line,
    earlier: [],
    ...(line.reduced === undefined ? { exact: { x: [], value: [] } } : { reduced: none }),
  }));
  return { ...overview, series };
}

function pixelsOf(canvas: HTMLCanvasElement): Uint32Array {
  const { data } = canvas.getContext("2d")!.getImageData(0, 0, canvas.width, canvas.height);
  return new Uint32Array(data.buffer);
}
