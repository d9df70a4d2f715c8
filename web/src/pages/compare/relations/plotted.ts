import { parseField } from "@lossless/protocol/query-field";
import type { Kind } from "../../../chart/lines/colours.ts";
import { countedText, countText } from "../../../parts/words.ts";
import type { Compared } from "../use-compared.ts";
import { usualDirection } from "../../../parts/directions.ts";
import type { Values } from "./use-values.ts";
import { type Axis, axisOf, axisText, type AxisValue, placeOf, wantsLog } from "./axis.ts";
import { isWithin, type Brushes } from "./brushes.ts";
import { colourScaleOf, shareOf, type ColourScale } from "./colour-scale.ts";

/** An experiment with its values on the axes. */
export interface Plotted {
  experimentId: string;
  title: string;
  /** The look of its curves; undefined: it has none here. */
  kind: Kind | undefined;
  isOutside: boolean;
  /** The value that gives it its colour. */
  shade: AxisValue;
  values: readonly AxisValue[];
  /** From 0 to 1; undefined: it has no place on that axis. */
  places: readonly (number | undefined)[];
}

export interface Drawn {
  axes: Axis[];
  /** In the order of painting: those outside the brushes first, the best last. */
  plotted: Plotted[];
  colours: ColourScale | undefined;
}

interface DrawnChoice {
  /** The fields of the axes. */
  chosen: readonly string[];
  /** The field that gives colours; undefined: experiments have their own. */
  colour: string | undefined;
  /** Whether an axis is logarithmic; undefined: as its values say. */
  isLog: (field: string) => boolean | undefined;
  brushes: Brushes;
}

/** The chosen axes, with the experiments on them; undefined: the reply is to other fields. */
export function drawnOf(
  { rows, fields }: Pick<Values, "rows" | "fields">,
  { chosen, colour, isLog, brushes }: DrawnChoice,
  { experiments }: Compared,
): Drawn | undefined {
  const needed = colour === undefined ? chosen : [...chosen, colour];
  if (needed.some((field) => !fields.includes(field))) return undefined;
  const compared = new Map(experiments.map((one) => [one.experimentId, one]));
  const shown = rows.filter(({ experimentId }) => compared.get(experimentId)?.isHidden !== true);
  const valuesOf = (field: string) => shown.map(({ values }) => values[fields.indexOf(field)]);
  const axes = chosen.map((field) => {
    const values = valuesOf(field);
    return axisOf(field, values, isLog(field) ?? wantsLog(field, values));
  });
  const shades = colour === undefined ? undefined : valuesOf(colour);
  const colours = shades && colourScaleOf(colour!, shades, isLog(colour!), isLeastBest(colour!));
  const tests = [...brushes].filter(([field]) => fields.includes(field));
  const plotted = shown.map(({ experimentId, slug, name, values }, at): Plotted => {
    const own = chosen.map((field) => values[fields.indexOf(field)]);
    return {
      experimentId,
      title: name ?? slug,
      kind: compared.get(experimentId)?.kind,
      isOutside: tests.some(([field, test]) => !isWithin(test, values[fields.indexOf(field)])),
      shade: shades?.[at] ?? null,
      values: own,
      places: axes.map((axis, place) => placeOf(axis, own[place])),
    };
  });
  return { axes, plotted: plotted.sort(byPainting(colours)), colours };
}

/** Whether less of a metric is better; undefined: it is not known, or the field is no metric. */
function isLeastBest(text: string): boolean | undefined {
  const field = parseField(text);
  if (field.kind !== "metric") return undefined;
  const direction = usualDirection(field.name, field.stat);
  return direction === "none" ? undefined : direction === "least";
}

function byPainting(colours: ColourScale | undefined) {
  const rank = ({ isOutside, shade }: Plotted) => {
    if (isOutside) return -2;
    return (colours && shareOf(colours, shade)) ?? -1;
  };
  return (one: Plotted, other: Plotted) => rank(one) - rank(other);
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
