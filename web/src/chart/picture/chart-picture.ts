import type { OverviewReply } from "@lossless/client";
import { columnAround } from "@lossless/protocol/raster";
import { axisRange, edgeOf, placeOf } from "../axes/axis-x.ts";
import { heightsOf, type Heights } from "../axes/axis-y.ts";
import { repeatedStretches } from "../lines/passes.ts";
import { commonUnit } from "../../parts/units.ts";
import type { PlacedMark } from "../lane/marks.ts";
import { keysTold, type LineLook } from "../lines/looks.ts";
import { nameHeight, namedEnds } from "../paint/end-names.ts";
import type { Pen, Scale } from "../paint/paint-line.ts";
import { paintEdges, paintLines } from "../paint/paint-lines.ts";
import { endOf } from "../paint/paint-names.ts";
import { paintRepeated } from "../paint/paint-repeated.ts";
import type { ChartView } from "../view.ts";
import { endNames, endNamesMarkup } from "./legend.ts";
import type { PictureArea, PictureFrame } from "./picture-frame.ts";
import { framedPicture, type Framed } from "./framed-picture.ts";
import { heightIn, xTicksOf, yTicksOf } from "./picture-ticks.ts";
import { asWideAsPen } from "./pen-wide.ts";
import { signsMarkup } from "./signs.ts";
import { numberText, SvgCanvas } from "./svg-canvas.ts";

/** A chart as it is shown. */
export interface PicturedChart {
  name: string;
  overview: OverviewReply;
  looks: readonly LineLook[];
  view: ChartView;
  happened: readonly PlacedMark[];
}

/**
 * A chart as an SVG file, painted by the same code as on a page: each column is drawn from its
 * least to its largest value, and a peak is as wide as the pen.
 */
export function chartPicture(chart: PicturedChart, frame: PictureFrame): string {
  const { name, overview, looks, view, happened } = chart;
  const heights = heightsOf(overview, view);
  const range = axisRange(overview);
  const unit = commonUnit(overview.series);
  const ends = frame.legend === "ends" ? endNames(frame) : { width: 0, names: [] };
  const hasSigns = frame.hasSigns && happened.length > 0;
  const framed: Framed = {
    name,
    kinds: looks.map(({ kind }) => kind),
    namesOf: keysTold(looks),
    right: ends.width,
    above: hasSigns ? 1.3 * frame.fontSize : 0,
    yTicks: (room) => yTicksOf(heights, view.y, room, unit),
    xTicks: (room) => xTicksOf(overview, range, room),
    content: (area) => [
      linesMarkup(chart, heights, area, frame),
      hasSigns ? signsIn(chart, range, area, frame) : "",
      endsMarkup(chart, heights, ends.names, area, frame),
    ],
  };
  return framedPicture(framed, frame);
}

function signsIn(
  { happened, overview }: PicturedChart,
  range: readonly [number, number],
  area: PictureArea,
  frame: PictureFrame,
): string {
  const height = 1.3 * frame.fontSize;
  const row = { ...area, top: area.top - height, height };
  return signsMarkup(happened, row, (x) => placeOf(range, overview.xScale, x), frame);
}

/** The lines in units of a column, so that the edges of columns are whole numbers. */
function linesMarkup(
  { overview, looks, view }: PicturedChart,
  heights: Heights,
  { left, top, width, height }: PictureArea,
  { lineWidth, colours }: PictureFrame,
): string {
  const unit = width / overview.columns;
  const bottom = height / unit;
  const scale = scaleOf(overview, view, heights, bottom);
  const pens = looks.map(({ kind }): Pen => {
    const colour = colours.lines[kind.colour];
    return { colour, width: lineWidth / unit, pattern: kind.pattern, opacity: 1 };
  });
  const canvas = new SvgCanvas();
  const shading = { top: 0, colour: colours.text, ratio: 1 / unit };
  paintRepeated(canvas, repeatedStretches(overview.series), scale, shading);
  paintLines(canvas, asWideAsPen(overview.series, lineWidth / unit), scale, pens);
  const edges = { top: 0, bottom, ...heights, isLog: view.y === "log" };
  const tick = { colour: colours.text, width: lineWidth / unit, height: 4 / unit };
  paintEdges(canvas, overview.series, scale, edges, tick);
  const size = `width="${numberText(overview.columns)}" height="${numberText(bottom)}"`;
  return `<clipPath id="plot"><rect ${size}/></clipPath>
<g transform="translate(${numberText(left)} ${numberText(top)}) scale(${unit})"><g clip-path="url(#plot)">
${canvas.markup()}
</g></g>`;
}

function scaleOf(
  overview: OverviewReply,
  view: ChartView,
  heights: Heights,
  bottom: number,
): Scale {
  const { start, end, columns, xScale } = overview;
  const range = axisRange(overview);
  const isOwn = range[0] === start && range[1] === end;
  const x = (value: number) => placeOf(range, xScale, value) * columns;
  return {
    x,
    columnX: (column) => (isOwn ? column : x(edgeOf(overview, column))),
    columnOf: (value) => columnAround(overview, value),
    y: (value) => bottom * (1 - heightIn(heights, view.y, value)),
    left: 0,
    right: columns,
    bottom,
  };
}

function endsMarkup(
  { overview, looks, view }: PicturedChart,
  heights: Heights,
  names: readonly string[],
  area: PictureArea,
  frame: PictureFrame,
): string {
  const share = nameHeight / (1.2 * frame.fontSize);
  const ends = overview.series.map((partition, line) => {
    const top = area.height * (1 - heightIn(heights, view.y, endOf(partition)));
    return { line, top: top * share };
  });
  const named = ends.filter(({ line }) => (names[line] ?? "") !== "");
  const placed = namedEnds(named, area.height * share, undefined);
  const shown = placed.map(({ line, top, end }) => {
    return { line, top: top / share, end: end / share };
  });
  const kinds = looks.map(({ kind }) => kind);
  return shown.length === 0 ? "" : endNamesMarkup(shown, names, area, frame, kinds);
}
