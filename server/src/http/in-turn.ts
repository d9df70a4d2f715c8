/** What waits for one place, by holder: each holder's first in turn, so that nobody waits for all of somebody else's. */
export class InTurn<Item> {
  readonly #byHolder = new Map<string, Item[]>();

  add(holder: string, item: Item): void {
    const others = this.#byHolder.get(holder);
    if (others === undefined) this.#byHolder.set(holder, [item]);
    else others.push(item);
  }

  /** Takes out what is next; its holder goes to the end of the row. */
  next(): Item | undefined {
    for (const [holder, [item, ...others]] of this.#byHolder) {
      this.#byHolder.delete(holder);
      if (others.length > 0) this.#byHolder.set(holder, others);
      return item;
    }
    return undefined;
  }
}
