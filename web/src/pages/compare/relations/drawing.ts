import type { Axis } from "./axis.ts";
import type { Brush, Brushes } from "./brushes.ts";
import type { ColourScale } from "./colour-scale.ts";
import type { Plotted } from "./plotted.ts";

/** Properties of both drawings. */
export interface DrawingProps {
  axes: readonly Axis[];
  /** In the order of painting: the best last. */
  plotted: readonly Plotted[];
  /** Undefined: experiments have their own colours. */
  colours: ColourScale | undefined;
  brushes: Brushes;
  onBrush: (changed: ReadonlyMap<string, Brush | undefined>) => void;
  raised: string | undefined;
  onRaise: (experimentId: string | undefined) => void;
  onOpen: (experimentId: string) => void;
}

/** Moves the focus from one experiment to the next by arrows: together they are one Tab stop. */
export function stepTo(
  event: KeyboardEvent,
  plotted: readonly Plotted[],
  at: number,
): number | undefined {
  if (event.ctrlKey || event.metaKey || event.altKey) return undefined;
  const last = plotted.length - 1;
  switch (event.key) {
    case "ArrowRight":
    case "ArrowDown":
      return Math.min(last, at + 1);
    case "ArrowLeft":
    case "ArrowUp":
      return Math.max(0, at - 1);
    case "Home":
      return 0;
    case "End":
      return last;
    default:
      return undefined;
  }
}
