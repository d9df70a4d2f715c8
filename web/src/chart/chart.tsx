import type { OverviewReply } from "@lossless/client";
import type { RefObject } from "preact";
import { useSignal } from "@preact/signals";
import { useRef, useState } from "preact/hooks";
import { chartBlock, type LiveQuery } from "../saved/chart-block.ts";
import type { Service } from "../signed-in.ts";
import type { Board } from "./cursor/board.ts";
import type { Cut } from "./cut.ts";
import { useFirstStep } from "./overview/first-step.ts";
import { groupRows } from "./groups/group-rows.ts";
import { Lane } from "./lane/lane.tsx";
import { marksFor, placedMarks, type Anchors, type Mark } from "./lane/marks.ts";
import { useLastCursor } from "./cursor/last-cursor.ts";
import type { Member } from "./lines/looks.ts";
import { ChartMenu } from "./menu.tsx";
import { PointsTable } from "./points-table.tsx";
import { Plot } from "./paint/plot.tsx";
import { useChartData } from "./use-chart-data.ts";
import { csvAddress } from "./overview/request.ts";
import { useFocusAgain } from "./focus-again.ts";
import { Readings } from "./cursor/readings.tsx";
import { useChartSize } from "./size.ts";
import { nearestPoint } from "./overview/nearest-point.ts";
import type { ChartView, Choice } from "./view.ts";

export interface ChartProps {
  service: Service;
  seriesName: string;
  /** The experiments whose series it is. */
  members: readonly Member[];
  /** Set when they are only the first of those found. */
  cut?: Cut | undefined;
  /** The common value of its experiments, among several charts of the series. */
  part?: string;
  /** Shows only these partitions. */
  choices: readonly Choice[];
  view: ChartView;
  board: Board;
  /** Marks of one of the experiments. */
  marks: readonly Mark[];
  marked: string | undefined;
  anchors: Anchors;
  isPinned: boolean;
  onPin: () => void;
  /** The query that finds the experiments, if any; else they are named. */
  live?: LiveQuery | undefined;
  onView: (part: Partial<ChartView>, isStep: boolean) => void;
  /**
   * Opens the form for an annotation at a step, or at none; undefined: annotations are not
   * possible.
   */
  onAnnotate?: (step: Promise<number | undefined> | undefined) => void;
  /** Opens the console at the cursor's time, or at its end; undefined: of several experiments. */
  onConsole?: ((time: Promise<number | undefined> | undefined) => void) | undefined;
  /** Trashes the whole series; undefined: it is of several experiments. */
  onDelete?: (() => void) | undefined;
}

/**
 * A series of one experiment or of several. Data is requested only while the chart is on the screen
 * or nearby.
 */
export function Chart(props: ChartProps) {
  const { service, seriesName, members, choices, marked, board } = props;
  const figure = useRef<HTMLElement>(null);
  const { width, height, isNear, lastHeight } = useChartSize(figure);
  const raised = useSignal<number | undefined>(undefined);
  const [hasNumbers, setHasNumbers] = useState(false);
  const showNumbers = useFocusAgain(figure, setHasNumbers);
  const chosen = choices.map(({ key, value }) => `${key}=${value}`);
  const name = [seriesName, props.part, ...chosen].filter(Boolean).join(" · ");
  const data = useChartData(props, isNear ? width : 0);
  const { request, overview, isCurrent, problem, view, hasNames, plotWidth } = data;
  const { looks, digits } = data;
  const common = { name, board, looks, digits, raised };
  const isOffset = isNear && view.x.kind === "offset" && props.marks.length > 0;
  const firstStep = useFirstStep(service, isOffset ? marked : undefined, seriesName);
  const anchors = { ...props.anchors, firstStep };
  const happened = overview && placedMarks(marksFor(seriesName, props.marks), overview, anchors);
  const cursor = useLastCursor(board, JSON.stringify(view.x));
  const { onAnnotate, onConsole } = props;
  const pointed = () => cursor.current && nearestPoint(service, request, cursor.current.x);
  const annotate = onAnnotate && (() => onAnnotate(pointed()?.then((point) => point?.step)));
  const openConsole = onConsole && (() => onConsole(pointed()?.then((point) => point?.timeMs)));

  if (!isNear) return farFigure({ figure, seriesName, name, lastHeight });
  return (
    <figure class="chart" ref={figure} data-series={seriesName} tabIndex={-1}>
      <figcaption>
        <h3>{name}</h3>
        {overview !== undefined && <Readings {...common} {...{ service, request, overview }} />}
        <ChartMenu
          {...props}
          {...{ name, figure, hasNumbers, csv: csvAddress(request) }}
          isGrouped={view.group !== undefined}
          groups={() => groupRows(overview, looks, view)}
          onNumbers={() => showNumbers(!hasNumbers)}
          onAnnotate={annotate}
          onConsole={openConsole}
          block={chartBlock({ ...props, view, title: props.part ? name : "" })}
        />
      </figcaption>
      {overview === undefined || happened === undefined ? (
        <div class="plot" />
      ) : (
        <>
          <Plot
            {...common}
            {...{ overview, isCurrent, view, hasNames, width, height }}
            onView={props.onView}
          />
          <Lane {...{ happened, overview, width: plotWidth, isWhole: view.range === undefined }} />
        </>
      )}
      {hasNumbers && overview !== undefined && (
        <PointsTable
          {...{ service, request, overview, members, name }}
          onClose={() => showNumbers(false)}
        />
      )}
      <p class="below">
        {data.caption} <Problems overview={overview} problem={problem} />
      </p>
    </figure>
  );
}

interface FarProps {
  figure: RefObject<HTMLElement | null>;
  seriesName: string;
  name: string;
  lastHeight: number | undefined;
}

/**
 * The placeholder of a distant chart, as a page may have thousands: its name, with the room of the
 * chart. It is a Tab stop, which brings it near; a near chart has stops of its own. Not a
 * component, so that figure and name stay the same elements: one may have the focus, and the other
 * be a match of the browser's search.
 */
function farFigure({ figure, seriesName, name, lastHeight }: FarProps) {
  return (
    <figure
      class="chart"
      ref={figure}
      data-series={seriesName}
      tabIndex={0}
      style={{ minHeight: lastHeight }}
    >
      <figcaption>
        <h3>{name}</h3>
      </figcaption>
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
