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
    /** Shows only these; the second time everything. */
    alone: (...ids: readonly string[]) =>
      hide(areAlone(ids, address, experiments) ? [] : othersThan(ids, experiments)),
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

/** Whether these are shown, and no others. */
export function areAlone(
  ids: readonly string[],
  { hidden }: Pick<CompareAddress, "hidden">,
  experiments: readonly ComparedExperiment[],
): boolean {
  const others = othersThan(ids, experiments);
  return others.every((id) => hidden.has(id)) && !ids.some((id) => hidden.has(id));
}

function othersThan(ids: readonly string[], all: readonly ComparedExperiment[]): string[] {
  return all.flatMap(({ experimentId }) => (ids.includes(experimentId) ? [] : [experimentId]));
}
