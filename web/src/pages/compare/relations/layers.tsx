import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import type { Inks } from "./colour-scale.ts";
import { stepTo, type DrawingProps } from "./drawing.ts";
import type { Point } from "./drag.ts";
import { plottedText, type Plotted } from "./plotted.ts";

interface Props extends Pick<DrawingProps, "axes" | "plotted" | "raised" | "onRaise" | "onOpen"> {
  label: string;
  width: number;
  height: number;
  inks: Inks | undefined;
  /** Paints all experiments. */
  paint: (canvas: CanvasRenderingContext2D, inks: Inks) => void;
  /** The experiment at a place. */
  at: (place: Point) => Plotted | undefined;
  /** The outline of one experiment, which is drawn above the others. */
  outlineOf: (one: Plotted) => string;
  look: "stroke" | "point";
  children: ComponentChildren;
}

/**
 * Experiments on a canvas, as there may be a thousand, below axes and the one that is raised. A
 * pointer raises the nearest one, and arrows go from the best to the others: together they are one
 * Tab stop.
 */
export function Layers(props: Props) {
  const { label, width, height, inks, paint, at, plotted, axes } = props;
  const { onRaise, onOpen, raised, children } = props;
  const canvas = useRef<HTMLCanvasElement>(null);
  useLayoutEffect(() => {
    const element = canvas.current!;
    if (inks === undefined || width === 0) return;
    const ratio = devicePixelRatio;
    element.width = Math.round(width * ratio);
    element.height = Math.round(height * ratio);
    const context = element.getContext("2d")!;
    context.scale(ratio, ratio);
    paint(context, inks);
  }, [plotted, axes, inks, width, height]);
  const placeOf = ({ currentTarget, clientX, clientY }: MouseEvent): Point => {
    const { left, top } = (currentTarget as Element).getBoundingClientRect();
    return { x: clientX - left, y: clientY - top };
  };
  const open = (event: MouseEvent) => {
    // A drag over a part that has an action of its own is no click on a line.
    if ((event.target as Element).closest(".hold, .ground") !== null) return;
    const one = at(placeOf(event));
    if (one !== undefined) onOpen(one.experimentId);
  };
  const outside = plotted.filter(({ isOutside }) => isOutside).length;
  return (
    <div
      class={`layers ${raised === undefined ? "" : "has-raised"}`}
      data-experiments={plotted.length}
      data-outside={outside}
    >
      <canvas
        ref={canvas}
        style={{ width: `${width}px`, height: `${height}px` }}
        aria-hidden="true"
      />
      <svg
        width={width}
        height={height}
        role="group"
        aria-label={label}
        onPointerMove={(event) => event.buttons === 0 && onRaise(at(placeOf(event))?.experimentId)}
        onPointerLeave={() => onRaise(undefined)}
        onClick={open}
      >
        {children}
        {plotted.length > 0 && <Raised {...props} />}
      </svg>
    </div>
  );
}

/** The raised experiment, the only one that is an element. */
function Raised({ plotted, axes, raised, onRaise, onOpen, outlineOf, look }: Props) {
  const best = plotted.toReversed();
  const found = best.findIndex(({ experimentId }) => experimentId === raised);
  const active = Math.max(0, found);
  const press = (event: KeyboardEvent) => {
    const next = stepTo(event, best, active);
    if (event.key === "Enter" && found >= 0) onOpen(best[found].experimentId);
    else if (next === undefined) return;
    else onRaise(best[next].experimentId);
    event.preventDefault();
    // Keeps the page from handling the arrows, too.
    event.stopPropagation();
  };
  return (
    <g
      class={`experiment-mark ${found < 0 ? "" : "raised"}`}
      role="link"
      tabIndex={0}
      aria-label={plottedText(best[active], axes)}
      onKeyDown={press}
      onFocus={() => found < 0 && onRaise(best[0].experimentId)}
      onBlur={() => onRaise(undefined)}
    >
      <path class={`halo ${look}`} d={outlineOf(best[active])} />
      <path class={look} d={outlineOf(best[active])} />
    </g>
  );
}
