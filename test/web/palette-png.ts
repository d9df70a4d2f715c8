import { inflateSync } from "node:zlib";
import { pngFile, pngSignature } from "./png-file.ts";

const coloursMax = 256;

/**
 * The same picture in at most 256 colours, which is a third of its bytes: pages are of few colours,
 * and the rare ones at the edges of letters become the nearest of these. It takes what a browser's
 * screenshot is: 8 bits a channel, RGB or RGBA without anything seen through, not interlaced.
 */
export function withPalette(png: Buffer): Buffer {
  const { width, height, channels, bytes } = pixelsOf(png);
  const colours = new Uint32Array(width * height);
  for (let at = 0; at < colours.length; at++) {
    const from = at * channels;
    colours[at] = (bytes[from] << 16) | (bytes[from + 1] << 8) | bytes[from + 2];
  }
  const counts = new Map<number, number>();
  for (const colour of colours) counts.set(colour, (counts.get(colour) ?? 0) + 1);
  const palette = [...counts]
    .sort(([, left], [, right]) => right - left)
    .slice(0, coloursMax)
    .map(([colour]) => colour);
  const indices = new Map<number, number>();
  for (const colour of counts.keys()) indices.set(colour, nearest(palette, colour));
  const rows = Buffer.alloc(height * (width + 1));
  for (let row = 0; row < height; row++)
    for (let column = 0; column < width; column++)
      rows[row * (width + 1) + 1 + column] = indices.get(colours[row * width + column])!;
  return pngFile({ width, height, kind: 3, rows, palette: Buffer.from(palette.flatMap(partsOf)) });
}

function pixelsOf(png: Buffer): {
  width: number;
  height: number;
  channels: number;
  bytes: Uint8Array;
} {
  const data: Buffer[] = [];
  let head: Buffer = Buffer.alloc(0);
  for (let at = pngSignature.length; at < png.length;) {
    const length = png.readUInt32BE(at);
    const name = png.toString("latin1", at + 4, at + 8);
    const content = png.subarray(at + 8, at + 8 + length);
    if (name === "IHDR") head = content;
    if (name === "IDAT") data.push(content);
    at += length + 12;
  }
  const [depth, kind, , , interlaced] = head.subarray(8);
  if (depth !== 8 || (kind !== 2 && kind !== 6) || interlaced !== 0)
    throw new Error(`a PNG of depth ${depth} and kind ${kind} is not read here`);
  const [width, height, channels] = [
    head.readUInt32BE(0),
    head.readUInt32BE(4),
    kind === 2 ? 3 : 4,
  ];
  return {
    width,
    height,
    channels,
    bytes: unfiltered(inflateSync(Buffer.concat(data)), width * channels, channels),
  };
}

/** Each row says how it is made from what is left of it and above it. */
function unfiltered(rows: Buffer, stride: number, channels: number): Uint8Array {
  const height = rows.length / (stride + 1);
  const bytes = new Uint8Array(height * stride);
  for (let row = 0; row < height; row++) {
    const filter = rows[row * (stride + 1)];
    for (let column = 0; column < stride; column++) {
      const at = row * stride + column;
      const left = column < channels ? 0 : bytes[at - channels];
      const above = row === 0 ? 0 : bytes[at - stride];
      const corner = column < channels || row === 0 ? 0 : bytes[at - stride - channels];
      const guesses = [0, left, above, (left + above) >> 1, paeth(left, above, corner)];
      bytes[at] = rows[row * (stride + 1) + 1 + column] + guesses[filter];
    }
  }
  return bytes;
}

function paeth(left: number, above: number, corner: number): number {
  const guess = left + above - corner;
  const [toLeft, toAbove, toCorner] = [left, above, corner].map((one) => Math.abs(guess - one));
  if (toLeft <= toAbove && toLeft <= toCorner) return left;
  return toAbove <= toCorner ? above : corner;
}

function nearest(palette: readonly number[], colour: number): number {
  const parts = partsOf(colour);
  let [best, least] = [0, Infinity];
  for (const [index, one] of palette.entries()) {
    const distance = partsOf(one).reduce((sum, part, at) => sum + (part - parts[at]) ** 2, 0);
    if (distance < least) [best, least] = [index, distance];
  }
  return best;
}

function partsOf(colour: number): number[] {
  return [colour >> 16, (colour >> 8) & 255, colour & 255];
}
