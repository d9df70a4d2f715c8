/** Things that are due at a time, earliest first; of one time in the order of arrival. A heap. */
export class EventQueue<Thing> {
  readonly #entries: Entry<Thing>[] = [];
  #added = 0;

  get size(): number {
    return this.#entries.length;
  }

  /** When the first one is due; Infinity when there is none. */
  get firstAt(): number {
    return this.#entries[0]?.at ?? Infinity;
  }

  add(at: number, thing: Thing): void {
    const entries = this.#entries;
    const entry = { at, order: this.#added++, thing };
    let place = entries.length;
    while (place > 0) {
      const parent = (place - 1) >> 1;
      if (!isBefore(entry, entries[parent])) break;
      entries[place] = entries[parent];
      place = parent;
    }
    entries[place] = entry;
  }

  take(): Thing {
    const entries = this.#entries;
    const [first] = entries;
    if (first === undefined) throw new Error("BUG: nothing is due");
    const last = entries.pop()!;
    if (entries.length > 0) this.#sink(last);
    return first.thing;
  }

  #sink(entry: Entry<Thing>): void {
    const entries = this.#entries;
    let place = 0;
    for (;;) {
      let child = 2 * place + 1;
      if (child >= entries.length) break;
      if (child + 1 < entries.length && isBefore(entries[child + 1], entries[child])) child++;
      if (!isBefore(entries[child], entry)) break;
      entries[place] = entries[child];
      place = child;
    }
    entries[place] = entry;
  }
}

interface Entry<Thing> {
  at: number;
  order: number;
  thing: Thing;
}

function isBefore(one: Entry<unknown>, other: Entry<unknown>): boolean {
  return one.at < other.at || (one.at === other.at && one.order < other.order);
}
