import { numberTexts } from "../../chart/axes/tick-texts.ts";
import { numberTicks } from "../../pages/compare/relations/axis.ts";
import type { Drawing, Layer, PlotAxis } from "./drawing.ts";

/** An axis of a plot, with places from 0, at the left or the bottom, to 1. */
export interface Scale {
  title: string;
  placeOf: (value: number) => number;
  ticks: readonly { place: number; text: string }[];
  /** Text of a value under the pointer. */
  nameOf: ((value: number) => string) | undefined;
}

/** Labels beside an axis at most. */
const labelsMax = 24;

/** The two axes of a drawing. */
export function scalesOf({ x, y, layers }: Drawing): { across: Scale; up: Scale } {
  return { across: scaleOf(x, layers, "x"), up: scaleOf(y, layers, "y") };
}

function scaleOf(axis: PlotAxis, layers: readonly Layer[], which: "x" | "y"): Scale {
  const { title, names, isReversed } = axis;
  const turned = (place: number) => (isReversed ? 1 - place : place);
  if (names !== undefined) {
    const placeOf = (value: number) => turned((value + 0.5) / names.length);
    const every = Math.ceil(names.length / labelsMax);
    const ticks = names.flatMap((text, at) =>
      at % every === 0 ? { place: placeOf(at), text } : [],
    );
    return { title, placeOf, ticks, nameOf: (value) => names[Math.round(value)] ?? "" };
  }
  const isLog = axis.isLog === true;
  const [start, end] = endsOf(layers, which, isLog);
  const placeOf = (value: number) =>
    turned(
      isLog ? Math.log(value / start) / Math.log(end / start) : (value - start) / (end - start),
    );
  const places = numberTicks(start, end, isLog);
  const { texts, note } = numberTexts(places, isLog);
  const ticks = places.map((value, at) => ({ place: placeOf(value), text: texts[at] }));
  return { title: [title, note].filter(Boolean).join(": "), placeOf, ticks, nameOf: undefined };
}

/** Room around the values, as a share of their range. */
const room = 0.04;

function endsOf(layers: readonly Layer[], which: "x" | "y", isLog: boolean): [number, number] {
  let [low, high] = [Infinity, -Infinity];
  let touchesLow = false;
  for (const layer of layers) {
    for (const value of valuesOf(layer, which)) {
      if (!Number.isFinite(value) || (isLog && value <= 0)) continue;
      low = Math.min(low, value);
      high = Math.max(high, value);
    }
    // Bars stand on the axis.
    touchesLow ||= layer.kind === "bars" && (which === "x") === layer.isAcross;
  }
  if (low > high) return isLog ? [1, 10] : [0, 1];
  if (isLog) return low === high ? [low / 2, high * 2] : [low, high];
  if (low === high) return [low - (Math.abs(low) / 10 || 1), high + (Math.abs(high) / 10 || 1)];
  const margin = (high - low) * room;
  return [touchesLow && low === 0 ? 0 : low - margin, touchesLow && high === 0 ? 0 : high + margin];
}

function* valuesOf(layer: Layer, which: "x" | "y"): Generator<number> {
  if (layer.kind === "cells") return;
  if (layer.kind !== "bars") return yield* layer[which];
  const isAlong = (which === "x") === layer.isAcross;
  for (const { left, right, from, to } of layer.bars) {
    yield isAlong ? from : left;
    yield isAlong ? to : right;
  }
}
