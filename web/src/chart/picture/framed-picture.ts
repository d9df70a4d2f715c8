import type { Kind } from "../lines/colours.ts";
import { legendIn, legendMarkup, type Legend } from "./legend.ts";
import type { PictureArea, PictureFrame } from "./picture-frame.ts";
import type { PictureTicks } from "./picture-ticks.ts";
import { svgFile, svgLine, svgText } from "./svg-file.ts";

type TicksIn = (room: { length: number; along: (text: string) => number }) => PictureTicks;

/** A plot between two axes, with the room that it needs beside it. */
export interface Framed {
  name: string;
  /** The looks of the lines, for the legend. */
  kinds: readonly Kind[];
  /** The keys whose values are the names in the legend. */
  namesOf?: string | undefined;
  /** Room that the content needs at the right of the plot, and above it. */
  right: number;
  above: number;
  xTicks: TicksIn;
  yTicks: TicksIn;
  content: (area: PictureArea) => string[];
}

/** A plot with its axes, title and legend, as an SVG file. */
export function framedPicture(framed: Framed, frame: PictureFrame): string {
  const layout = layoutOf(framed, frame);
  return svgFile(frame, frame.title || framed.name, [
    titleMarkup(frame),
    gridMarkup(layout, frame),
    ...framed.content(layout.area),
    axesMarkup(layout, frame),
    outerLegend(layout, framed, frame),
    innerLegend(layout, framed, frame),
  ]);
}

interface Layout {
  area: PictureArea;
  x: PictureTicks;
  y: PictureTicks;
  labels: { x: string; y: string };
  legend: Legend;
}

/** Share of a side that a legend beside the plot takes at most. */
const legendShare = 0.45;
const tickLength = 4;

function layoutOf(framed: Framed, frame: PictureFrame): Layout {
  const { width, height, fontSize: em, widthOf, labels, title, legend: place } = frame;
  const isBelow = place === "below";
  const isBeside = place === "right";
  const legend =
    isBelow || isBeside
      ? legendIn(
          frame,
          {
            width: (isBelow ? 1 : legendShare) * width - em,
            height: (isBelow ? legendShare : 1) * height - em,
          },
          isBelow,
          framed.namesOf,
        )
      : { width: 0, height: 0, entries: [], left: 0 };
  const legendBelow = isBelow && legend.entries.length > 0 ? legend.height + 0.5 * em : 0;
  const legendBeside = isBeside && legend.entries.length > 0 ? legend.width + em : 0;
  const top = (title === "" ? 0.8 : 2.3) * em + framed.above;
  const below = tickLength + (labels.x === "" ? 1.6 : 2.9) * em + legendBelow;
  const areaHeight = Math.max(em, height - top - below);
  const y = framed.yTicks({ length: areaHeight, along: () => 1.5 * em });
  const ticksWidth = Math.max(0, ...y.ticks.map(({ text }) => widthOf(text, em)));
  const yLabel = noted(labels.y, y.note);
  const left = 0.4 * em + (yLabel === "" ? 0 : 1.4 * em) + ticksWidth + tickLength + 0.4 * em;
  const right = Math.max(0.9 * em, framed.right + 0.3 * em) + legendBeside;
  const areaWidth = Math.max(em, width - left - right);
  const x = framed.xTicks({ length: areaWidth, along: (text) => widthOf(text, em) + 0.9 * em });
  return {
    area: { left, top, width: areaWidth, height: areaHeight },
    x,
    y,
    labels: { x: noted(labels.x, x.note), y: yLabel },
    legend,
  };
}

/** A label with the origin and unit of the axis's numbers. */
function noted(label: string, note: string): string {
  return note === "" ? label : label === "" ? note : `${label} (${note})`;
}

function titleMarkup({ title, width, fontSize: em, colours }: PictureFrame): string {
  const size = 1.15 * em;
  const place = { x: width / 2, y: 1.5 * em, anchor: "middle" as const };
  return svgText({ ...place, text: title, colour: colours.text, size, isBold: true });
}

