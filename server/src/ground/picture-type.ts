import { ServiceError } from "./errors.ts";

export type PictureType = "image/png" | "image/jpeg" | "image/webp" | "image/gif";

/** A picture's type and size, as its own bytes tell. */
export interface PictureFacts {
  type: PictureType;
  width: number;
  height: number;
}

/**
 * Reads what a file says of itself: neither its name nor the word of its sender counts. Undefined
 * for every other file, SVG included, which may contain scripts.
 */
export function pictureFacts(bytes: Uint8Array): PictureFacts | undefined {
  const { buffer, byteOffset, byteLength } = bytes;
  const view = new DataView(buffer, byteOffset, byteLength);
  try {
    for (const read of [png, gif, jpeg, webp]) {
      const found = read(view);
      if (found !== undefined) return found.width > 0 && found.height > 0 ? found : undefined;
    }
  } catch (error) {
    // A file that ends within its head.
    if (!(error instanceof RangeError)) throw error;
  }
  return undefined;
}

/** Returns a picture's facts; throws `bad_request` for what is none, or is too large to draw. */
export function requirePicture(bytes: Uint8Array, pixelsMax: number): PictureFacts {
  const facts = pictureFacts(bytes);
  if (facts === undefined)
    throw new ServiceError(
      "bad_request",
      "This is no picture that reports take: its bytes must be PNG, JPEG, WebP or GIF.",
    );
  const { width, height } = facts;
  if (width * height <= pixelsMax) return facts;
  const [pixels, most] = [width * height, pixelsMax].map((count) => count.toLocaleString("en"));
  throw new ServiceError(
    "bad_request",
    `The picture has ${pixels} pixels; at most ${most} are taken.`,
  );
}

function png(view: DataView): PictureFacts | undefined {
  const isPng = textAt(view, 0, 8) === "\x89PNG\r\n\x1a\n" && textAt(view, 12, 4) === "IHDR";
  if (!isPng) return undefined;
  return { type: "image/png", width: view.getUint32(16), height: view.getUint32(20) };
}

/** Browsers draw the first frame whole, however small the screen is that the head names. */
function gif(view: DataView): PictureFacts | undefined {
  if (!/^GIF8[79]a$/.test(textAt(view, 0, 6))) return undefined;
  const short = (at: number) => view.getUint16(at, true);
  let [width, height] = [short(6), short(8)];
  const flags = view.getUint8(10);
  let at = 13 + (flags & 0x80 ? 3 << ((flags & 7) + 1) : 0);
  // Extensions: a label, and blocks with their lengths, of which the last one is empty.
  while (view.getUint8(at) === 0x21) {
    at += 2;
    while (view.getUint8(at) > 0) at += 1 + view.getUint8(at);
    at++;
  }
  if (view.getUint8(at) === 0x2c) {
    width = Math.max(width, short(at + 1) + short(at + 5));
    height = Math.max(height, short(at + 3) + short(at + 7));
  }
  return { type: "image/gif", width, height };
}

/** The size stands in the first frame's head, behind segments of any length. */
function jpeg(view: DataView): PictureFacts | undefined {
  if (view.getUint16(0) !== 0xffd8) return undefined;
  let at = 2;
  while (view.getUint8(at) === 0xff) {
    const marker = view.getUint8(at + 1);
    if (marker === 0xff) {
      at++;
      continue;
    }
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame)
      return { type: "image/jpeg", height: view.getUint16(at + 5), width: view.getUint16(at + 7) };
    // The end, or values before any frame.
    if (marker === 0xd9 || marker === 0xda) return undefined;
    at += 2 + view.getUint16(at + 2);
  }
  return undefined;
}

function webp(view: DataView): PictureFacts | undefined {
  if (textAt(view, 0, 4) !== "RIFF" || textAt(view, 8, 4) !== "WEBP") return undefined;
  const type = "image/webp";
  const bits = (at: number) => view.getUint16(at, true) & 0x3fff;
  const three = (at: number) => 1 + view.getUint16(at, true) + (view.getUint8(at + 2) << 16);
  switch (textAt(view, 12, 4)) {
    case "VP8 ":
      return { type, width: bits(26), height: bits(28) };
    case "VP8L": {
      const sizes = view.getUint32(21, true);
      return { type, width: 1 + (sizes & 0x3fff), height: 1 + ((sizes >>> 14) & 0x3fff) };
    }
    case "VP8X":
      return { type, width: three(24), height: three(27) };
    default:
      return undefined;
  }
}

function textAt(view: DataView, at: number, length: number): string {
  const codes = Array.from({ length }, (_, index) => view.getUint8(at + index));
  return String.fromCharCode(...codes);
}
