import type { Kind } from "../../../chart/lines/colours.ts";
import { axisOf, axisText, placeOf, wantsLog, type Axis, type AxisValue } from "./axis.ts";

/** Colours of experiments by the value of a field. */
export interface ColourScale {
  axis: Axis;
  /** Whether the least value is the best; undefined: none is better. */
  isLeastBest: boolean | undefined;
}

/** Colours of a theme, in hexadecimal. */
export interface Inks {
  isDark: boolean;
  lines: readonly string[];
  text: string;
  soft: string;
  card: string;
}

/**
 * Viridis, from its dark end: its steps are equal also for colour-blind eyes. In either theme the
 * best value is the end that stands out.
 */
const viridis = [
  [68, 1, 84],
  [71, 45, 123],
  [59, 82, 139],
  [44, 114, 142],
  [33, 145, 140],
  [40, 174, 128],
  [94, 201, 98],
  [173, 220, 48],
  [253, 231, 37],
] as const;
/** The ends of the scale that are seen on white, and on a dark ground. */
const ends = { light: [0.82, 0], dark: [0.22, 1] } as const;

export function colourScaleOf(
  field: string,
  values: readonly AxisValue[],
  isLog: boolean | undefined,
  isLeastBest: boolean | undefined,
): ColourScale {
  return { axis: axisOf(field, values, isLog ?? wantsLog(field, values)), isLeastBest };
}

/** How good a value is, from 0 to 1, or where it lies; undefined: it has no place. */
export function shareOf({ axis, isLeastBest }: ColourScale, value: AxisValue): number | undefined {
  if (axis.kind === "category") return undefined;
  const place = placeOf(axis, value);
  return place === undefined ? undefined : isLeastBest === true ? 1 - place : place;
}

/** The colour of a share; 1 is the best. */
export function shadeOf(share: number, isDark: boolean): string {
  const [worst, best] = isDark ? ends.dark : ends.light;
  const at = (worst + (best - worst) * Math.min(1, Math.max(0, share))) * (viridis.length - 1);
  const from = Math.min(viridis.length - 2, Math.floor(at));
  const mixed = viridis[from].map((part, channel) => {
    const level = Math.round(part + (viridis[from + 1][channel] - part) * (at - from));
    return level.toString(16).padStart(2, "0");
  });
  return `#${mixed.join("")}`;
}

/** The colour of an experiment: by its value, or else its own. */
export function colourOf(
  scale: ColourScale | undefined,
  { shade, kind }: { shade: AxisValue; kind: Kind | undefined },
  inks: Inks,
): string {
  if (scale === undefined) return kind === undefined ? inks.soft : inks.lines[kind.colour];
  if (scale.axis.kind === "category") {
    const at = shade === null ? -1 : scale.axis.categories.indexOf(shade);
    return at < 0 ? inks.soft : inks.lines[at % inks.lines.length];
  }
  const share = shareOf(scale, shade);
  return share === undefined ? inks.soft : shadeOf(share, inks.isDark);
}

/** The ends of a scale of numbers, or the first categories, with their colours. */
export function legendOf(scale: ColourScale, inks: Inks): { text: string; colour: string }[] {
  const { axis } = scale;
  const shown =
    axis.kind === "category" ? axis.categories.slice(0, inks.lines.length) : [axis.start, axis.end];
  return shown.map((shade) => {
    const colour = colourOf(scale, { shade, kind: undefined }, inks);
    return { text: axisText(axis, shade), colour };
  });
}
