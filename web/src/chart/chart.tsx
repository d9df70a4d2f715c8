import type { OverviewReply } from "@lossless/client";
import type { RefObject } from "preact";
import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Service } from "../signed-in.ts";
import { axisRange } from "./axis-x.ts";
import type { Board } from "./board.ts";
import { captionOf } from "./caption.ts";
import { margin } from "./draw.ts";
import { useFirstStep } from "./first-step.ts";
import { Lane } from "./lane.tsx";
import type { Anchors, Mark } from "./lane-marks.ts";
import { kindsInOrder } from "./lines.ts";
import { ChartMenu } from "./menu.tsx";
import { Numbers } from "./numbers.tsx";
import { useOverview } from "./overview.ts";
import { Plot } from "./plot.tsx";
import { csvAddress, questionOf } from "./question.ts";
import { Readings } from "./readings.tsx";
import type { ChartView, Choice } from "./view.ts";

interface Props {
  service: Service;
  experimentId: string;
  seriesName: string;
  /** Only these partitions. */
  choices: readonly Choice[];
  /** Grows when there are more points: then the chart asks again. */
  revision: number;
  view: ChartView;
  board: Board;
  marks: readonly Mark[];
  anchors: Anchors;
  isPinned: boolean;
  onPin: () => void;
  onView: (part: Partial<ChartView>, isStep: boolean) => void;
}

const plotHeight = 240;
/** What stands around the plot of a chart that has the whole screen. */
const aroundFullScreen = 150;

/** One series. It asks only while it is on the screen, or nearly. */
export function Chart(props: Props) {
  const { service, experimentId, seriesName, choices, revision, view, board } = props;
  const figure = useRef<HTMLElement>(null);
  const { width, height, isNear } = useSize(figure);
  const [raised, setRaised] = useState<number>();
  const [hasNumbers, setHasNumbers] = useState(false);
  const name = [seriesName, ...choices.map(({ key, value }) => `${key}=${value}`)].join(" · ");
  const plotWidth = width - margin.left - margin.right;
  const columns = Math.min(8_192, Math.max(1, Math.round(plotWidth * devicePixelRatio)));
  const question = questionOf(experimentId, seriesName, choices, view, columns);
  const isAsked = isNear && width > 0;
  const { overview, isCurrent, problem } = useOverview(
    service,
    isAsked ? question : undefined,
    revision,
  );
  const isOffset = isAsked && view.x.kind === "offset" && props.marks.length > 0;
  const firstStep = useFirstStep(service, experimentId, seriesName, isOffset);
  const isTogether = view.split.kind === "together";
  const kinds = useMemo(
    () => (overview === undefined ? [] : kindsInOrder(overview, isTogether)),
    [overview, isTogether],
  );
  const range = overview === undefined ? undefined : axisRange(overview);

  return (
    <figure class="chart" ref={figure} data-series={seriesName}>
      <figcaption>
        <h3>{name}</h3>
        {overview !== undefined && (
          <Readings {...{ service, question, overview, board, name, kinds, raised }} />
        )}
        <ChartMenu
          {...props}
          {...{ name, figure, hasNumbers, csv: csvAddress(question) }}
          onNumbers={() => setHasNumbers(!hasNumbers)}
        />
      </figcaption>
      {overview === undefined || range === undefined ? (
        <div class="plot" />
      ) : (
        <>
          <Plot
            {...{ name, overview, isCurrent, view, kinds, width, height, board }}
            onView={props.onView}
            onRaise={setRaised}
          />
          <Lane
            marks={props.marks.filter((mark) => (mark.seriesName ?? seriesName) === seriesName)}
            {...{ overview, range, anchors: { ...props.anchors, firstStep }, width: plotWidth }}
          />
        </>
      )}
      {hasNumbers && overview !== undefined && (
        <Numbers {...{ service, question, overview, name }} onClose={() => setHasNumbers(false)} />
      )}
      <p class="below">
        {captionOf(overview, view)} <Problems overview={overview} problem={problem} />
      </p>
    </figure>
  );
}

function Problems({
  overview,
  problem,
}: {
  overview: OverviewReply | undefined;
  problem: string | undefined;
}) {
  const damaged = overview?.series.flatMap(({ error }) => (error === undefined ? [] : [error]));
  const words = [problem, ...(damaged ?? []).map(({ message }) => message)].filter(Boolean);
  return words.length === 0 ? null : <span role="alert">{[...new Set(words)].join(" ")}</span>;
}

/** How much room there is, and whether anybody could see it. */
function useSize(figure: RefObject<HTMLElement | null>) {
  const [size, setSize] = useState({ width: 0, height: plotHeight });
  const [isNear, setIsNear] = useState(false);
  useLayoutEffect(() => {
    const element = figure.current!;
    const look = () => {
      const isFull = document.fullscreenElement === element;
      const height = isFull ? Math.max(plotHeight, innerHeight - aroundFullScreen) : plotHeight;
      setSize({ width: element.clientWidth, height });
    };
    const sized = new ResizeObserver(look);
    sized.observe(element);
    const near = new IntersectionObserver(([entry]) => setIsNear(entry?.isIntersecting === true), {
      rootMargin: "400px",
    });
    near.observe(element);
    return () => (sized.disconnect(), near.disconnect());
  }, []);
  return { ...size, isNear };
}
