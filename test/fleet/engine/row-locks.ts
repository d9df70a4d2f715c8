/** Locks of rows, each held by one at a time; whoever waits longest is next. */
export class RowLocks {
  readonly #lines = new Map<number, (() => void)[]>();

  /**
   * Takes several locks in ascending order, which is why nobody waits in a circle. The result gives
   * them back.
   */
  take(rows: readonly number[], taken: (release: () => void) => void): void {
    const ordered = [...new Set(rows)].toSorted((one, other) => one - other);
    const from = (place: number): void => {
      if (place === ordered.length) return taken(() => this.#release(ordered));
      this.#takeOne(ordered[place], () => from(place + 1));
    };
    from(0);
  }

  #takeOne(row: number, taken: () => void): void {
    const line = this.#lines.get(row);
    if (line !== undefined) return void line.push(taken);
    this.#lines.set(row, []);
    taken();
  }

  #release(rows: readonly number[]): void {
    for (const row of rows) {
      const next = this.#lines.get(row)!.shift();
      if (next === undefined) this.#lines.delete(row);
      else next();
    }
  }
}
