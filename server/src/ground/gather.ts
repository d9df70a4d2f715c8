/**
 * Concatenates all pieces; undefined as soon as they exceed `bytesMax`, and the rest is not read.
 */
export async function gather(
  pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  bytesMax: number,
): Promise<Buffer<ArrayBuffer> | undefined> {
  const gathered: Uint8Array[] = [];
  let sizeBytes = 0;
  for await (const piece of pieces) {
    sizeBytes += piece.byteLength;
    if (sizeBytes > bytesMax) return undefined;
    gathered.push(piece);
  }
  return Buffer.concat(gathered);
}
