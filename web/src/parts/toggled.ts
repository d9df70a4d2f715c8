/** The list without what is in it, or with what was not. */
export function toggled<Item>(list: readonly Item[], item: Item): Item[] {
  return list.includes(item) ? list.filter((each) => each !== item) : [...list, item];
}
