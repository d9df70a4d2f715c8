import type { LoggedSeries } from "@lossless/client";
import type { MediaBlock } from "@lossless/protocol";
import { limits } from "@lossless/protocol/limits";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { PageLocation } from "../location.ts";
import { Menu } from "../parts/menu.tsx";
import { countedText, countText } from "../parts/words.ts";
import { mayWrite } from "../rights.ts";
import { AddToReport } from "../saved/add-to-report.tsx";
import type { Service } from "../signed-in.ts";
import { toggleFullScreen } from "./items/full-screen.ts";
import { Item } from "./items/item.tsx";
import { isOfItems, type MediaItem, type MediaSeries, stepText } from "./logged-series.ts";
import type { MediaExperiment } from "./media-experiment.ts";
import type { SeriesItems } from "./nearest-items.ts";
import { RunName } from "./run-name.tsx";
import { HistogramPanel } from "./series/histogram-panel.tsx";
import type { StepAxis } from "./series/step-axis.ts";
import { TextLanes } from "./series/text-panel.tsx";
import { TablesPanel } from "./tables/tables-panel.tsx";
import { useNear } from "./use-near.ts";

interface Props {
  service: Service;
  location: PageLocation;
  experiments: readonly MediaExperiment[];
  series: MediaSeries;
  /** Undefined until they are read. */
  items: SeriesItems | undefined;
  /** The chosen step; undefined: the newest of each series. */
  step: number | undefined;
  version: number;
  range: StepAxis | undefined;
  onStep: (step: number) => void;
  /** Goes to the step beside the present one. */
  onMove: (direction: 1 | -1) => void;
  /** Called when the panel comes near the screen, and when it goes. */
  onNear: (series: LoggedSeries, isNear: boolean) => void;
}

/** A series of media: what each experiment logged at the step, or the one nearest to it. */
export function MediaPanel(props: Props) {
  const { service, series, experiments, onNear, onMove } = props;
  const [isReported, setIsReported] = useState(false);
  const { kind, name } = series;
  const figure = useRef<HTMLElement>(null);
  const isNear = useNear(figure, 400);
  const lastHeight = useLastHeight(figure, isNear);
  useLayoutEffect(() => {
    onNear({ kind, name }, isNear);
    return () => onNear({ kind, name }, false);
  }, [isNear]);
  const press = (event: KeyboardEvent) => {
    // Charts have the arrows of the page; in full screen only this panel is there.
    if (document.fullscreenElement === null) return;
    if (event.key !== "ArrowLeft" && event.key !== "ArrowRight") return;
    event.preventDefault();
    event.stopPropagation();
    onMove(event.key === "ArrowLeft" ? -1 : 1);
  };
  const isWide = experiments.length > 1 || kind === "table" || kind === "text";
  return (
    <figure
      class="media-panel"
      ref={figure}
      data-series={name}
      data-kind={kind}
      data-wide={isWide}
      tabIndex={-1}
      style={isNear ? {} : { minHeight: lastHeight }}
      onKeyDown={press}
    >
      <figcaption>
        <h3>{name}</h3>
        <span class="count">{headText(props)}</span>
        <Menu sign="⋯" label={`Menu of ${name}, ${kind}`} place="corner">
          <button type="button" onClick={() => onMove(-1)}>
            previous step
          </button>
          <button type="button" onClick={() => onMove(1)}>
            next step
          </button>
          <button type="button" onClick={() => toggleFullScreen(figure)}>
            full screen
          </button>
          {isOfItems(series) && mayWrite(service) && (
            <button type="button" onClick={() => setIsReported(true)}>
              add to a report…
            </button>
          )}
        </Menu>
      </figcaption>
      {isReported && (
        <AddToReport
          service={service}
          block={mediaBlock(props)}
          onClose={() => setIsReported(false)}
        />
      )}
      {kind === "histogram" && <HistogramPanel {...{ ...props, name, isNear }} />}
      {kind === "text" && <TextLanes {...{ ...props, name, isNear }} />}
      {isOfItems(series) && isNear && kind !== "table" && <Runs {...props} />}
      {kind === "table" && isNear && (
        <TablesPanel {...{ ...props, name }}>
          <Runs {...props} />
        </TablesPanel>
      )}
    </figure>
  );
}

