import { signal } from "@preact/signals";

/** The place that all charts of a page show, in units of their axis. */
export interface Cursor {
  x: number;
  /** Whose pointer or keys put it there. */
  chart: string;
}

/** The chart that keys speak to: it was pointed at or focused last. */
export interface ActiveChart {
  name: string;
  /** To the next place that has a point, in its direction; what is there is said. */
  step: (direction: 1 | -1) => void;
  /** By this factor, around the cursor or the middle. */
  zoom: (factor: number) => void;
  /** As if the button that has this key were pressed. */
  press: (key: string) => void;
}

/** What the charts of a page have in common while somebody looks at them. */
export class Board {
  readonly cursor = signal<Cursor | undefined>(undefined);
  readonly active = signal<ActiveChart | undefined>(undefined);
  /** For those who hear the page. */
  readonly said = signal("");
}

/** The active chart; where there is none yet, the first one of the page becomes it. */
export function chartOf(board: Board): ActiveChart | undefined {
  if (board.active.value === undefined)
    document.querySelector<HTMLElement>(".chart .plot[tabindex]")?.focus();
  return board.active.value;
}
