/** Runs `work` for every item, at most `limit` at once; the first error stops the taking of new ones. */
export async function inParallel<Item>(
  limit: number,
  items: readonly Item[],
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const rest = items.values();
  let isStopped = false;
  const worker = async (): Promise<void> => {
    // All workers take from the one iterator.
    for (const item of rest) {
      if (isStopped) return;
      try {
        await work(item);
      } catch (error) {
        isStopped = true;
        throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, worker));
}
