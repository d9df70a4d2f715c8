import { useState } from "preact/hooks";
import type { Axis } from "./axis.ts";
import { brushBetween, type Brush } from "./brushes.ts";
import { drag, type Point } from "./drag.ts";
import type { DrawingProps } from "./drawing.ts";
import { Marks } from "./marks.tsx";
import { shortened, titleOf } from "./plotted.ts";
import { useWidth } from "./use-width.ts";

const height = 420;
const [top, right, bottom, left] = [24, 24, 52, 96];

const clamped = (place: number) => Math.min(1, Math.max(0, place));

/** A scatter plot of two fields: the first is horizontal, the second vertical. */
export function Scatter(props: DrawingProps) {
  const { axes, plotted, onBrush } = props;
  const [across, up] = axes;
  const { element, width } = useWidth();
  const own = Math.max(width, 320);
  const [drawn, setDrawn] = useState<{ from: Point; to: Point }>();
  const xOf = (place: number) => left + place * (own - left - right);
  const yOf = (place: number) => top + (1 - place) * (height - top - bottom);
  const rangesOf = (from: Point, to: Point) => {
    const xs = [from.x, to.x].map((x) => clamped((x - left) / (own - left - right)));
    const ys = [from.y, to.y].map((y) => clamped(1 - (y - top) / (height - top - bottom)));
    const sorted = (places: number[]) => places.toSorted((one, other) => one - other);
    return { x: sorted(xs), y: sorted(ys) };
  };
  const press = (event: PointerEvent) =>
    drag(
      event,
      (from, to) => setDrawn({ from, to }),
      (ended) => {
        setDrawn(undefined);
        const changed = new Map<string, Brush | undefined>();
        if (ended === "click") for (const { field } of axes) changed.set(field, undefined);
        else if (ended !== "left") {
          const { x, y } = rangesOf(ended.from, ended.to);
          changed.set(across.field, brushBetween(across, x[0], x[1]));
          changed.set(up.field, brushBetween(up, y[0], y[1]));
        }
        if (changed.size > 0) onBrush(changed);
      },
    );
  const placed = plotted.filter(({ places }) => places.every((place) => place !== undefined));
  const area = drawn && rangesOf(drawn.from, drawn.to);
  return (
    <div class="drawn" ref={element}>
      <svg width={own} height={height} role="group" aria-label="Scatter plot">
        <rect
          class="ground"
          x={left}
          y={top}
          width={own - left - right}
          height={height - top - bottom}
          onPointerDown={press}
        >
          <title>Drag over points to choose them, click to choose all</title>
        </rect>
        <Ticks {...{ across, up, own, xOf, yOf }} />
        {area !== undefined && (
          <rect
            class="brush"
            x={xOf(area.x[0])}
            width={xOf(area.x[1]) - xOf(area.x[0])}
            y={yOf(area.y[1])}
            height={yOf(area.y[0]) - yOf(area.y[1])}
          />
        )}
        <Marks
          {...props}
          plotted={placed}
          label="Experiments"
          draw={({ places, kind }) => (
            <path class="point" d={shapeOf(kind?.pattern, xOf(places[0]!), yOf(places[1]!))} />
          )}
        />
      </svg>
    </div>
  );
}

/** Text of a tick; numbers are never shortened, which would change them. */
function tickOf({ kind }: Axis, text: string): string {
  return kind === "category" ? shortened(text, 12) : text;
}

interface TicksProps {
  across: Axis;
  up: Axis;
  own: number;
  xOf: (place: number) => number;
  yOf: (place: number) => number;
}

function Ticks({ across, up, own, xOf, yOf }: TicksProps) {
  return (
    <>
      {across.ticks.map(({ place, text }) => (
        <g key={`x ${place}`} class="tick">
          <line x1={xOf(place)} x2={xOf(place)} y1={yOf(0)} y2={yOf(0) + 5} />
          <text x={xOf(place)} y={height - bottom + 18} text-anchor="middle">
            {tickOf(across, text)}
          </text>
        </g>
      ))}
      {up.ticks.map(({ place, text }) => (
        <g key={`y ${place}`} class="tick">
          <line x1={xOf(0) - 5} x2={xOf(0)} y1={yOf(place)} y2={yOf(place)} />
          <text x={xOf(0) - 8} y={yOf(place) + 4} text-anchor="end">
            {tickOf(up, text)}
          </text>
        </g>
      ))}
      <text class="title" x={(left + own - right) / 2} y={height - 8} text-anchor="middle">
        {[titleOf(across.field), across.note].filter(Boolean).join(": ")}
      </text>
      <text class="title" x={8} y={16}>
        {[titleOf(up.field), up.note].filter(Boolean).join(": ")}
      </text>
    </>
  );
}

/** A circle, a square or a diamond, in place of a line's pattern. */
function shapeOf(pattern: number | undefined, x: number, y: number): string {
  if (pattern === 1) return `M${x - 5} ${y - 5}h10v10h-10z`;
  if (pattern === 2) return `M${x} ${y - 7}l7 7l-7 7l-7 -7z`;
  return `M${x - 6} ${y}a6 6 0 1 0 12 0a6 6 0 1 0 -12 0z`;
}
