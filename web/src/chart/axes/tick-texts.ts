import { scaleOf, type Unit } from "../../parts/units.ts";
import { countText, digitsText, spanText } from "../../parts/words.ts";

/** Texts at the ticks of an axis. */
export interface TickTexts {
  texts: string[];
  /** Origin and unit of all texts, where the full numbers would not fit beside the chart. */
  note: string;
}

type Ticks = readonly (number | null)[];

/**
 * Texts of numbers, unabridged and all different. If their digits have no room, the note has the
 * common part. A nonlinear axis labels round numbers only.
 */
export function numberTexts(ticks: Ticks, isBent = false): TickTexts {
  if (isBent)
    return { texts: ticks.map((tick) => (isRound(tick) ? plainText(tick!) : "")), note: "" };
  return allTexts(ticks, (known) => {
    const step = stepOf(known);
    const own = fitting(known, step);
    if (own !== undefined) return { texts: own, note: "" };
    const offset = offsetOf(known, step);
    const rests = known.map((tick) => tick - offset);
    const from = offset === 0 ? "" : `${offsetText(offset)} + `;
    const near = fitting(rests, step);
    if (near !== undefined) return { texts: near, note: `${from}…` };
    const power = Math.floor(Math.log10(Math.max(...rests.map(Math.abs))));
    const small = rests.map((rest) => timesPower(rest, -power));
    const texts = small.map((value) => roundedText(value, timesPower(step, -power)));
    return { texts, note: `${from}… × 1e${power}` };
  });
}

/** Texts of values with a unit: beside each number where there is room, else in the note. */
export function valueTexts(ticks: Ticks, unit: Unit | undefined, isBent = false): TickTexts {
  if (unit === undefined) return numberTexts(ticks, isBent);
  const size = Math.max(0, ...ticks.map((tick) => Math.abs(tick ?? 0)));
  const { factor, text: name } = scaleOf(unit, size);
  const scaled = ticks.map((tick) => (tick === null ? null : tick / factor));
  const { texts, note } = numberTexts(scaled, isBent);
  const named = texts.map((text) => (text === "" ? "" : `${text} ${name}`));
  if (note === "" && named.every(hasRoom)) return { texts: named, note };
  return { texts, note: [note, name].filter(Boolean).join(" ") };
}

/** Texts of steps, which are integers: in full where there is room. */
export function stepTexts(ticks: Ticks): TickTexts {
  const texts = ticks.map((tick) => (tick === null ? "" : countText(tick)));
  const isSafe = ticks.every((tick) => tick === null || Number.isSafeInteger(tick));
  return isSafe && texts.every(hasRoom) ? { texts, note: "" } : numberTexts(ticks);
}

/** Texts of durations; where two units do not distinguish them, the note has the larger ones. */
export function spanTexts(ticks: Ticks): TickTexts {
  return allTexts(ticks, (known) => {
    const own = known.map((tick) => spanText(tick));
    if (known.every(isTold)) return { texts: own, note: "" };
    const span = Math.max(...known) - Math.min(...known);
    const unit = spanUnits.find((each) => each >= span) ?? spanUnits.at(-1)!;
    const offset = Math.floor(Math.min(...known) / unit) * unit;
    const rests = known.map((tick) => tick - offset);
    const isNear = offset > 0 && (rests.every(isTold) || new Set(own).size < own.length);
    if (!isNear) return { texts: own, note: "" };
    return {
      texts: rests.map((rest) => spanText(rest)),
      note: `${spanText(offset, Infinity)} + …`,
    };
  });
}

const spanUnits = [1_000, 60_000, 3_600_000, 86_400_000, 365 * 86_400_000];

function isTold(ms: number): boolean {
  return spanText(ms) === spanText(ms, Infinity);
}

/** Leaves the texts of missing ticks empty. */
function allTexts(ticks: Ticks, textsOf: (known: number[]) => TickTexts): TickTexts {
  const known = ticks.filter((tick) => tick !== null);
  if (known.length === 0) return { texts: ticks.map(() => ""), note: "" };
  const { texts, note } = textsOf(known);
  let at = 0;
  return { texts: ticks.map((tick) => (tick === null ? "" : texts[at++])), note };
}

/** Whether a tick is labelled: a logarithmic axis begins anywhere, and its ends are no ticks. */
function isRound(value: number | null): boolean {
  return value !== null && Number(value.toPrecision(2)) === value;
}

/** The texts; undefined if one of them has no room. */
function fitting(values: readonly number[], step: number): string[] | undefined {
  const texts = values.map((value) => roundedText(value, step));
  return texts.every(hasRoom) ? texts : undefined;
}

/** The least distance of two ticks; a single one stands for itself. */
function stepOf(ticks: readonly number[]): number {
  const sorted = ticks.toSorted((one, other) => one - other);
  const steps = sorted.slice(1).map((tick, at) => tick - sorted[at]);
  const least = Math.min(...steps.filter((step) => step > 0));
  return Number.isFinite(least) ? least : Math.abs(sorted[0]) * 1e-6 || 1;
}

/** A round number just below all ticks, towards 0; 0 where that would not help. */
function offsetOf(ticks: readonly number[], step: number): number {
  const span = Math.max(...ticks) - Math.min(...ticks);
  const unit = Number(`1e${Math.ceil(Math.log10(Math.max(span, step)))}`);
  const nearest = ticks.reduce((near, tick) => (Math.abs(tick) < Math.abs(near) ? tick : near));
  const offset = Number((Math.trunc(nearest / unit) * unit).toPrecision(16));
  return Number.isFinite(offset) ? offset : 0;
}

/** All digits of the origin, as others are added to it. */
function offsetText(value: number): string {
  const size = Math.abs(value);
  if (Number.isSafeInteger(value)) return countText(value);
  return size < 1e15 && size >= 1e-4 ? digitsText(value, 16) : exponentText(value);
}

/** Two digits more than the step's magnitude, since a step may be 1.25. */
function roundedText(value: number, step: number): string {
  if (Math.abs(value) < step / 100) return "0";
  const digits = Math.floor(Math.log10(Math.abs(value))) - Math.floor(Math.log10(step)) + 3;
  return plainText(Number(value.toPrecision(Math.min(17, Math.max(1, digits)))));
}

function plainText(value: number): string {
  const size = Math.abs(value);
  if (value !== 0 && (size >= 1e9 || size < 1e-4)) return exponentText(value);
  return size >= 1e6 ? `${digitsText(value / 1e6, 15)}M` : digitsText(value, 15);
}

function exponentText(value: number): string {
  return value.toExponential().replace("+", "");
}

/** Multiplies by a power of ten, without the rounding and overflow of a division. */
function timesPower(value: number, power: number): number {
  const [digits, exponent] = value.toExponential().split("e");
  return Number(`${digits}e${Number(exponent) + power}`);
}

/** Room for a text beside the plot, in CSS pixels. */
const room = 54;

/** Widths of characters in the widest usual font, at 12 pixels. */
const widths: Record<string, number> = { ",": 3.9, ".": 3.9, "-": 4.4, M: 10.4 };

function hasRoom(text: string): boolean {
  return textWidth(text) <= room;
}

export function textWidth(text: string): number {
  return Array.from(text).reduce((width, character) => width + (widths[character] ?? 7.7), 0);
}
