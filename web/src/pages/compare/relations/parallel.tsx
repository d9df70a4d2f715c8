import { useState } from "preact/hooks";
import { type Axis, placeOf } from "./axis.ts";
import { brushBetween, type Brush } from "./brushes.ts";
import { drag } from "./drag.ts";
import type { DrawingProps } from "./drawing.ts";
import { Layers } from "./layers.tsx";
import { nearestLine, paintParallel } from "./paint.ts";
import { type Plotted, shortened, titleOf } from "./plotted.ts";
import { useInks } from "./use-inks.ts";
import { useWidth } from "./use-width.ts";

const height = 380;
const [top, bottom, side] = [52, 16, 70];
const axisPixelsMin = 96;
const lineWidth = 1.5;
/** Width of a brush: enough for a finger. */
const brushPixels = 28;
/**
 * Approximate width of a character. Titles alternate between two lines, so each has the room of two
 * axes.
 */
const characterPixels = 7.5;

const yOf = (place: number) => top + (1 - place) * (height - top - bottom);
const placeAt = (y: number) => Math.min(1, Math.max(0, 1 - (y - top) / (height - top - bottom)));

/** Parallel coordinates: an axis for each field, a line for each experiment. */
export function Parallel(props: DrawingProps) {
  const { axes, plotted, brushes, colours, onBrush } = props;
  const { element, width } = useWidth();
  const inks = useInks(element);
  const own = Math.max(width, 2 * side + (axes.length - 1) * axisPixelsMin);
  const xOf = (at: number) =>
    axes.length === 1 ? own / 2 : side + (at * (own - 2 * side)) / (axes.length - 1);
  const place = (at: number, share: number) => ({ x: xOf(at), y: yOf(share) });
  return (
    <div class="drawn" ref={element}>
      <Layers
        {...props}
        {...{ width: own, height, inks }}
        label="Parallel coordinates"
        look="stroke"
        paint={(canvas, shown) => paintParallel(canvas, plotted, place, colours, shown, lineWidth)}
        at={(pointer) => nearestLine(plotted, place, axes.length, pointer)}
        outlineOf={(one) => pathOf(one, xOf)}
      >
        {axes.map((axis, at) => (
          <ParallelAxis
            key={axis.field}
            axis={axis}
            x={xOf(at)}
            titleY={at % 2 === 0 ? 16 : 33}
            titleCharacters={Math.floor(
              Math.min(
                (2 * (own - 2 * side)) / axes.length,
                // Titles at either end are centred within their side.
                at === 0 || at === axes.length - 1 ? 2 * side : Infinity,
              ) / characterPixels,
            )}
            brush={brushes.get(axis.field)}
            onBrush={(brush) => onBrush(new Map([[axis.field, brush]]))}
          />
        ))}
      </Layers>
      {plotted.length === 0 && <p class="count">Nothing to draw.</p>}
    </div>
  );
}

/** The path of an experiment: missing values make gaps, and a value between gaps is a dot. */
function pathOf({ places }: Plotted, xOf: (at: number) => number): string {
  return places
    .map((place, at) => {
      if (place === undefined) return "";
      const point = `${xOf(at).toFixed(1)} ${yOf(place).toFixed(1)}`;
      const hasBefore = at > 0 && places[at - 1] !== undefined;
      const hasNext = at + 1 < places.length && places[at + 1] !== undefined;
      if (hasBefore) return `L${point}`;
      return hasNext ? `M${point}` : `M${point}h0.01`;
    })
    .join("");
}

interface AxisProps {
  axis: Axis;
  x: number;
  titleY: number;
  titleCharacters: number;
  brush: Brush | undefined;
  onBrush: (brush: Brush | undefined) => void;
}

function ParallelAxis(props: AxisProps) {
  const { axis, x, titleY, titleCharacters, brush, onBrush } = props;
  const [drawn, setDrawn] = useState<[number, number]>();
  const press = (event: PointerEvent) =>
    drag(
      event,
      (from, to) => setDrawn(ordered(placeAt(from.y), placeAt(to.y))),
      (ended) => {
        setDrawn(undefined);
        if (ended === "click") onBrush(undefined);
        else if (ended !== "left")
          onBrush(brushBetween(axis, ...ordered(placeAt(ended.from.y), placeAt(ended.to.y))));
      },
    );
  const parts = drawn === undefined ? partsOf(axis, brush) : [drawn];
  const title = [titleOf(axis.field), axis.note].filter(Boolean).join(": ");
  return (
    <g class="axis">
      <line x1={x} x2={x} y1={yOf(1)} y2={yOf(0)} />
      {parts.map(([low, high]) => (
        <rect
          key={low}
          class="brush"
          x={x - 8}
          width={16}
          y={yOf(high) - 3}
          height={yOf(low) - yOf(high) + 6}
        />
      ))}
      {axis.ticks.map(({ place, text }) => (
        <g key={place} class="tick">
          <line x1={x - 4} x2={x + 4} y1={yOf(place)} y2={yOf(place)} />
          <text x={x + 8} y={yOf(place) + 4}>
            {axis.kind === "category" ? shortened(text, 14) : text}
          </text>
        </g>
      ))}
      <text class="title" x={x} y={titleY} text-anchor="middle">
        {shortened(title, Math.max(12, Math.min(30, titleCharacters)))}
        <title>{axis.field}</title>
      </text>
      <rect
        class="hold"
        x={x - brushPixels / 2}
        width={brushPixels}
        y={top - 8}
        height={height - top - bottom + 16}
        onPointerDown={press}
      >
        <title>{`${title}: drag to choose a range, click to choose all`}</title>
      </rect>
    </g>
  );
}

const ordered = (one: number, other: number): [number, number] =>
  one < other ? [one, other] : [other, one];

/** The ranges of a brush; values of a category each have their own. */
function partsOf(axis: Axis, brush: Brush | undefined): [number, number][] {
  if (brush === undefined) return [];
  if (brush.kind === "choice") {
    return brush.values.flatMap((value) => {
      const place = placeOf(axis, value);
      return place === undefined ? [] : [[place, place] as [number, number]];
    });
  }
  const inside = (edge: number | undefined, open: number) =>
    edge === undefined ? open : Math.min(1, Math.max(0, placeOf(axis, edge) ?? open));
  return [[inside(brush.from, 0), inside(brush.to, 1)]];
}
