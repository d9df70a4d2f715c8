import { useSignalEffect } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import type { Board } from "../chart/cursor/board.ts";
import type { Mark } from "../chart/lane/marks.ts";
import type { ChartView } from "../chart/view.ts";
import type { PageLocation } from "../location.ts";
import type { KeyList } from "../parts/key-help.tsx";
import { countText } from "../parts/words.ts";
import type { FirstItems } from "./first-items.ts";
import type { MediaExperiment } from "./media-experiment.ts";
import { sliderCursor, StepBoard } from "./step-board.ts";
import type { Logged } from "./use-logged.ts";

const mediaKeys: KeyList = [[", .", "show the media of the step before or after"]];

export interface Media {
  logged: Logged | undefined;
  /** Items that the page has asked for already. */
  first?: FirstItems | undefined;
  board: StepBoard;
  experiments: readonly MediaExperiment[];
  /** The events of the charts, with signs at the steps at which something was logged. */
  marks: readonly Mark[];
  keys: KeyList;
  isStepAxis: boolean;
  range: ChartView["range"];
  search: string;
}

/** The media of a page, in step with its charts. */
export function useMedia(
  location: PageLocation,
  experiments: readonly MediaExperiment[],
  { logged, first }: Pick<Media, "logged" | "first">,
  charts: Board,
  view: Pick<ChartView, "x" | "range">,
  events: readonly Mark[],
): Media {
  const search = location.parameter("m") ?? "";
  const isStepAxis = view.x.kind === "step";
  const at = stepOf(location);
  const board = useMemo(() => new StepBoard(charts, at), [charts]);
  useEffect(() => void (board.step.value = at), [board, at]);
  useSignalEffect(() => {
    if (!isStepAxis)
      return void (charts.step.value !== undefined && board.follow(charts.step.value));
    const cursor = charts.cursor.value;
    if (cursor !== undefined && cursor.chart !== sliderCursor) board.follow(cursor.x);
  });
  const show = (step: number) => {
    board.choose(step, isStepAxis);
    location.change({ step: String(step), media: undefined }, true);
    // It may have been closed, and is drawn with the next frame.
    requestAnimationFrame(() => document.querySelector("#media")?.scrollIntoView());
  };
  const steps = logged?.steps;
  const marks = useMemo(() => {
    if (steps === undefined) return events;
    const own = steps.map((step): Mark => ({
      kind: "media",
      words: `logged at step ${countText(step)}: click to see it`,
      step,
      show: () => show(step),
    }));
    // In place of the annotations of the same media.
    return [...events.filter(({ kind }) => kind !== "media"), ...own];
  }, [steps, isStepAxis, events]);
  const range = isStepAxis ? view.range : undefined;
  const keys = logged === undefined ? [] : mediaKeys;
  return { logged, first, board, experiments, marks, keys, isStepAxis, range, search };
}

/** The step that the address names. */
export function stepOf(location: PageLocation): number | undefined {
  const text = location.parameter("step");
  const step = text === undefined || text === "" ? NaN : Number(text);
  return Number.isSafeInteger(step) && step >= 0 ? step : undefined;
}
