import type { Drawing, Layer } from "./drawing.ts";
import type { Scale } from "./scale.ts";
import { type Cell, shadePaths } from "./shades.ts";

/** Where a place of a plot is drawn, in pixels. */
export interface Frame {
  across: Scale;
  up: Scale;
  left: number;
  top: number;
  width: number;
  height: number;
}

/** A part of a plot as one element. */
export interface DrawnLayer {
  kind: "line" | "points" | "bars" | "cells";
  /** Place of its colour; undefined: it has the accent's. */
  colour: number | undefined;
  path: string;
  /** From 1, of `shadeCount`, for cells. */
  shade?: number;
}

export function drawnLayers({ layers }: Drawing, frame: Frame): DrawnLayer[] {
  const colours = coloursOf(layers);
  return layers.flatMap((layer): DrawnLayer[] => {
    if (layer.kind === "cells")
      return shadePaths(cellsOf(layer.rows, frame)).map(({ shade, path }) => ({
        kind: "cells",
        colour: undefined,
        path,
        shade,
      }));
    const { kind, name } = layer;
    return [{ kind, colour: colours.get(name), path: pathOf(layer, frame) }];
  });
}

/** Colours of named layers: lines and points of one name have the same; others the accent's. */
export function coloursOf(layers: readonly Layer[]): Map<string, number> {
  const names = new Set(layers.flatMap((layer) => (layer.kind === "cells" ? [] : layer.name)));
  names.delete("");
  return new Map([...names].map((name, at) => [name, at % 10]));
}

function pathOf(layer: Exclude<Layer, { kind: "cells" }>, frame: Frame): string {
  const xOf = (value: number) => round(frame.left + frame.across.placeOf(value) * frame.width);
  const yOf = (value: number) => round(frame.top + (1 - frame.up.placeOf(value)) * frame.height);
  if (layer.kind === "bars") {
    return layer.bars
      .map(({ left, right, from, to }) => {
        if (!Number.isFinite(to)) return "";
        const [x1, x2] = layer.isAcross ? [xOf(from), xOf(to)] : [xOf(left), xOf(right)];
        const [y1, y2] = layer.isAcross ? [yOf(left), yOf(right)] : [yOf(from), yOf(to)];
        return `M${x1} ${y1}H${x2}V${y2}H${x1}z`;
      })
      .join("");
  }
  let path = "";
  let isOpen = false;
  for (const [at, value] of layer.x.entries()) {
    const [x, y] = [xOf(value), yOf(layer.y[at])];
    const isPlaced = Number.isFinite(x) && Number.isFinite(y);
    // A point is a line without a length, whose round ends are seen.
    if (isPlaced)
      path += layer.kind === "points" ? `M${x} ${y}h0` : `${isOpen ? "L" : "M"}${x} ${y}`;
    isOpen = isPlaced;
  }
  return path;
}

function* cellsOf(rows: readonly (readonly number[])[], frame: Frame): Generator<Cell> {
  const { from, high } = rangeOfCells(rows);
  const span = high - from || 1;
  const width = frame.width / (rows[0]?.length || 1);
  const height = frame.height / (rows.length || 1);
  for (const [row, values] of rows.entries())
    for (const [column, value] of values.entries()) {
      const x = frame.left + frame.across.placeOf(column) * frame.width - width / 2;
      const y = frame.top + (1 - frame.up.placeOf(row)) * frame.height - height / 2;
      yield { left: x, top: y, width, height, share: (value - from) / span };
    }
}

/** The numbers of no and of the darkest shade: counts begin at 0, others at their least one. */
export function rangeOfCells(rows: readonly (readonly number[])[]): { from: number; high: number } {
  let [low, high] = [Infinity, -Infinity];
  for (const value of rows.flat()) {
    if (!Number.isFinite(value)) continue;
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  return { from: Math.min(0, low), high };
}

function round(pixels: number): number {
  return Math.round(pixels * 10) / 10;
}
