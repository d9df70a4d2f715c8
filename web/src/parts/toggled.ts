/** The list without the item, or with it if it was missing. */
export function toggled<Item>(list: readonly Item[], item: Item): Item[] {
  return list.includes(item) ? list.filter((each) => each !== item) : [...list, item];
}
