import type { OverviewReply } from "@lossless/client";
import type { Heights } from "./axis-y.ts";
import type { Kind } from "./colours.ts";
import type { ChartView } from "./view.ts";

/** What a chart is drawn from, and whom it tells. */
export interface Drawing {
  overview: OverviewReply;
  /** Whether it is that of the view, and not of the one before. */
  isCurrent: boolean;
  view: ChartView;
  /** What its lines look like, in the order of the overview. */
  kinds: readonly Kind[];
  /** What they are called at their ends; left out: there is no room for names. */
  names?: readonly string[] | undefined;
  width: number;
  height: number;
  /** Another range of x, or of y. */
  onView: (part: Pick<Partial<ChartView>, "range" | "heights">, isStep: boolean) => void;
  /** The place under the pointer, and its height from the top; undefined: it is elsewhere. */
  onPointer: (place: { x: number; top: number } | undefined) => void;
}

/** What is drawn, and how it stands at this moment. */
export interface Shown extends Drawing {
  raised: number | undefined;
  /** Both ends of the x axis as they are drawn. */
  range: [number, number];
  heights: Heights;
}
