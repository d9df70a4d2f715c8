import type { ChangedExperiment } from "@lossless/protocol";
import type { Storage } from "../../storage/storage.ts";
import type { WatchedMarks } from "./watched-marks.ts";

/**
 * Experiments of one read: a larger one would hold up the short reads beside it, above all those of
 * credentials.
 */
export const idsPerReadMax = 2_000;

/** The part of the storage that waits use. */
export type Reads = Pick<Storage, "read">;

/** The states that waiting requests compare, at one moment. */
export interface KnownStates {
  experiments: ReadonlyMap<string, ChangedExperiment>;
  opened: number;
}

/** Gathers the requests of one turn of the event loop into one read for each organization. */
export class GatheredStates {
  readonly #experiments: WatchedMarks;
  readonly #openings: WatchedMarks;
  readonly #gathered = new Map<string, Gathered>();

  /** Passes the states read to the marks. */
  constructor(experiments: WatchedMarks, openings: WatchedMarks) {
    this.#experiments = experiments;
    this.#openings = openings;
  }

  read(storage: Reads, organizationId: string, ids: Iterable<string>): Promise<KnownStates> {
    let gathered = this.#gathered.get(organizationId);
    if (gathered === undefined || gathered.ids.size >= idsPerReadMax) {
      const begun: Gathered = { ids: new Set(), states: Promise.withResolvers() };
      this.#gathered.set(organizationId, begun);
      setImmediate(() => {
        if (this.#gathered.get(organizationId) === begun) this.#gathered.delete(organizationId);
        this.#read(storage, organizationId, begun.ids).then(
          begun.states.resolve,
          begun.states.reject,
        );
      });
      gathered = begun;
    }
    for (const id of ids) gathered.ids.add(id);
    return gathered.states.promise;
  }

  async #read(storage: Reads, organizationId: string, ids: Set<string>): Promise<KnownStates> {
    const { experiments, opened } = await storage.read("views.states", {
      organizationId,
      experimentIds: [...ids],
    });
    for (const { experimentId: id, revision } of experiments) {
      this.#experiments.see({ id, value: revision });
    }
    this.#openings.see({ id: organizationId, value: opened });
    return { experiments: new Map(experiments.map((one) => [one.experimentId, one])), opened };
  }
}

interface Gathered {
  ids: Set<string>;
  states: PromiseWithResolvers<KnownStates>;
}
