/** A picture that browsers can draw, recognised by its first bytes. */
export interface Picture {
  type: "image/png" | "image/jpeg" | "image/gif" | "image/webp";
  /** Undefined where the first bytes do not contain the size. */
  width: number | undefined;
  height: number | undefined;
}

/** Pixels of a picture that is drawn: the browser takes four bytes of memory for each. */
export const picturePixelsMax = 50_000_000;

export function pictureOf(bytes: Uint8Array): Picture | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const begins = (text: string, at = 0) =>
    bytes.length >= at + text.length &&
    Array.from(text, (letter) => letter.charCodeAt(0)).every((byte, i) => bytes[at + i] === byte);
  if (begins("\x89PNG\r\n\x1a\n")) return pngOf(view);
  if (begins("GIF87a") || begins("GIF89a")) return gifOf(view);
  if (begins("RIFF") && begins("WEBP", 8)) return webpOf(view, begins);
  if (begins("\xff\xd8\xff")) return { type: "image/jpeg", ...jpegSize(view) };
  return undefined;
}

/** Whether a picture may be drawn: its size must be known. */
export function isDrawable({ width, height }: Picture): boolean {
  return width !== undefined && height !== undefined && width * height <= picturePixelsMax;
}

const unknown = { width: undefined, height: undefined };

function pngOf(view: DataView): Picture {
  if (view.byteLength < 24) return { type: "image/png", ...unknown };
  return { type: "image/png", width: view.getUint32(16), height: view.getUint32(20) };
}

function gifOf(view: DataView): Picture {
  if (view.byteLength < 10) return { type: "image/gif", ...unknown };
  return { type: "image/gif", width: view.getUint16(6, true), height: view.getUint16(8, true) };
}

function webpOf(view: DataView, begins: (text: string, at: number) => boolean): Picture {
  const type = "image/webp";
  if (view.byteLength < 30) return { type, ...unknown };
  if (begins("VP8X", 12)) {
    const three = (at: number) => view.getUint16(at, true) + view.getUint8(at + 2) * 65_536 + 1;
    return { type, width: three(24), height: three(27) };
  }
  if (begins("VP8L", 12)) {
    const bits = view.getUint32(21, true);
    return { type, width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
  }
  if (begins("VP8 ", 12)) {
    const side = (at: number) => view.getUint16(at, true) & 0x3fff;
    return { type, width: side(26), height: side(28) };
  }
  return { type, ...unknown };
}

/** Reads the size from the first frame; segments before it are skipped. */
function jpegSize(view: DataView): Pick<Picture, "width" | "height"> {
  let at = 2;
  while (at + 9 <= view.byteLength) {
    if (view.getUint8(at) !== 0xff) return unknown;
    const marker = view.getUint8(at + 1);
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return { height: view.getUint16(at + 5), width: view.getUint16(at + 7) };
    if (marker === 0xff) at += 1;
    else if (marker === 0x01 || (marker >= 0xd0 && marker <= 0xd7)) at += 2;
    else at += 2 + view.getUint16(at + 2);
  }
  return unknown;
}
