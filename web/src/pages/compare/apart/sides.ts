import { countedText, countText } from "../../../parts/words.ts";
import type { CompareAddress } from "../compare-address.ts";
import type { MetricOrder } from "../difference/metric-view.ts";
import type { Compared, ComparedExperiment } from "../use-compared.ts";

/** Two groups of experiments to compare. */
export interface Sides {
  a: readonly string[];
  /** Undefined: all other experiments of the organization. */
  b: readonly string[] | undefined;
  /** The sides in words. */
  names: { a: string; b: string };
  /** Sentences about experiments on neither side, or beyond the requested number. */
  said: readonly string[];
}

/** The default size: a quarter of them. */
export function usualCount(experiments: number): number {
  return Math.max(1, Math.round(experiments / 4));
}

/**
 * The experiments with the best values against all others that have one; ties with the last of them
 * are included.
 */
export function bestSides(
  { experiments }: Compared,
  wanted: number,
  { name, stat, descending }: MetricOrder,
  values: ReadonlyMap<string, number>,
): Sides {
  const shown = experiments.filter(({ isHidden }) => !isHidden);
  const ranked = shown
    .filter(({ experimentId }) => Number.isFinite(values.get(experimentId)))
    .map(({ experimentId }) => ({ experimentId, value: values.get(experimentId)! }))
    .sort((one, other) => (descending ? other.value - one.value : one.value - other.value));
  const last = ranked[Math.min(wanted, ranked.length) - 1]?.value;
  const isBest = (value: number) => (descending ? value >= last : value <= last);
  const a = ranked.filter(({ value }) => isBest(value)).map(({ experimentId }) => experimentId);
  const b = ranked.filter(({ value }) => !isBest(value)).map(({ experimentId }) => experimentId);
  const without = shown.filter(({ experimentId }) => !values.has(experimentId));
  const said: string[] = [];
  if (a.length > wanted)
    said.push(
      `A includes ${countedText(a.length - wanted, "more experiment")} as good as its last one.`,
    );
  if (without.length > 0)
    said.push(`On neither side, because they have no ${name}: ${namesText(without)}.`);
  const nonfinite = shown.filter(({ experimentId }) => {
    const value = values.get(experimentId);
    return value !== undefined && !Number.isFinite(value);
  });
  if (nonfinite.length > 0)
    said.push(
      `On neither side, because their ${name} ${stat} is NaN or infinite: ${namesText(nonfinite)}.`,
    );
  const best = `${descending ? "highest" : "lowest"} ${name} ${stat}`;
  return { a, b, names: { a: best, b: "the others" }, said };
}

/** The first experiments of the comparison against the rest. */
export function firstSides({ experiments }: Compared, wanted: number): Sides {
  const ids = idsOf(experiments.filter(({ isHidden }) => !isHidden));
  const names = { a: "first in the list", b: "the rest of the list" };
  return { a: ids.slice(0, wanted), b: ids.slice(wanted), names, said: [] };
}

/** Groups made by hand; without a second one it is all other compared experiments. */
export function markedSides({ experiments }: Compared, { marked }: CompareAddress): Sides {
  const shown = experiments.filter(({ isHidden }) => !isHidden);
  const of = (mark: "a" | "b" | undefined) =>
    idsOf(shown.filter(({ experimentId }) => marked.get(experimentId) === mark));
  const [a, b, unmarked] = [of("a"), of("b"), of(undefined)];
  const hasB = b.length > 0;
  const names = { a: "marked A", b: hasB ? "marked B" : "not marked" };
  const isLeft = hasB && unmarked.length > 0;
  const said = isLeft
    ? [`On neither side: ${countedText(unmarked.length, "unmarked experiment")}.`]
    : [];
  return { a, b: hasB ? b : unmarked, names, said };
}

/** All compared experiments against all others of the organization. */
export function allSides({ experiments, cut }: Compared): Sides {
  const a = idsOf(experiments.filter(({ isHidden }) => !isHidden));
  const names = { a: "compared here", b: "all other experiments" };
  const said =
    cut &&
    `B includes ${countedText(cut.of - cut.shown, "experiment")} that the query finds but that are not compared.`;
  return { a, b: undefined, names, said: said === undefined ? [] : [said] };
}

const namesTold = 3;

function namesText(experiments: readonly ComparedExperiment[]): string {
  const names = experiments.slice(0, namesTold).map(({ name, slug }) => name ?? slug);
  const more = experiments.length - names.length;
  return `${names.join(", ")}${more > 0 ? ` and ${countText(more)} more` : ""}`;
}

function idsOf(experiments: readonly ComparedExperiment[]): string[] {
  return experiments.map(({ experimentId }) => experimentId);
}
