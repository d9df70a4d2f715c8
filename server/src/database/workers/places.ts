import type { Reader } from "../database.ts";

/** Maximum of kept places: some 10 MB. An experiment never moves, so a kept one stays right. */
const keptMax = 100_000;

/** Where the points of experiments are: 0 is the directory, n the worker with that number. */
export class Places {
  readonly #kept = new Map<string, number>();

  /** Experiments that are gone have none. `read` opens a snapshot of the directory. */
  async of(
    read: <Result>(work: (reader: Reader) => Promise<Result>) => Promise<Result>,
    experimentIds: readonly string[],
  ): Promise<ReadonlyMap<string, number>> {
    const found = new Map<string, number>();
    const unknown: string[] = [];
    for (const id of experimentIds) {
      const place = this.#kept.get(id);
      if (place === undefined) unknown.push(id);
      else found.set(id, place);
    }
    if (unknown.length === 0) return found;
    const rows = await read((reader) =>
      reader.all<{ id: string; server: number }>(
        `SELECT id, server FROM experiment WHERE ${reader.isOneOf("id", "$1")}`,
        JSON.stringify(unknown),
      ),
    );
    for (const { id, server } of rows) {
      found.set(id, server);
      this.#keep(id, server);
    }
    return found;
  }

  /** The place of one experiment, if it is kept. */
  kept(experimentId: string): number | undefined {
    return this.#kept.get(experimentId);
  }

  #keep(experimentId: string, server: number): void {
    if (this.#kept.size >= keptMax) this.#kept.clear();
    this.#kept.set(experimentId, server);
  }
}
