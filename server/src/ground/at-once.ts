/**
 * Runs `work` for every item, at most `count` at once. After the first failure nothing more is begun; what runs is
 * awaited, then the failure is thrown.
 */
export async function atOnce<Item>(
  count: number,
  items: readonly Item[],
  work: (item: Item, index: number) => Promise<void>,
): Promise<void> {
  let next = 0;
  let failure: { error: unknown } | undefined;
  const line = async () => {
    while (next < items.length && failure === undefined) {
      const index = next++;
      try {
        await work(items[index], index);
      } catch (error) {
        failure ??= { error };
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(count, items.length) }, line));
  if (failure !== undefined) throw failure.error;
}
