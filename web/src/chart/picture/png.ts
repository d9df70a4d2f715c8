/** Draws an SVG into a PNG of exactly this many pixels, which says how large it is on paper. */
export async function pngOf(
  svg: string,
  { width, height }: { width: number; height: number },
  dpi: number,
): Promise<Blob> {
  const address = URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" }));
  try {
    const image = new Image();
    image.src = address;
    await image.decode();
    const canvas = document.createElement("canvas");
    canvas.width = width;
    canvas.height = height;
    canvas.getContext("2d")!.drawImage(image, 0, 0, width, height);
    const drawn = await new Promise<Blob | null>((done) => canvas.toBlob(done, "image/png"));
    if (drawn === null) throw new Error("The browser could not draw a picture of this size.");
    const bytes = new Uint8Array(await drawn.arrayBuffer());
    return new Blob([withDensity(bytes, dpi)], { type: "image/png" });
  } finally {
    URL.revokeObjectURL(address);
  }
}

/** Bytes of a PNG up to the end of its head, behind which the density stands. */
const headEnd = 33;
const metresPerInch = 0.0254;

/** The PNG with a chunk `pHYs`: by it programs know its size on paper. */
export function withDensity(png: Uint8Array, dpi: number): Uint8Array<ArrayBuffer> {
  const chunk = new Uint8Array(21);
  const view = new DataView(chunk.buffer);
  const perMetre = Math.round(dpi / metresPerInch);
  view.setUint32(0, 9);
  chunk.set(new TextEncoder().encode("pHYs"), 4);
  view.setUint32(8, perMetre);
  view.setUint32(12, perMetre);
  // 1: the unit is the metre.
  view.setUint8(16, 1);
  view.setUint32(17, crc32(chunk.subarray(4, 17)));
  const whole = new Uint8Array(png.length + chunk.length);
  whole.set(png.subarray(0, headEnd));
  whole.set(chunk, headEnd);
  whole.set(png.subarray(headEnd), headEnd + chunk.length);
  return whole;
}

function crc32(bytes: Uint8Array): number {
  let rest = ~0;
  for (const byte of bytes) {
    rest ^= byte;
    for (let bit = 0; bit < 8; bit++) rest = (rest >>> 1) ^ (rest & 1 ? 0xedb88320 : 0);
  }
  return ~rest >>> 0;
}
