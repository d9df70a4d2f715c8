/** Concurrent requests. */
const togetherMax = 8;

/** Does work for each item, a few at a time; resolves to the outcomes in the order of the items. */
export async function fewAtATime<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<PromiseSettledResult<Result>[]> {
  const outcomes: PromiseSettledResult<Result>[] = [];
  let next = 0;
  const lane = async (): Promise<void> => {
    for (let at = next++; at < items.length; at = next++)
      [outcomes[at]] = await Promise.allSettled([work(items[at])]);
  };
  await Promise.all(Array.from({ length: togetherMax }, lane));
  return outcomes;
}
