/**
 * Runs `work` for every item, at most `limit` at once. The first error stops the taking of new ones, and is
 * thrown when what was under way has ended.
 */
export async function inParallel<Item>(
  limit: number,
  items: Iterable<Item>,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const rest = items[Symbol.iterator]();
  const failures: unknown[] = [];
  const worker = async (): Promise<void> => {
    for (;;) {
      const next = rest.next();
      if (failures.length > 0 || next.done === true) return;
      try {
        await work(next.value);
      } catch (error) {
        failures.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: limit }, worker));
  if (failures.length > 0) throw failures[0];
}
