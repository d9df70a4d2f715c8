import { type Signal, signal } from "@preact/signals";
import type { Board } from "../chart/cursor/board.ts";

/** The cursor of the slider, among those of the charts. */
export const sliderCursor = "media";

/**
 * The step of all media of a page: chosen with the slider, by a sign below a chart, or by the
 * cursor of the charts. Without one the newest of each series is shown.
 */
export class StepBoard {
  readonly step: Signal<number | undefined>;
  readonly #charts: Board;

  constructor(charts: Board, step: number | undefined) {
    this.step = signal(step);
    this.#charts = charts;
  }

  /** Shows a step; `hasCursor`: the axes of the charts are steps, and show it, too. */
  choose(step: number | undefined, hasCursor: boolean): void {
    this.step.value = step;
    const cursor = this.#charts.cursor.peek();
    if (step !== undefined && hasCursor)
      this.#charts.cursor.value = { x: step, chart: sliderCursor };
    else if (cursor?.chart === sliderCursor) this.#charts.cursor.value = undefined;
  }

  /** Takes the cursor away that the slider has set. */
  leave(): void {
    if (this.#charts.cursor.peek()?.chart === sliderCursor) this.#charts.cursor.value = undefined;
  }

  /** Follows the pointer on a chart; the step stays when the pointer leaves, on its way to here. */
  follow(place: number): void {
    const step = Math.max(0, Math.round(place));
    if (Number.isSafeInteger(step)) this.step.value = step;
  }
}