function gridMarkup({ area, y }: Layout, { hasGrid, colours }: PictureFrame): string {
  if (!hasGrid) return "";
  const lines = y.ticks
    .filter(({ text }) => text !== "")
    .map(({ place }) => {
      const height = area.top + area.height * (1 - place);
      const to: [number, number] = [area.left + area.width, height];
      return svgLine({ from: [area.left, height], to, colour: colours.grid, width: 0.6 });
    });
  return lines.join("\n");
}

function axesMarkup(layout: Layout, frame: PictureFrame): string {
  const { area, x, y, labels } = layout;
  const { fontSize: em, colours, height } = frame;
  const colour = colours.text;
  const [right, bottom] = [area.left + area.width, area.top + area.height];
  const line = (from: [number, number], to: [number, number]) =>
    svgLine({ from, to, colour, width: 0.8 });
  const word = { colour, size: em };
  const lengthOf = (text: string) => (text === "" ? tickLength / 2 : tickLength);
  return [
    line([area.left, area.top], [area.left, bottom]),
    line([area.left, bottom], [right, bottom]),
    ...x.ticks.flatMap(({ place, text }) => {
      const at = area.left + area.width * place;
      const textY = bottom + tickLength + 1.1 * em;
      return [
        line([at, bottom], [at, bottom + lengthOf(text)]),
        svgText({ ...word, x: inside(at, text, frame), y: textY, anchor: "middle", text }),
      ];
    }),
    ...y.ticks.flatMap(({ place, text }) => {
      const at = area.top + area.height * (1 - place);
      const textX = area.left - tickLength - 0.3 * em;
      return [
        line([area.left - lengthOf(text), at], [area.left, at]),
        svgText({ ...word, x: textX, y: at + 0.35 * em, anchor: "end", text }),
      ];
    }),
    svgText({
      ...word,
      x: area.left + area.width / 2,
      y: bottom + tickLength + 2.4 * em,
      anchor: "middle",
      text: labels.x,
    }),
    svgText({
      ...word,
      x: 1.25 * em,
      y: Math.min(height - em, area.top + area.height / 2),
      anchor: "middle",
      text: labels.y,
      isTurned: true,
    }),
  ].join("\n");
}

/** The middle of a tick's text, moved so that no edge of the picture cuts it. */
function inside(at: number, text: string, { width, widthOf, fontSize: em }: PictureFrame): number {
  const half = widthOf(text, em) / 2 + 1;
  return Math.min(width - half, Math.max(half, at));
}

function outerLegend({ area, legend }: Layout, { kinds }: Framed, frame: PictureFrame): string {
  const { fontSize: em, height, width } = frame;
  if (legend.entries.length === 0) return "";
  const place =
    frame.legend === "below"
      ? {
          left: Math.max(0.5 * em, (width - legend.width) / 2),
          top: height - legend.height - 0.3 * em,
        }
      : { left: width - legend.width - 0.5 * em, top: area.top };
  return legendMarkup(legend, place, frame, kinds);
}

/** A legend within the plot, on white. */
function innerLegend({ area }: Layout, { kinds, namesOf }: Framed, frame: PictureFrame): string {
  const corner = /^(top|bottom)-(left|right)$/.exec(frame.legend);
  if (corner === null) return "";
  const { fontSize: em } = frame;
  const room = { width: 0.6 * area.width, height: 0.8 * area.height };
  const legend = legendIn(frame, room, false, namesOf);
  if (legend.entries.length === 0) return "";
  const [width, height] = [legend.width + 0.8 * em, legend.height + 0.4 * em];
  const left =
    corner[2] === "left" ? area.left + 0.5 * em : area.left + area.width - width - 0.5 * em;
  const top =
    corner[1] === "top" ? area.top + 0.3 * em : area.top + area.height - height - 0.5 * em;
  const box = [left, top, width, height].map((each) => each.toFixed(2));
  const ground = `<rect x="${box[0]}" y="${box[1]}" width="${box[2]}" height="${box[3]}" fill="#ffffff" fill-opacity="0.85"/>`;
  const place = { left: left + 0.4 * em, top: top + 0.2 * em };
  return `${ground}\n${legendMarkup(legend, place, frame, kinds)}`;
}
