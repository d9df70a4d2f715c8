import { numberText, SvgCanvas } from "./svg-canvas.ts";
import { fitted, shortNames } from "../../parts/short-names.ts";
import type { Kind } from "../lines/colours.ts";
import { countText } from "../../parts/words.ts";
import type { PictureArea, PictureFrame } from "./picture-frame.ts";
import { svgText } from "./svg-file.ts";

/** A legend laid out, from its own upper left corner. */
export interface Legend {
  width: number;
  height: number;
  entries: readonly LegendEntry[];
  /** Names without room. */
  left: number;
}

interface LegendEntry {
  name: string;
  /** The line; undefined: the entry says how many are left out. */
  line: number | undefined;
  x: number;
  y: number;
}

/** Lengths in heights of the font. */
const [rowHeight, swatchWidth, gap] = [1.35, 1.9, 0.4];

/** The names to show: those that are not empty. */
function namedLines({ names }: PictureFrame) {
  return names.flatMap((name, line) => (name.trim() === "" ? [] : [{ name, line }]));
}

/**
 * Lays a legend out within this room: in as few columns as its height allows, or, for one below
 * the picture, in as many as its width allows. Names without room are counted. A head stands first.
 */
export function legendIn(
  frame: PictureFrame,
  room: { width: number; height: number },
  isBelow: boolean,
  head?: string,
): Legend {
  const { fontSize: em, widthOf } = frame;
  const wanted = namedLines(frame);
  if (wanted.length === 0) return { width: 0, height: 0, entries: [], left: 0 };
  const lead = (swatchWidth + gap) * em;
  const namesMax = room.width - lead;
  const measure = (text: string) => widthOf(text, em);
  const all = wanted.map(({ name }) => name);
  const short = shortNames(all, namesMax, measure);
  const named = [
    ...(head === undefined ? [] : [{ name: fitted(head, namesMax, measure), line: undefined }]),
    ...wanted.map(({ name, line }) => ({ name: short.get(name)!, line })),
  ];
  const column = lead + Math.max(...named.map(({ name }) => widthOf(name, em))) + em;
  const rowsMax = Math.max(1, Math.floor(room.height / (rowHeight * em)));
  const columnsMax = Math.max(1, Math.floor((room.width + em) / column));
  const shownMax = rowsMax * columnsMax;
  const isCut = named.length > shownMax;
  const shown = isCut ? named.slice(0, shownMax - 1) : named;
  const left = named.length - shown.length;
  const told = isCut ? [...shown, { name: `and ${countText(left)} more`, line: undefined }] : shown;
  const columns = isBelow ? Math.min(columnsMax, told.length) : Math.ceil(told.length / rowsMax);
  const rows = Math.ceil(told.length / columns);
  const entries = told.map((one, at) => {
    const [across, down] = isBelow
      ? [at % columns, Math.floor(at / columns)]
      : [Math.floor(at / rows), at % rows];
    return { ...one, x: across * column, y: down * rowHeight * em };
  });
  return { width: columns * column - em, height: rows * rowHeight * em, entries, left };
}

/** Markup of a legend whose upper left corner is there. */
export function legendMarkup(
  { entries }: Legend,
  place: { left: number; top: number },
  frame: PictureFrame,
  kinds: readonly Kind[],
): string {
  const { fontSize: em, colours } = frame;
  return entries
    .map(({ name, line, x, y }) => {
      const [left, middle] = [place.left + x, place.top + y + (rowHeight * em) / 2];
      const swatch = line === undefined ? "" : swatchMarkup(frame, kinds[line], left, middle);
      const textX = left + (line === undefined ? 0 : (swatchWidth + gap) * em);
      const word = { x: textX, y: middle + 0.35 * em, text: name, colour: colours.text, size: em };
      return swatch + svgText(word);
    })
    .join("\n");
}

/** A piece of the line, in its pattern. */
function swatchMarkup(frame: PictureFrame, kind: Kind, left: number, y: number): string {
  const { fontSize: em, lineWidth, colours } = frame;
  const width = Math.max(lineWidth, em / 8);
  const length = swatchWidth * em;
  const piece = (from: number, to: number, opacity: string) =>
    `<line x1="${numberText(left + from)}" y1="${numberText(y)}" x2="${numberText(left + to)}" y2="${numberText(y)}" stroke="${colours.lines[kind.colour]}" stroke-width="${numberText(width)}"${opacity}/>`;
  const whole = piece(0, length, kind.pattern === 0 ? "" : ' stroke-opacity="0.45"');
  if (kind.pattern === 0) return whole;
  const parts =
    kind.pattern === 1
      ? [[0, 0.5]]
      : [
          [0, 0.2],
          [0.4, 0.6],
          [0.8, 1],
        ];
  return whole + parts.map(([from, to]) => piece(from * length, to * length, "")).join("");
}

export interface NamedEnd {
  line: number;
  /** In heights of a name, from the top of the plot. */
  top: number;
}

/** The room that names at the ends of lines take, and the names as shown. */
export function endNames(frame: PictureFrame): { width: number; names: string[] } {
  const { fontSize: em, widthOf, width } = frame;
  const wanted = namedLines(frame);
  if (wanted.length === 0) return { width: 0, names: [] };
  const all = wanted.map(({ name }) => name);
  const short = shortNames(all, 0.3 * width, (text) => widthOf(text, em));
  const names: string[] = frame.names.map(() => "");
  for (const { name, line } of wanted) names[line] = short.get(name)!;
  const longest = Math.max(...names.map((name) => widthOf(name, em)));
  return { width: longest + 1.6 * em, names };
}

/** Markup of names beside the ends of their lines. */
export function endNamesMarkup(
  ends: readonly { line: number; top: number; end: number }[],
  names: readonly string[],
  area: PictureArea,
  frame: PictureFrame,
  kinds: readonly Kind[],
): string {
  const { fontSize: em, colours } = frame;
  const canvas = new SvgCanvas();
  const texts = ends.map(({ line, top, end }) => {
    const [x, y] = [area.left + area.width + 0.3 * em, area.top + top];
    canvas.fillStyle = colours.lines[kinds[line].colour];
    const isMoved = Math.abs(top - end) > em / 8;
    const start = isMoved ? 0.3 * em : 0;
    if (isMoved) {
      canvas.strokeStyle = canvas.fillStyle;
      canvas.lineWidth = em / 12;
      canvas.beginPath();
      canvas.moveTo(x - 0.2 * em, area.top + end);
      canvas.lineTo(x + start, y);
      canvas.stroke();
    }
    canvas.fillRect(x + start, y - em / 10, 0.7 * em - start, em / 5);
    const word = { x: x + 0.95 * em, y: y + 0.35 * em, text: names[line] };
    return svgText({ ...word, colour: colours.text, size: em });
  });
  return [canvas.markup(), ...texts].join("\n");
}
