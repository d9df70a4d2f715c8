/** Does the work for every item, with so many under way at once. */
export async function inParallel<Item>(
  items: Iterable<Item>,
  many: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const queue = items[Symbol.iterator]();
  const worker = async (): Promise<void> => {
    for (let next = queue.next(); next.done !== true; next = queue.next()) await work(next.value);
  };
  await Promise.all(Array.from({ length: many }, worker));
}
