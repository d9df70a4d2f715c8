import { Readable } from "node:stream";

/** Maximum written at once: progress of a slow reader shows by the pieces that it takes. */
const pieceBytesMax = 262_144;

/** Whether a body is larger than one piece. */
export function isLarge(sizeBytes: number): boolean {
  return sizeBytes > pieceBytesMax;
}

/** Sends pieces as the client takes them, and releases those taken. */
export function bodyStream(pieces: readonly Uint8Array[]): Readable {
  return Readable.from(slices([...pieces]), { objectMode: false, highWaterMark: 1 });
}

function* slices(pieces: Uint8Array[]): Generator<Uint8Array> {
  for (let piece = pieces.shift(); piece !== undefined; piece = pieces.shift()) {
    const small = [piece];
    let sizeBytes = piece.length;
    while (pieces.length > 0 && sizeBytes + pieces[0].length <= pieceBytesMax) {
      sizeBytes += pieces[0].length;
      small.push(pieces.shift()!);
    }
    const joined = small.length === 1 ? piece : Buffer.concat(small);
    for (let start = 0; start < joined.length; start += pieceBytesMax) {
      yield joined.subarray(start, start + pieceBytesMax);
    }
  }
}
