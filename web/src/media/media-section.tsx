import type { LoggedSeries } from "@lossless/client";
import { limits } from "@lossless/protocol/limits";
import { useCallback, useEffect, useMemo, useState } from "preact/hooks";
import type { PageLocation } from "../location.ts";
import { countText } from "../parts/words.ts";
import { usePageKeys } from "../parts/use-page-keys.ts";
import { namePattern } from "../pages/experiment/sections.ts";
import type { Service } from "../signed-in.ts";
import { FileQueue } from "./file-queue.ts";
import type { FirstItems } from "./first-items.ts";
import { isOfItems, seriesKey } from "./logged-series.ts";
import type { MediaExperiment } from "./media-experiment.ts";
import { MediaPanel } from "./media-panel.tsx";
import type { StepAxis } from "./series/step-axis.ts";
import type { StepBoard } from "./step-board.ts";
import { StepSlider } from "./step-slider.tsx";
import { stepBeside } from "./steps.ts";
import { FilesContext } from "./use-file.ts";
import type { Logged } from "./use-logged.ts";
import { useNearest } from "./use-nearest.ts";

export interface MediaSectionProps {
  service: Service;
  location: PageLocation;
  experiments: readonly MediaExperiment[];
  logged: Logged;
  first?: FirstItems | undefined;
  board: StepBoard;
  /** Names that are shown. */
  search: string;
  /** Whether the axis of the charts is steps, and its zoom. */
  isStepAxis: boolean;
  range: StepAxis | undefined;
}

/** The panels of what was logged beside numbers, and their slider. */
export function MediaSection(props: MediaSectionProps) {
  const { service, location, experiments, logged, first, board, search } = props;
  const { isStepAxis, range } = props;
  const files = useMemo(() => ({ service, queue: new FileQueue() }), [service]);
  const [near, note] = useNearSeries();
  const shown = useMemo(() => {
    const wanted = namePattern(search);
    return logged.series.filter(({ name }) => wanted.test(name));
  }, [logged.series, search]);
  const step = board.step.value;
  const nearest = {
    experimentIds: experiments.map(({ experimentId }) => experimentId),
    series: near.filter(isOfItems),
    // The nearest to the last possible step is the newest of each.
    step: step ?? limits.stepMax,
    version: String(logged.version),
  };
  const { known, problem } = useNearest(service, nearest, first);
  const choose = (next: number | undefined, isLast: boolean) => {
    board.choose(next, isStepAxis);
    // Each movement would be too much for the history of some browsers.
    if (isLast) location.change({ step: next === undefined ? undefined : String(next) });
  };
  const move = (direction: 1 | -1) => {
    const next = stepBeside(logged.steps, step, direction);
    if (next !== undefined) choose(next, true);
  };
  usePageKeys((event) => {
    if (event.key !== "," && event.key !== ".") return;
    event.preventDefault();
    move(event.key === "," ? -1 : 1);
  });
  useEffect(() => () => board.leave(), [board]);
  return (
    <FilesContext.Provider value={files}>
      {logged.found > logged.series.length && (
        <p class="count">
          Showing {countText(logged.series.length)} of {countText(logged.found)} series; the search
          finds the others.
        </p>
      )}
      {problem !== undefined && <p role="alert">not up to date: {problem}</p>}
      {shown.length === 0 && <p class="waiting">No media matches.</p>}
      <div class="media-panels">
        {shown.map((series) => (
          <MediaPanel
            key={seriesKey(series)}
            {...{ service, location, experiments, series, step, range }}
            items={known.get(seriesKey(series))}
            version={logged.version}
            onStep={(next) => choose(next, true)}
            onMove={move}
            onNear={note}
          />
        ))}
      </div>
      <StepSlider
        {...logged}
        step={step}
        onStep={choose}
        onMove={move}
        onLeave={() => board.leave()}
      />
    </FilesContext.Provider>
  );
}

/** The series whose panels are on the screen or nearby, and a function that says which are. */
function useNearSeries(): [LoggedSeries[], (series: LoggedSeries, isNear: boolean) => void] {
  const [near, setNear] = useState<ReadonlyMap<string, LoggedSeries>>(new Map());
  const note = useCallback((series: LoggedSeries, isNear: boolean) => {
    const key = seriesKey(series);
    setNear((before) => {
      if (before.has(key) === isNear) return before;
      const next = new Map(before);
      if (isNear) next.set(key, series);
      else next.delete(key);
      return next;
    });
  }, []);
  return [[...near.values()], note];
}
