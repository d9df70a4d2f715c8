import type { OverviewReply } from "@lossless/client";
import type { Unit } from "../../parts/units.ts";
import { placeOf } from "../axes/axis-x.ts";
import type { Heights } from "../axes/axis-y.ts";
import { momentTexts } from "../axes/moment-texts.ts";
import {
  numberTexts,
  spanTexts,
  stepTexts,
  valueTexts,
  type TickTexts,
} from "../axes/tick-texts.ts";
import {
  evenTicksOf,
  extremeTicksOf,
  powerTicks,
  symlogTicks,
  wholeSteps,
  wholeTimes,
} from "../axes/ticks.ts";
import type { ChartView } from "../view.ts";

/** Ticks of an axis, by their place from 0 to 1. */
export interface PictureTicks {
  ticks: readonly { place: number; text: string }[];
  /** Origin and unit of the texts. */
  note: string;
}

/** Ticks of an axis of this length, and the room that a text takes along it. */
interface TickRoom {
  length: number;
  along: (text: string) => number;
}

/** The place of a value on the y axis of a picture, from 0 at its lower end; NaN: it has none. */
export function heightIn({ low, high, threshold }: Heights, y: ChartView["y"], value: number) {
  if (y === "log" && value <= 0) return NaN;
  const bent = (each: number) =>
    y === "log" ? Math.log(each) : y === "symlog" ? Math.asinh(each / threshold) : each;
  return (bent(value) - bent(low)) / (bent(high) - bent(low));
}

export function yTicksOf(
  heights: Heights,
  y: ChartView["y"],
  room: TickRoom,
  unit?: Unit,
): PictureTicks {
  const { low, high, threshold } = heights;
  const place = (tick: number) => heightIn(heights, y, tick);
  const even = y === "linear" ? undefined : evenTicksOf(low, high);
  if (y === "linear" || even !== undefined) {
    const ticksIn = (most: number) => even ?? evenIn(low, high, most);
    return fitting(ticksIn, (ticks) => valueTexts(ticks, unit), place, room);
  }
  if (y === "log") return thinned(powerTicks(low, high), place, room);
  const ticks = symlogTicks(low, high, threshold, room.length) ?? [low, high];
  return labelled(ticks, numberTexts(ticks, true), place);
}

export function xTicksOf(
  overview: Pick<OverviewReply, "xAxis" | "xScale">,
  range: readonly [number, number],
  room: TickRoom,
): PictureTicks {
  const { xAxis, xScale } = overview;
  const [low, high] = range;
  const place = (tick: number) => placeOf(range, xScale, tick);
  const even = xScale === "log" ? evenTicksOf(low, high) : undefined;
  if (xScale === "log" && even === undefined) {
    const ticks = powerTicks(low, high);
    if (xAxis === "elapsed")
      return fitting(
        (most) => few(ticks, most),
        (some) => spanTexts(some),
        place,
        room,
      );
    return thinned(ticks, place, room);
  }
  if (xAxis === "timestamp")
    return fitting((most) => momentsIn(low, high, most), roundTexts, place, room);
  if (xAxis === "elapsed")
    return fitting((most) => multiplesIn(low, high, most, wholeTimes), spanTexts, place, room);
  if (xAxis === "metric")
    return fitting(
      (most) => even ?? evenIn(low, high, most),
      (some) => numberTexts(some),
      place,
      room,
    );
  return fitting((most) => multiplesIn(low, high, most, wholeSteps), stepTexts, place, room);
}

/** Ticks on a line with numbers, as for values. */
export function numberTicksOf(low: number, high: number, isLog: boolean, room: TickRoom) {
  const heights = { low, high, threshold: 1 };
  return yTicksOf(heights, isLog ? "log" : "linear", room);
}

const mostTicks = 9;

/** As many ticks as have room for their texts. */
function fitting(
  ticksIn: (most: number) => number[],
  textsOf: (ticks: number[]) => TickTexts,
  place: (tick: number) => number,
  room: TickRoom,
): PictureTicks {
  let found: PictureTicks = { ticks: [], note: "" };
  for (let most = mostTicks; most > 1; most--) {
    const ticks = ticksIn(most);
    found = labelled(ticks, textsOf(ticks), place);
    if (ticks.length > 0 && haveRoom(found.ticks, room)) return found;
  }
  // The outermost texts alone say what the axis is.
  const [first] = found.ticks;
  const ends = found.ticks.length > 1 ? [first, found.ticks.at(-1)!] : found.ticks;
  return haveRoom(ends, room) ? { ...found, ticks: ends } : { ...found, ticks: ends.slice(0, 1) };
}

