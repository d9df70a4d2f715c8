import type { Mark } from "../../views/changes.ts";

/** Somebody who waits, and is told to look again. */
export interface Watcher {
  wake(id: string): void;
}

interface Watched {
  id: string;
  /** Undefined until it was read. */
  value: number | undefined;
  /** A thousand name a hundred each: arrays have a third of what sets would take. */
  watchers: Watcher[];
}

/** Who waits for what, and the mark that each had when it was last seen. */
export class WatchedMarks {
  readonly #byId = new Map<string, Watched>();

  /** For a look at all of them. Those that were never read are about to be. */
  get ids(): string[] {
    return [...this.#byId].flatMap(([id, { value }]) => (value === undefined ? [] : [id]));
  }

  /**
   * Gives the one text of the id that all who wait for it have in common, and whether it is new to
   * this one, which names all it waits for before anybody else does.
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
    // Nobody is woken sooner than others.
    watched.watchers[at] = watched.watchers.at(-1)!;
    watched.watchers.pop();
    if (watched.watchers.length === 0) this.#byId.delete(id);
  }

  /** It may have changed. */
  wake(id: string): void {
    for (const watcher of this.#byId.get(id)?.watchers ?? []) watcher.wake(id);
  }

  /** It was read: who waits is woken if it is not what was seen before. */
  see({ id, value }: Mark): void {
    const watched = this.#byId.get(id);
    if (watched === undefined || watched.value === value) return;
    const isNew = watched.value !== undefined;
    watched.value = value;
    if (isNew) this.wake(id);
  }
}