/** The content of a panel, as a block of a report. */
function mediaBlock({ series: { kind, name }, experiments, step }: Props): MediaBlock {
  const ids = experiments.map(({ experimentId }) => experimentId);
  return {
    kind: "media",
    experimentIds: ids.slice(0, limits.reportExperimentsMax),
    media: kind,
    name,
    title: "",
    ...(step !== undefined && { step }),
  };
}

/** The height that a panel had when it was near, so that nothing moves. */
function useLastHeight(figure: { current: HTMLElement | null }, isNear: boolean) {
  const last = useRef<number>(undefined);
  useLayoutEffect(() => {
    const element = figure.current!;
    if (!isNear) return;
    return () => void (last.current = element.offsetHeight);
  }, [isNear]);
  return last.current;
}

/** The step for which items were read; undefined: the newest. */
function wantedStep({ step }: SeriesItems): number | undefined {
  return step === limits.stepMax ? undefined : step;
}

function headText({ series, experiments, items }: Props): string {
  const { kind, lastStep, firstStep, items: count } = series;
  const found =
    experiments.length === 1 ? items?.byExperiment.get(experiments[0].experimentId) : [];
  if (isOfItems(series) && found?.[0] !== undefined)
    return stepText(found[0].step, wantedStep(items!));
  const steps =
    firstStep === lastStep
      ? `step ${countText(lastStep)}`
      : `steps ${countText(firstStep)} to ${countText(lastStep)}`;
  return kind === "histogram" ? `${countedText(count, "histogram")}, ${steps}` : steps;
}

/** Experiments shown at first: a comparison may have a hundred. */
const runsAtOnce = 24;

function Runs({ series, experiments, items }: Props) {
  const [shown, setShown] = useState(runsAtOnce);
  if (items === undefined) return <p class="waiting">…</p>;
  const having = experiments.filter(({ experimentId }) => items.byExperiment.has(experimentId));
  const without = experiments.length - having.length;
  const rest = having.length - shown;
  return (
    <>
      <div class="runs" data-kind={series.kind}>
        {having.slice(0, shown).map(({ experimentId }) => (
          <Run
            key={experimentId}
            {...{ series, experiments, experimentId }}
            wanted={wantedStep(items)}
            items={items.byExperiment.get(experimentId)!}
          />
        ))}
      </div>
      {rest > 0 && (
        <button type="button" onClick={() => setShown(shown + runsAtOnce)}>
          show {countText(Math.min(rest, runsAtOnce))} more experiments
        </button>
      )}
      {without > 0 && (
        <p class="count">{countedText(without, "experiment")} logged none of these.</p>
      )}
    </>
  );
}

/** Pictures of one step shown at first: one call may log 108. */
const itemsAtOnce = 8;

interface RunProps extends Pick<Props, "series" | "experiments"> {
  experimentId: string;
  items: readonly MediaItem[];
  wanted: number | undefined;
}

function Run({ series, experiments, experimentId, items, wanted }: RunProps) {
  const [isWhole, setIsWhole] = useState(false);
  const isOne = experiments.length === 1;
  const name = experiments.find((one) => one.experimentId === experimentId)?.name;
  const shown = isWhole ? items : items.slice(0, itemsAtOnce);
  const rest = items.length - shown.length;
  return (
    <section class="run" aria-label={isOne ? series.name : `${series.name} of ${name}`}>
      {!isOne && (
        <RunName {...{ experiments, experimentId }} note={stepText(items[0].step, wanted)} />
      )}
      <div class="items">
        {shown.map((item, at) => (
          <Item key={at} series={series} item={item} of={items.length} />
        ))}
      </div>
      {rest > 0 && (
        <button type="button" onClick={() => setIsWhole(true)}>
          show {countText(rest)} more
        </button>
      )}
    </section>
  );
}
