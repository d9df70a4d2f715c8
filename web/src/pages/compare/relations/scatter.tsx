import { useMemo, useState } from "preact/hooks";
import type { Axis } from "./axis.ts";
import { brushBetween, type Brush } from "./brushes.ts";
import { drag, type Point } from "./drag.ts";
import type { DrawingProps } from "./drawing.ts";
import { Layers } from "./layers.tsx";
import { nearestPoint, paintPoints, radiusOf } from "./paint.ts";
import { type Plotted, shortened, titleOf } from "./plotted.ts";
import { useInks } from "./use-inks.ts";
import { useWidth } from "./use-width.ts";

const height = 420;
const widthMin = 320;
const [top, right, bottom, left] = [24, 24, 52, 96];

const clamped = (place: number) => Math.min(1, Math.max(0, place));

/** A scatter plot of two fields: the first is horizontal, the second vertical. */
export function Scatter(props: DrawingProps) {
  const { axes, plotted, colours } = props;
  const [across, up] = axes;
  const { element, width } = useWidth();
  const inks = useInks(element);
  const own = Math.max(width, widthMin);
  const xOf = (place: number) => left + place * (own - left - right);
  const yOf = (place: number) => top + (1 - place) * (height - top - bottom);
  const placed = useMemo(
    () => plotted.filter(({ places }) => places.every((place) => place !== undefined)),
    [plotted],
  );
  const place = (axis: number, at: number) => ({
    x: axis === 0 ? xOf(at) : 0,
    y: axis === 0 ? 0 : yOf(at),
  });
  const at = (pointer: Point) => nearestPoint(placed, place, pointer);
  const radius = radiusOf(placed.length);
  return (
    <div class="drawn" ref={element}>
      <Layers
        {...props}
        plotted={placed}
        {...{ width: own, height, inks, at }}
        label="Scatter plot"
        look="point"
        paint={(canvas, shown) => paintPoints(canvas, placed, place, colours, shown, radius)}
        outlineOf={(one) => circleOf(one, xOf, yOf, radius)}
      >
        <Ground {...props} {...{ own, xOf, yOf, at }} />
        <Ticks {...{ across, up, own, xOf, yOf }} />
      </Layers>
    </div>
  );
}

interface GroundProps extends Pick<DrawingProps, "axes" | "onBrush" | "onOpen"> {
  own: number;
  xOf: (place: number) => number;
  yOf: (place: number) => number;
  /** The experiment at a place. */
  at: (place: Point) => Plotted | undefined;
}

/** The area of the points: a drag chooses a part, a click opens a point or chooses all. */
function Ground({ axes, own, xOf, yOf, at, onBrush, onOpen }: GroundProps) {
  const [across, up] = axes;
  const [drawn, setDrawn] = useState<{ from: Point; to: Point }>();
  const press = (event: PointerEvent) =>
    drag(
      event,
      (from, to) => setDrawn({ from, to }),
      (ended) => {
        setDrawn(undefined);
        const changed = new Map<string, Brush | undefined>();
        const clicked = ended === "click" ? at(placeIn(event)) : undefined;
        if (clicked !== undefined) return onOpen(clicked.experimentId);
        if (ended === "click") for (const { field } of axes) changed.set(field, undefined);
        else if (ended !== "left") {
          const { x, y } = placesBetween(ended.from, ended.to, own);
          changed.set(across.field, brushBetween(across, x[0], x[1]));
          changed.set(up.field, brushBetween(up, y[0], y[1]));
        }
        if (changed.size > 0) onBrush(changed);
      },
    );
  const area = drawn && placesBetween(drawn.from, drawn.to, own);
  return (
    <>
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
      {area !== undefined && (
        <rect
          class="brush"
          x={xOf(area.x[0])}
          width={xOf(area.x[1]) - xOf(area.x[0])}
          y={yOf(area.y[1])}
          height={yOf(area.y[0]) - yOf(area.y[1])}
        />
      )}
    </>
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

function circleOf(
  { places }: Plotted,
  xOf: (place: number) => number,
  yOf: (place: number) => number,
  radius: number,
): string {
  const r = radius + 1;
  return `M${xOf(places[0]!) - r} ${yOf(places[1]!)}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 -${2 * r} 0z`;
}

/** The place of an event in the drawing. */
function placeIn(event: PointerEvent): Point {
  const { left, top: above } = (event.target as Element).closest("svg")!.getBoundingClientRect();
  return { x: event.clientX - left, y: event.clientY - above };
}

/** The ranges of places that a rectangle covers. */
function placesBetween(from: Point, to: Point, width: number): { x: number[]; y: number[] } {
  const xs = [from.x, to.x].map((x) => clamped((x - left) / (width - left - right)));
  const ys = [from.y, to.y].map((y) => clamped(1 - (y - top) / (height - top - bottom)));
  const sorted = (places: number[]) => places.toSorted((one, other) => one - other);
  return { x: sorted(xs), y: sorted(ys) };
}
