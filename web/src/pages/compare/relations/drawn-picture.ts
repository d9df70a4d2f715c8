import { framedPicture } from "../../../chart/picture/framed-picture.ts";
import type { PictureArea, PictureFrame } from "../../../chart/picture/picture-frame.ts";
import { numberTicksOf, type PictureTicks } from "../../../chart/picture/picture-ticks.ts";
import { numberText, SvgCanvas } from "../../../chart/picture/svg-canvas.ts";
import { svgFile, svgLine, svgText } from "../../../chart/picture/svg-file.ts";
import type { Axis } from "./axis.ts";
import { legendOf, shadeOf, type ColourScale, type Inks } from "./colour-scale.ts";
import { paintParallel, paintPoints, radiusOf } from "./paint.ts";
import { shortened, titleOf, type Drawn } from "./plotted.ts";

/** Names for a legend of colours that stand for categories; a scale of numbers has its own. */
export function colourNames(colours: ColourScale | undefined, frameColours: number): string[] {
  if (colours?.axis.kind !== "category") return [];
  return colours.axis.categories.slice(0, frameColours).map(String);
}

/** A scatter plot as an SVG file. */
export function scatterPicture({ axes, plotted, colours }: Drawn, frame: PictureFrame): string {
  const [across, up] = axes;
  const inks = inksOf(frame);
  const placed = plotted.filter(({ places }) => places.every((place) => place !== undefined));
  const radius = (radiusOf(placed.length) * frame.fontSize) / 16;
  return framedPicture(
    {
      name: `${titleOf(up.field)} by ${titleOf(across.field)}`,
      kinds: frame.names.map((_, colour) => ({ colour, pattern: 0 })),
      right: scaleWidth(colours, frame, inks),
      above: 0,
      xTicks: (room) => ticksOf(across, room),
      yTicks: (room) => ticksOf(up, room),
      content: (area) => {
        const canvas = new SvgCanvas();
        const place = (axis: number, share: number) =>
          axis === 0
            ? { x: area.left + area.width * inset(share), y: 0 }
            : { x: 0, y: area.top + area.height * (1 - inset(share)) };
        paintPoints(canvas, placed, place, colours, inks, radius);
        const left = area.left + area.width + frame.fontSize;
        return [canvas.markup(), scaleMarkup(colours, { ...area, left }, frame, inks)];
      },
    },
    frame,
  );
}

/** Points at the ends of the axes are whole. */
function inset(share: number): number {
  return 0.03 + 0.94 * share;
}

function ticksOf(axis: Axis, room: Parameters<typeof numberTicksOf>[3]): PictureTicks {
  const moved = ({ ticks, note }: PictureTicks) => ({
    ticks: ticks.map(({ place, text }) => ({ place: inset(place), text })),
    note,
  });
  if (axis.kind !== "number") return moved({ ticks: axis.ticks, note: axis.note });
  return moved(numberTicksOf(axis.start, axis.end, axis.isLog, room));
}

/** Parallel coordinates as an SVG file. */
export function parallelPicture({ axes, plotted, colours }: Drawn, frame: PictureFrame): string {
  const {
    width,
    height,
    fontSize: em,
    title,
    colours: { text: colour },
  } = frame;
  const inks = inksOf(frame);
  const scale = scaleRow(colours, height - 0.6 * em, frame, inks);
  const names = axes.map(({ field, note }) => [titleOf(field), note].filter(Boolean).join(": "));
  const top = (title === "" ? 0 : 1.6 * em) + 3.4 * em;
  const side = Math.min(width / 8, 3.2 * em);
  const area = {
    left: side,
    top,
    width: width - 2 * side,
    height: height - top - (scale === "" ? 1.2 : 2.8) * em,
  };
  const xOf = (at: number) =>
    area.left + (axes.length < 2 ? area.width / 2 : (at * area.width) / (axes.length - 1));
  const yOf = (share: number) => area.top + area.height * (1 - share);
  const canvas = new SvgCanvas();
  const place = (at: number, share: number) => ({ x: xOf(at), y: yOf(share) });
  paintParallel(canvas, plotted, place, colours, inks, frame.lineWidth);
  const characters = Math.floor((1.8 * area.width) / Math.max(1, axes.length - 1) / (0.55 * em));
  const drawnAxes = axes.flatMap((axis, at) => {
    const x = xOf(at);
    const line = (from: [number, number], to: [number, number]) =>
      svgLine({ from, to, colour, width: 0.8 });
    const titleY = top - (at % 2 === 0 ? 2.2 : 0.9) * em;
    const name = { x, y: titleY, anchor: "middle" as const, colour, size: em, isBold: true };
    return [
      line([x, yOf(0)], [x, yOf(1)]),
      ...pictureTicks(axis, area.height, em).flatMap(({ place: share, text }) => [
        line([x - 3, yOf(share)], [x + 3, yOf(share)]),
        onWhite({
          x: x + 0.5 * em,
          y: yOf(share) + 0.35 * em,
          text: shortened(text, 14),
          colour,
          size: 0.9 * em,
        }),
      ]),
      svgText({ ...name, text: shortened(names[at], Math.max(8, characters)) }),
    ];
  });
  const middle = { x: width / 2, y: 1.5 * em, anchor: "middle" as const };
  return svgFile(frame, title || names.join(", "), [
    svgText({ ...middle, text: title, colour, size: 1.15 * em, isBold: true }),
    canvas.markup(),
    ...drawnAxes,
    scale,
  ]);
}