/** Powers of ten with as many texts as have room; the other ticks have none. */
function thinned(
  ticks: readonly number[],
  place: (tick: number) => number,
  room: TickRoom,
): PictureTicks {
  const { texts } = numberTexts(ticks, true);
  const digitOf = (tick: number) => Number(tick.toExponential()[0]);
  const powerOf = (tick: number) => Math.floor(Math.log10(tick) + 1e-9);
  const choices: ((tick: number) => boolean)[] = [
    () => true,
    (tick) => [1, 2, 5].includes(digitOf(tick)),
    ...[1, 2, 3, 5, 10, 20, 50, 100, 1_000].map((every) => (tick: number) => {
      return digitOf(tick) === 1 && powerOf(tick) % every === 0;
    }),
  ];
  for (const choice of choices) {
    const found = ticks.map((tick, at) => {
      return { place: place(tick), text: choice(tick) ? texts[at] : "" };
    });
    const told = found.filter(({ text }) => text !== "");
    if (told.length > 0 && haveRoom(told, room)) return { ticks: found, note: "" };
  }
  return labelled(ticks.slice(0, 1), { texts: texts.slice(0, 1), note: "" }, place);
}

/** Beyond the ends of an axis by less than this, a tick is at its end: places are rounded. */
const beside = 1e-9;

function labelled(
  ticks: readonly number[],
  { texts, note }: TickTexts,
  place: (tick: number) => number,
): PictureTicks {
  const found = ticks.map((tick, at) => ({ place: place(tick), text: texts[at] }));
  return { ticks: found.filter((tick) => tick.place >= -beside && tick.place <= 1 + beside), note };
}

/** Whether no text reaches into the next one. */
function haveRoom(ticks: PictureTicks["ticks"], { length, along }: TickRoom): boolean {
  return ticks.every(({ place, text }, at) => {
    const before = ticks[at - 1];
    if (before === undefined) return true;
    return (place - before.place) * length >= (along(before.text) + along(text)) / 2;
  });
}

function few(ticks: readonly number[], most: number): number[] {
  const every = Math.ceil(ticks.length / most);
  return ticks.filter((_, at) => at % every === 0);
}

/** Round numbers at even distances. */
function evenIn(low: number, high: number, most: number): number[] {
  const extreme = extremeTicksOf(low, high);
  if (extreme !== undefined) return extreme;
  const least = (high - low) / most;
  const power = Number(`1e${Math.floor(Math.log10(least))}`);
  return multiplesIn(
    low,
    high,
    most,
    [1, 2, 5, 10].map((factor) => factor * power),
  );
}

/** Multiples of the least of these distances of which there are few enough. */
function multiplesIn(low: number, high: number, most: number, distances: readonly number[]) {
  const least = (high - low) / most;
  const distance = distances.find((each) => each >= least) ?? least;
  const first = Math.ceil(low / distance);
  const count = Math.min(most + 1, Math.floor(high / distance) - first + 1);
  const ticks = Array.from({ length: Math.max(0, count) }, (_, at) =>
    Number(((first + at) * distance).toPrecision(15)),
  );
  const inside = ticks.filter((tick) => tick >= low && tick <= high);
  return inside.length > 0 ? inside : [low];
}

const day = 86_400_000;
/** Distances of moments, in milliseconds and then in months. */
const clockTimes = [...wholeTimes.filter((ms) => ms < day), day, 2 * day, 7 * day];
const monthCounts = [1, 2, 3, 6, 12, 24, 60, 120, 240, 600, 1_200];

/** Texts of moments; of years and of months alone they are short. */
function roundTexts(moments: readonly number[]): TickTexts {
  const found = momentTexts(moments);
  const ending = ["-01-01", "-01"].find((end) => found.texts.every((text) => text.endsWith(end)));
  const isOfDays = found.texts.every((text) => text.length === "2026-01-01".length);
  if (ending === undefined || !isOfDays) return found;
  return { ...found, texts: found.texts.map((text) => text.slice(0, -ending.length)) };
}

/** Moments that are round where the reader is. */
function momentsIn(low: number, high: number, most: number): number[] {
  const least = (high - low) / most;
  const distance = clockTimes.find((each) => each >= least);
  if (distance !== undefined) {
    const shift = new Date(low).getTimezoneOffset() * 60_000;
    return multiplesIn(low - shift, high - shift, most, [distance]).map((ms) => ms + shift);
  }
  const months = monthCounts.find((each) => each * 28 * day >= least) ?? monthCounts.at(-1)!;
  const begin = new Date(low);
  const first = Math.ceil((begin.getFullYear() * 12 + begin.getMonth()) / months) * months;
  return Array.from({ length: most + 2 }, (_, at) => {
    return new Date(0, first + at * months - 1_900 * 12).getTime();
  }).filter((ms) => ms >= low && ms <= high);
}
