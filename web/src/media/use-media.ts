import { useSignalEffect } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import type { Board } from "../chart/cursor/board.ts";
import type { Mark } from "../chart/lane/marks.ts";
import type { ChartView } from "../chart/view.ts";
import type { PageLocation } from "../location.ts";
import type { KeyList } from "../parts/key-help.tsx";
import { countText } from "../parts/words.ts";
import type { Service } from "../signed-in.ts";
import type { MediaExperiment } from "./media-experiment.ts";
import { sliderCursor, StepBoard } from "./step-board.ts";
import { type Logged, useLogged } from "./use-logged.ts";

const mediaKeys: KeyList = [[", .", "show the media of the step before or after"]];

export interface Media {
  logged: Logged | undefined;
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
  service: Service,
  location: PageLocation,
  experiments: readonly MediaExperiment[],
  charts: Board,
  view: Pick<ChartView, "x" | "range">,
  events: readonly Mark[],
): Media {
  const search = location.parameter("m") ?? "";
  const logged = useLogged(service, experiments, search);
  const board = useMemo(() => new StepBoard(charts), [charts]);
  const isStepAxis = view.x.kind === "step";
  const at = stepIn(location.parameter("step"));
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
  return { logged, board, experiments, marks, keys, isStepAxis, range, search };
}

function stepIn(text: string | undefined): number | undefined {
  const step = text === undefined || text === "" ? NaN : Number(text);
  return Number.isSafeInteger(step) && step >= 0 ? step : undefined;
}
