/** Bytes of the items of one `runs/log-batch`; the rest of the message fits into what remains. */
const batchBytesMax = 990_000;

/** Splits items into lists that fit into one batch, by number and by size as JSON. */
export function chunksOf<Item>(
  items: readonly Item[],
  countMax: number,
  bytesMax = batchBytesMax,
): Item[][] {
  const chunks: Item[][] = [];
  let left = 0;
  for (const item of items) {
    const bytes = Buffer.byteLength(JSON.stringify(item)) + 1;
    const last = chunks.at(-1);
    if (last === undefined || last.length === countMax || bytes > left) {
      chunks.push([item]);
      left = bytesMax - bytes;
    } else {
      last.push(item);
      left -= bytes;
    }
  }
  return chunks;
}
