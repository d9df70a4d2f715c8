import { differenceText, valueText } from "./words.ts";

/** The unit of a metric of the machine. */
export interface Unit {
  text: string;
  /** Whether prefixes make it larger: kB, MB, GB. */
  isBytes: boolean;
}

/** Units by the ends of the names that our client gives. */
const units: readonly [ending: string, unit: Unit][] = [
  ["_bytes_per_second", { text: "B/s", isBytes: true }],
  ["_bytes", { text: "B", isBytes: true }],
  ["_percent", { text: "%", isBytes: false }],
  ["_celsius", { text: "°C", isBytes: false }],
  ["_watts", { text: "W", isBytes: false }],
  ["_mhz", { text: "MHz", isBytes: false }],
  ["_seconds", { text: "s", isBytes: false }],
];

/** Metrics of the machine. A name with a space is a formula, whose unit its end does not tell. */
const ofMachine = /^system\/\S+$/;

/** The unit that the name of a metric tells; undefined: it tells none. */
export function unitOf(seriesName: string): Unit | undefined {
  if (!ofMachine.test(seriesName)) return undefined;
  return units.find(([ending]) => seriesName.endsWith(ending))?.[1];
}

/** A line of a chart; `combined` is set if its values are of two metrics, as a ratio is. */
interface NamedLine {
  seriesName: string;
  combined?: unknown;
}

/** The unit of a line's values. */
export function unitOfLine({ seriesName, combined }: NamedLine): Unit | undefined {
  return combined === undefined ? unitOf(seriesName) : undefined;
}

/** The common unit of several lines. */
export function commonUnit(lines: readonly NamedLine[]): Unit | undefined {
  const [first, ...others] = lines.map(unitOfLine);
  return others.every((unit) => unit === first) ? first : undefined;
}

const prefixes = ["", "k", "M", "G", "T", "P"];

/** The unit with the prefix in which a value of this size has one to three digits. */
export function scaleOf({ text, isBytes }: Unit, size: number): { factor: number; text: string } {
  if (!isBytes || !Number.isFinite(size)) return { factor: 1, text };
  const thousands = Math.floor(Math.log10(Math.max(1, Math.abs(size))) / 3 + 1e-9);
  const prefix = Math.min(thousands, prefixes.length - 1);
  return { factor: 1_000 ** prefix, text: `${prefixes[prefix]}${text}` };
}

/** A difference of two values with its sign and unit. */
export function differenceMeasure(difference: number, unit: Unit | undefined): string {
  if (unit === undefined || difference === 0) return differenceText(difference);
  const { factor, text } = scaleOf(unit, difference);
  return `${differenceText(difference / factor)} ${text}`;
}

/** A value with its unit, if it has one: `71.2016 GB`. */
export function measureText(value: number, unit: Unit | undefined, digits?: number): string {
  if (unit === undefined || !Number.isFinite(value)) return valueText(value, digits);
  const { factor, text } = scaleOf(unit, value);
  return `${valueText(value / factor, digits)} ${text}`;
}
