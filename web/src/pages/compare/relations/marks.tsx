import type { ComponentChildren } from "preact";
import { useRef } from "preact/hooks";
import type { Axis } from "./axis.ts";
import { type DrawingProps, lookOf, stepTo } from "./drawing.ts";
import { type Plotted, plottedText } from "./plotted.ts";

interface Props extends Pick<DrawingProps, "plotted" | "raised" | "onRaise" | "onOpen"> {
  axes: readonly Axis[];
  label: string;
  draw: (one: Plotted) => ComponentChildren;
}

/** The experiments of a drawing: hover and focus raise one, a click or Enter opens it. */
export function Marks({ plotted, axes, raised, onRaise, onOpen, label, draw }: Props) {
  const group = useRef<SVGGElement>(null);
  const found = plotted.findIndex(({ experimentId }) => experimentId === raised);
  const active = found < 0 ? 0 : found;
  const press = (event: KeyboardEvent) => {
    const next = stepTo(event, plotted, active);
    if (event.key === "Enter" && found >= 0) onOpen(plotted[found].experimentId);
    else if (next === undefined) return;
    else group.current!.querySelectorAll<SVGGElement>("[role=link]")[next].focus();
    event.preventDefault();
    // Keeps the page from handling the arrows, too.
    event.stopPropagation();
  };
  const leave = ({ relatedTarget }: FocusEvent) => {
    const isInside = relatedTarget instanceof Node && group.current!.contains(relatedTarget);
    if (!isInside) onRaise(undefined);
  };
  return (
    <g ref={group} role="group" aria-label={label} onKeyDown={press}>
      {plotted.map((one, at) => (
        <g
          key={one.experimentId}
          class={`experiment-mark ${lookOf(one, raised)}`}
          role="link"
          tabIndex={at === active ? 0 : -1}
          aria-label={plottedText(one, axes)}
          onPointerEnter={() => onRaise(one.experimentId)}
          onPointerLeave={() => onRaise(undefined)}
          onFocus={() => onRaise(one.experimentId)}
          onBlur={leave}
          onClick={() => onOpen(one.experimentId)}
        >
          {draw(one)}
        </g>
      ))}
    </g>
  );
}
