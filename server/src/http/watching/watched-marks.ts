import type { Mark } from "../../views/changes.ts";

/** A waiting request, which is woken to look again. */
export interface Watcher {
  wake(id: string): void;
}

interface Watched {
  id: string;
  /** The last mark read; undefined until the first read. */
  value: number | undefined;
  /**
   * Watchers of the id. A thousand name a hundred each: arrays have a third of the size of sets.
   */
  watchers: Watcher[];
}

/** The watchers of each id, and its mark when last seen. */
export class WatchedMarks {
  readonly #byId = new Map<string, Watched>();

  /** Returns the ids for a read of all marks. Ids that were never read are about to be. */
  get ids(): string[] {
    return [...this.#byId].flatMap(([id, { value }]) => (value === undefined ? [] : [id]));
  }

  /**
   * Returns the one text of the id that all its watchers share, and whether it is new to this
   * watcher, which names all its ids before any other watcher does.
   */
  add(id: string, watcher: Watcher): { id: string; isNew: boolean } {
    let watched = this.#byId.get(id);
    if (watched === undefined)
      this.#byId.set(id, (watched = { id, value: undefined, watchers: [] }));
    const isNew = watched.watchers.at(-1) !== watcher;
    if (isNew) watched.watchers.push(watcher);
    return { id: watched.id, isNew };
  }

  remove(id: string, watcher: Watcher): void {
    const watched = this.#byId.get(id);
    const at = watched?.watchers.indexOf(watcher) ?? -1;
    if (watched === undefined || at === -1) return;
    // The last one takes its place; the order of waking has no meaning.
    watched.watchers[at] = watched.watchers.at(-1)!;
    watched.watchers.pop();
    if (watched.watchers.length === 0) this.#byId.delete(id);
  }

  /** Wakes the watchers of an id that may have changed. */
  wake(id: string): void {
    for (const watcher of this.#byId.get(id)?.watchers ?? []) watcher.wake(id);
  }

  /** Stores the mark read; wakes the watchers if it differs from the one seen before. */
  see({ id, value }: Mark): void {
    const watched = this.#byId.get(id);
    if (watched === undefined || watched.value === value) return;
    const isNew = watched.value !== undefined;
    watched.value = value;
    if (isNew) this.wake(id);
  }
}
