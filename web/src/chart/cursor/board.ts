import { computed, signal, type Signal } from "@preact/signals";

/** The place highlighted on all charts of a page, in units of their axis. */
export interface Cursor {
  x: number;
  /** The chart whose pointer or keys set it. */
  chart: string;
  /** The pointer's distance from the top of the plot, in CSS pixels. */
  top?: number;
}

/** The chart that keys apply to: the one last pointed at or focused. */
export interface ActiveChart {
  name: string;
  /** Moves the cursor to the next place with a point, and reads it out. */
  step: (direction: 1 | -1) => void;
  /** Zooms by this factor, around the cursor or the middle. */
  zoom: (factor: number) => void;
  /** Presses the button that has this key. */
  press: (key: string) => void;
}

/** A line of a chart, or a row of a list of experiments, under the pointer. */
export interface Pointed {
  /** One, or the members of a group. */
  experimentIds: readonly string[];
  /** The chart and the line there; undefined: a row of a list. */
  line?: { chart: string; metadata: Readonly<Record<string, string>> };
}

/** State shared by the charts of a page. */
export class Board {
  readonly cursor = signal<Cursor | undefined>(undefined);
  /** A place that stays while the pointer is elsewhere: that of an open list of values. */
  readonly held = signal<Cursor | undefined>(undefined);
  /** The place that all charts read. */
  readonly place = computed(() => this.cursor.value ?? this.held.value);
  readonly active = signal<ActiveChart | undefined>(undefined);
  /** The step of the point under the resting cursor, on axes that are not steps. */
  readonly step = signal<number | undefined>(undefined);
  /** The experiments whose lines are raised in all charts. */
  readonly pointed: Signal<Pointed | undefined>;
  /** Text for screen readers. */
  readonly said = signal("");

  constructor(pointed: Signal<Pointed | undefined> = signal(undefined)) {
    this.pointed = pointed;
  }
}

/** The active chart; if there is none yet, the first one of the page becomes active. */
export function chartOf(board: Board): ActiveChart | undefined {
  if (board.active.value === undefined)
    document.querySelector<HTMLElement>(".chart .plot[tabindex]")?.focus();
  return board.active.value;
}

/** Moves the cursor, or the place that an open list of the chart holds. */
export function moveTo(board: Board, place: Cursor): void {
  const { cursor, held } = board;
  if (held.value?.chart !== place.chart) return void (cursor.value = place);
  held.value = place;
  cursor.value = undefined;
}