function pictureTicks(axis: Axis, length: number, em: number): PictureTicks["ticks"] {
  if (axis.kind !== "number") return axis.ticks;
  const { ticks } = numberTicksOf(axis.start, axis.end, axis.isLog, {
    length,
    along: () => 2.4 * em,
  });
  return ticks.filter(({ text }) => text !== "");
}

/** A text that is read above lines: drawn on a copy of itself in white. */
function onWhite(text: Parameters<typeof svgText>[0]): string {
  const under = svgText({ ...text, colour: "#ffffff" });
  return `${under.replace("<text ", '<text stroke="#ffffff" stroke-width="3" stroke-linejoin="round" ')}\n${svgText(text)}`;
}

function inksOf({ colours }: PictureFrame): Inks {
  return {
    isDark: false,
    lines: colours.lines,
    text: colours.text,
    soft: colours.soft,
    card: "#ffffff",
  };
}

const barWidth = 0.9;

/** Room of the scale of colours at the right; none for categories, which a legend has. */
function scaleWidth(colours: ColourScale | undefined, frame: PictureFrame, inks: Inks): number {
  if (colours === undefined || colours.axis.kind === "category") return 0;
  const { fontSize: em, widthOf } = frame;
  const texts = [...legendOf(colours, inks).map(({ text }) => text), scaleTitle(colours)];
  return Math.max(...texts.map((text) => widthOf(text, em))) + (barWidth + 2) * em;
}

function scaleTitle({ axis, isLeastBest }: ColourScale): string {
  const words = [
    axis.isLog ? "log" : "",
    isLeastBest === undefined ? "" : isLeastBest ? "low is best" : "high is best",
  ].filter(Boolean);
  return words.length === 0 ? titleOf(axis.field) : `${titleOf(axis.field)} (${words.join(", ")})`;
}

/** A bar of the colours with its ends, and what they stand for. */
function scaleMarkup(
  colours: ColourScale | undefined,
  area: PictureArea,
  frame: PictureFrame,
  inks: Inks,
): string {
  if (scaleWidth(colours, frame, inks) === 0 || colours === undefined) return "";
  const { isLeastBest } = colours;
  const {
    fontSize: em,
    colours: { text: colour },
  } = frame;
  const height = Math.min(area.height - 1.6 * em, 10 * em);
  const top = area.top + 1.6 * em;
  const steps = 32;
  const bars = Array.from({ length: steps }, (_, step) => {
    const share = 1 - (step + 0.5) / steps;
    const fill = shadeOf(isLeastBest ? 1 - share : share, false);
    const [y, each] = [top + (step * height) / steps, height / steps + 0.2].map(numberText);
    return `<rect x="${numberText(area.left)}" y="${y}" width="${numberText(barWidth * em)}" height="${each}" fill="${fill}"/>`;
  });
  const [start, end] = legendOf(colours, inks);
  const x = area.left + (barWidth + 0.3) * em;
  const word = { colour, size: em };
  return [
    svgText({ ...word, x: area.left, y: area.top + 0.8 * em, text: scaleTitle(colours) }),
    ...bars,
    svgText({ ...word, x, y: top + 0.7 * em, text: end.text }),
    svgText({ ...word, x, y: top + height, text: start.text }),
  ].join("\n");
}

/** The same from left to right, on one line with this baseline; empty without a scale. */
function scaleRow(
  colours: ColourScale | undefined,
  baseline: number,
  frame: PictureFrame,
  inks: Inks,
): string {
  if (colours === undefined || colours.axis.kind === "category") return "";
  const { fontSize: em, widthOf, width } = frame;
  const [start, end] = legendOf(colours, inks).map(({ text }) => text);
  const title = scaleTitle(colours);
  const word = { colour: frame.colours.text, size: em, y: baseline };
  const from = 1.6 * em + widthOf(title, em) + widthOf(start, em) + 0.4 * em;
  const length = Math.max(2 * em, Math.min(8 * em, width - from - widthOf(end, em) - em));
  const steps = 32;
  const bars = Array.from({ length: steps }, (_, step) => {
    const share = (step + 0.5) / steps;
    const fill = shadeOf(colours.isLeastBest ? 1 - share : share, false);
    const [x, each] = [from + (step * length) / steps, length / steps + 0.2].map(numberText);
    return `<rect x="${x}" y="${numberText(baseline - 0.8 * em)}" width="${each}" height="${numberText(barWidth * em)}" fill="${fill}"/>`;
  });
  return [
    svgText({ ...word, x: 0.6 * em, text: title }),
    svgText({ ...word, x: 1.6 * em + widthOf(title, em), text: start }),
    ...bars,
    svgText({ ...word, x: from + length + 0.4 * em, text: end }),
  ].join("\n");
}
