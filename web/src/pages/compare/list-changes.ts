import type { PageLocation } from "../../location.ts";
import {
  markedParameters,
  queryWithout,
  type CompareAddress,
  type Mark,
} from "./compare-address.ts";
import type { ComparedExperiment } from "./use-compared.ts";

/** The ways in which a person changes the comparison, all kept in the address. */
export function listChanges(
  location: PageLocation,
  address: CompareAddress,
  experiments: readonly ComparedExperiment[],
) {
  const hide = (ids: Iterable<string>) => location.change({ hide: [...ids].join(",") });
  return {
    toggle: (id: string) => {
      const next = new Set(address.hidden);
      if (!next.delete(id)) next.add(id);
      hide(next);
    },
    /** Shows only this one; the second time everything. */
    alone: (id: string) => {
      const others = experiments.filter(({ experimentId }) => experimentId !== id);
      const isAlone =
        !address.hidden.has(id) &&
        others.every(({ experimentId }) => address.hidden.has(experimentId));
      hide(isAlone ? [] : others.map(({ experimentId }) => experimentId));
    },
    showAll: () => hide([]),
    hideDone: () => {
      const done = experiments.filter(({ status }) => status === "done");
      hide(new Set([...address.hidden, ...done.map(({ experimentId }) => experimentId)]));
    },
    refer: (id: string) => location.change({ ref: id }, true),
    /** Moves an experiment into one of two groups, or out of it, and opens their comparison. */
    mark: (id: string, mark: Mark) => {
      const next = new Map(address.marked);
      if (next.get(id) === mark) next.delete(id);
      else next.set(id, mark);
      location.change({ ...markedParameters(next), apart: "marked" });
    },
    remove: (id: string) => {
      const { asked } = address;
      if (asked?.kind === "ids")
        location.change({ e: asked.ids.filter((each) => each !== id).join(",") }, true);
      else if (asked?.kind === "query") location.change({ q: queryWithout(asked.query, id) }, true);
    },
  };
}
