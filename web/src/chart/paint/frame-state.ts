import type { OverviewReply } from "@lossless/client";
import type { Heights } from "../axes/axis-y.ts";
import type { Kind } from "../lines/colours.ts";
import type { ChartView } from "../view.ts";

/** Data of a chart, and callbacks. */
export interface FrameInput {
  overview: OverviewReply;
  /** Whether it is the overview of the view, and not of the previous one. */
  isCurrent: boolean;
  view: ChartView;
  /** Looks of the lines, in the order of the overview. */
  kinds: readonly Kind[];
  /** Names at the ends of lines; absent: there is no room for names. */
  names?: readonly string[] | undefined;
  width: number;
  height: number;
  /** Called with another range of x, or of y. */
  onView: (part: Pick<Partial<ChartView>, "range" | "heights">, isStep: boolean) => void;
  /** Called with the place under the pointer, and its height from the top; undefined: it left. */
  onPointer: (place: { x: number; top: number } | undefined) => void;
  /** Called with the place of a click or a tap. */
  onChoose?: (x: number) => void;
}

/** A frame with its present state. */
export interface FrameState extends FrameInput {
  raised: number | undefined;
  /** The ends of the drawn x axis. */
  range: [number, number];
  heights: Heights;
  /** Reads the place under a resting pointer, if the axis has moved beneath it. */
  pointAgain?: (cursor: number | undefined) => void;
}
