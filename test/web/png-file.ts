import { crc32, deflateSync } from "node:zlib";

export const pngSignature = Buffer.from("\x89PNG\r\n\x1a\n", "latin1");

export interface PngPixels {
  width: number;
  height: number;
  /** PNG's number for RGB, or for one byte a pixel that names a colour of the palette. */
  kind: 2 | 3;
  /** As PNG has them: each begins with a 0, for "no filter". */
  rows: Buffer;
  /** Three bytes a colour. */
  palette?: Buffer;
}

export function pngFile({ width, height, kind, rows, palette }: PngPixels): Buffer {
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, kind], 8);
  const parts: [string, Buffer][] = [
    ["IHDR", head],
    ...(palette === undefined ? [] : [["PLTE", palette] satisfies [string, Buffer]]),
    ["IDAT", deflateSync(rows, { level: 9 })],
    ["IEND", Buffer.alloc(0)],
  ];
  const chunks = parts.map(([name, data]) => {
    const content = Buffer.concat([Buffer.from(name), data]);
    const chunk = Buffer.alloc(8 + content.length);
    chunk.writeUInt32BE(data.length, 0);
    chunk.set(content, 4);
    chunk.writeUInt32BE(crc32(content), 4 + content.length);
    return chunk;
  });
  return Buffer.concat([pngSignature, ...chunks]);
}
