import { escaped } from "../../parts/escaped.ts";
import { numberText } from "./svg-canvas.ts";
import type { PictureFrame } from "./picture-frame.ts";

/** A text, placed by its baseline: not every program knows other ways. */
export interface SvgText {
  x: number;
  y: number;
  text: string;
  /** The part of the text that is at x; absent: its start. */
  anchor?: "middle" | "end";
  colour: string;
  size: number;
  isBold?: boolean;
  /** Whether it is read from below. */
  isTurned?: boolean;
}

/** A picture as an SVG file: paths and texts alone, nothing from elsewhere and no scripts. */
export function svgFile(frame: PictureFrame, name: string, parts: readonly string[]): string {
  const { width, height, lengths, fontFamily, fontSize } = frame;
  return `<?xml version="1.0" encoding="UTF-8"?>
<svg xmlns="http://www.w3.org/2000/svg" width="${lengths.width}" height="${lengths.height}" viewBox="0 0 ${numberText(width)} ${numberText(height)}" font-family="${escaped(fontFamily)}" font-size="${numberText(fontSize)}">
<title>${writable(name)}</title>
<rect width="${numberText(width)}" height="${numberText(height)}" fill="#ffffff"/>
${parts.filter((part) => part !== "").join("\n")}
</svg>
`;
}

export function svgText({ x, y, text, anchor, colour, size, isBold, isTurned }: SvgText): string {
  if (text === "") return "";
  const place = `x="${numberText(x)}" y="${numberText(y)}"`;
  const turn = isTurned ? ` transform="rotate(-90 ${numberText(x)} ${numberText(y)})"` : "";
  const kind = anchor === undefined ? "" : ` text-anchor="${anchor}"`;
  const weight = isBold ? ' font-weight="bold"' : "";
  return `<text ${place}${turn}${kind}${weight} font-size="${numberText(size)}" fill="${colour}" xml:space="preserve">${writable(text)}</text>`;
}

interface SvgLine {
  from: readonly [number, number];
  to: readonly [number, number];
  colour: string;
  width: number;
}

export function svgLine({ from, to, colour, width }: SvgLine): string {
  const [x1, y1, x2, y2] = [...from, ...to].map(numberText);
  return `<line x1="${x1}" y1="${y1}" x2="${x2}" y2="${y2}" stroke="${colour}" stroke-width="${numberText(width)}"/>`;
}

/** Text for XML, which has no place for most control characters and for halves of characters. */
function writable(text: string): string {
  return escaped(text.toWellFormed().replaceAll(/(?![\t\n\r])[\p{Cc}\uFFFE\uFFFF]/gu, "\uFFFD"));
}
