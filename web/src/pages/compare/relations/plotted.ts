import type { TableReply } from "@lossless/protocol";
import type { Kind } from "../../../chart/lines/colours.ts";
import { countedText, countText } from "../../../parts/words.ts";
import type { Compared } from "../use-compared.ts";
import type { Values } from "./use-values.ts";
import { type Axis, axisOf, axisText, type AxisValue, placeOf } from "./axis.ts";

/** An experiment with its values on the axes. */
export interface Plotted {
  experimentId: string;
  title: string;
  /** Undefined: it is outside a brush, so it is not compared. */
  kind: Kind | undefined;
  values: readonly AxisValue[];
  /** From 0 to 1; undefined: it has no place on that axis. */
  places: readonly (number | undefined)[];
}

/** Experiments in the order of the comparison; others come first, so they are drawn below. */
export function plottedOf(
  { rows }: Pick<TableReply, "rows">,
  axes: readonly Axis[],
  { experiments }: Compared,
): Plotted[] {
  const compared = new Map(experiments.map((one) => [one.experimentId, one]));
  const plotted = rows.map(({ experimentId, slug, name, values }): Plotted => ({
    experimentId,
    title: name ?? slug,
    kind: compared.get(experimentId)?.kind,
    values,
    places: axes.map((axis, at) => placeOf(axis, values[at])),
  }));
  const places = new Map(experiments.map(({ experimentId }, at) => [experimentId, at]));
  const place = ({ experimentId }: Plotted) => places.get(experimentId) ?? -1;
  return plotted.sort((left, right) => place(left) - place(right));
}

/** The chosen axes, with the experiments on them. */
export function drawnOf(
  { rows, fields }: Values,
  chosen: readonly string[],
  logs: readonly string[],
  compared: Compared,
): { axes: Axis[]; plotted: Plotted[] } | undefined {
  // The reply is still that to other fields.
  if (chosen.some((field) => !fields.includes(field))) return undefined;
  const hidden = new Set(
    compared.experiments.filter((one) => one.isHidden).map(({ experimentId }) => experimentId),
  );
  const shown = rows.filter(({ experimentId }) => !hidden.has(experimentId));
  const drawn = shown.map((row) => {
    return { ...row, values: chosen.map((field) => row.values[fields.indexOf(field)]) };
  });
  const axes = chosen.map((field, at) => {
    const values = drawn.map((row) => row.values[at]);
    return axisOf(field, values, logs.includes(field));
  });
  return { axes, plotted: plottedOf({ rows: drawn }, axes, compared) };
}

/** Describes an experiment: `run a: lr 0.1, loss 3.2`. */
export function plottedText({ title, values }: Plotted, axes: readonly Axis[]): string {
  const told = axes.map((axis, at) => `${titleOf(axis.field)} ${axisText(axis, values[at])}`);
  return `${title}: ${told.join(", ")}`;
}

/** A field without `meta.` or `metric.`, as people know it. */
export function titleOf(field: string): string {
  return field.replace(/^(?:meta|metric)\./, "");
}

/** Shortens a text, as there is little room beside an axis. */
export function shortened(text: string, most: number): string {
  const characters = Array.from(text);
  return characters.length <= most ? text : `${characters.slice(0, most - 1).join("")}…`;
}

const namesTold = 6;

/** Names experiments without a place on some axis, so that none is left out silently. */
export function missingTexts(plotted: readonly Plotted[], axes: readonly Axis[]): string[] {
  return axes.flatMap((axis, at) => {
    const without = plotted.filter((one) => one.places[at] === undefined);
    const none = without.filter((one) => one.values[at] === null);
    const words = without.filter((one) => typeof one.values[at] === "string");
    const below = without.filter((one) => typeof one.values[at] === "number");
    const title = titleOf(axis.field);
    return [
      ...toldOf(none, `${title}: ${countedText(none.length, "experiment")} without a value`),
      ...toldOf(words, `${title}: ${countedText(words.length, "value")} not finite`),
      ...toldOf(below, `${title}: ${countedText(below.length, "value")} at or below 0`),
    ];
  });
}

function toldOf(without: readonly Plotted[], said: string): string[] {
  if (without.length === 0) return [];
  const names = without.slice(0, namesTold).map(({ title }) => title);
  const more = without.length - names.length;
  return [`${said} (${names.join(", ")}${more > 0 ? ` and ${countText(more)} more` : ""})`];
}
