/** What one `runs/log-batch` takes; the rest of its message is far less than what is left. */
const batchBytesMax = 990_000;

/** Items as lists that one batch takes, by their number and by what they are as JSON. */
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
