import type { OverviewReply } from "@lossless/client";
import type { SeriesOperator } from "@lossless/protocol";
import type { RefObject } from "preact";
import { useSignal } from "@preact/signals";
import { useRef, useState } from "preact/hooks";
import { chartBlock, type LiveQuery } from "../saved/chart-block.ts";
import { breakable } from "../parts/breakable.tsx";
import { Loaded } from "../parts/loaded.tsx";
import type { Service } from "../signed-in.ts";
import type { Board } from "./cursor/board.ts";
import type { Cut } from "./cut.ts";
import { useFirstStep } from "./overview/first-step.ts";
import type { Found } from "./groups/found-groups.ts";
import { Lane } from "./lane/lane.tsx";
import { marksFor, placedMarks, type Anchors, type Mark } from "./lane/marks.ts";
import { useLastCursor } from "./cursor/last-cursor.ts";
import type { Member } from "./lines/looks.ts";
import { ChartMenu } from "./menu.tsx";
import { PlotWithValues } from "./plot-with-values.tsx";
import { type LoadedChart, useChartData } from "./use-chart-data.ts";
import { useFocusAgain } from "./focus-again.ts";
import { useOpenValues } from "./open-values.ts";
import { Readings } from "./cursor/readings.tsx";
import { seriesNamesText } from "./series-names.ts";
import { useChartSize } from "./size.ts";
import { nearestPoint } from "./overview/nearest-point.ts";
import type { ChartView, Choice } from "./view.ts";

export interface ChartProps {
  service: Service;
  seriesName: string;
  /** Further series on the same axes. */
  others?: readonly string[];
  /** Combines the series with the only other one. */
  operator?: SeriesOperator | undefined;
  /** Undefined: the names of its series. */
  title?: string | undefined;
  /** Undefined: by its width. */
  plotHeight?: number | undefined;
  /** The experiments whose series it is. */
  members: readonly Member[];
  /** Set when they are only the first of those found. */
  cut?: Cut | undefined;
  /** All that the page finds, over which groups are made. */
  found?: Found | undefined;
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
  /** Undefined: it is shown. */
  isHidden?: boolean | undefined;
  /** Hides it, or shows it again. */
  onHide: () => void;
  /** Opens its settings: metrics, axes, size. */
  onArrange: () => void;
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
  const { service, seriesName, others = [], members, marked, board } = props;
  const figure = useRef<HTMLElement>(null);
  const { width, height, isNear, lastHeight } = useChartSize(figure, props.plotHeight);
  const raised = useSignal<number | undefined>(undefined);
  const [hasNumbers, setHasNumbers] = useState(false);
  const showNumbers = useFocusAgain(figure, setHasNumbers);
  const values = useOpenValues(figure);
  const name = nameOf(props);
  const data = useChartData(props, isNear ? width : 0);
  const { request, overview, isCurrent, view, hasNames, plotWidth } = data;
  const common = { name, board, looks: data.looks, digits: data.digits, raised };
  const isOffset = isNear && view.x.kind === "offset" && props.marks.length > 0;
  const firstStep = useFirstStep(service, isOffset ? marked : undefined, seriesName);
  const anchors = { ...props.anchors, firstStep };
  const happened =
    overview && placedMarks(marksFor([seriesName, ...others], props.marks), overview, anchors);
  const cursor = useLastCursor(board, JSON.stringify(view.x));
  const { onAnnotate, onConsole } = props;
  const pointed = () => cursor.current && nearestPoint(service, request, cursor.current.x);
  const annotate = onAnnotate && (() => onAnnotate(pointed()?.then((point) => point?.step)));
  const openConsole = onConsole && (() => onConsole(pointed()?.then((point) => point?.timeMs)));

  if (!isNear) return farFigure({ figure, seriesName, name, lastHeight });
  return (
    <figure class="chart" ref={figure} data-series={seriesName} tabIndex={-1}>
      <figcaption>
        <h3>{breakable(name)}</h3>
        {overview && <Readings {...common} {...values} {...{ service, request, overview }} />}
        <ChartMenu
          {...props}
          {...{ ...values, name, figure, hasNumbers, request }}
          picture={happened && { ...props, name, happened }}
          isGrouped={view.group !== undefined}
          groups={() => data.part?.groupRows(overview, data.looks, view) ?? []}
          onNumbers={() => showNumbers(!hasNumbers)}
          isOfSeveral={overview !== undefined && overview.series.length > 1}
          onAnnotate={annotate}
          onConsole={openConsole}
          block={chartBlock({ ...props, view, title: props.part ? name : props.title })}
        />
      </figcaption>
      {overview === undefined || happened === undefined ? (
        <Room height={height} />
      ) : (
        <>
          <PlotWithValues
            {...common}
            {...{ overview, isCurrent, view, hasNames, width, height }}
            onView={props.onView}
          />
          {data.part && <data.part.MemberList {...common} overview={overview} />}
          <Lane {...{ happened, overview, width: plotWidth, isWhole: view.range === undefined }} />
        </>
      )}
      {values.hasValues && overview && (
        <Loaded load={loadList} props={{ ...common, ...values, overview, last: cursor }} />
      )}
      {hasNumbers && overview !== undefined && (
        <Loaded
          load={loadTable}
          props={{ service, request, overview, members, name, onClose: () => showNumbers(false) }}
        />
      )}
      <Below {...{ ...props, data }} />
    </figure>
  );
}

/** The room of a plot and of a lane that are not read yet, so that nothing moves when they come. */
function Room({ height }: { height: number }) {
  return (
    <>
      <div class="plot" style={{ height: `${height}px` }} />
      <div class="lane-room" />
    </>
  );
}

/** Loaded when it is first opened. */
const loadList = async () => (await import("./cursor/value-list.tsx")).ValueList;

function nameOf({ seriesName, others = [], operator, ...props }: ChartProps): string {
  const { title, part, choices } = props;
  const chosen = choices.map(({ key, value }) => `${key}=${value}`);
  const names = title ?? seriesNamesText([seriesName, ...others], operator);
  return [names, part, ...chosen].filter(Boolean).join(" · ");
}

/** Describes the drawing. Of groups a chart draws some members, and the table has all. */
function Below({ service, data, found, seriesName }: ChartProps & { data: LoadedChart }) {
  const { part, view, caption, overview, problem } = data;
  // Guests have no table.
  const isMember = service.visit === undefined;
  const address = isMember && view.group && part?.groupsAddress(found, view.group, seriesName);
  return (
    <p class="below">
      {caption} {address && <a href={address}>all members in the table</a>}{" "}
      <Problems overview={overview} problem={problem} />
    </p>
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
      style={lastHeight === undefined ? {} : { minHeight: `${lastHeight}px` }}
    >
      <figcaption>
        <h3>{breakable(name)}</h3>
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

const loadTable = () => import("./points-table.tsx").then(({ PointsTable }) => PointsTable);
