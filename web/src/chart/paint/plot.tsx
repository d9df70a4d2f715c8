import type { OverviewReply } from "@lossless/client";
import { useSignalEffect, type Signal } from "@preact/signals";
import type { RefObject } from "preact";
import { useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { placeOf } from "../axes/axis-x.ts";
import { heightsOf } from "../axes/axis-y.ts";
import { moveTo, type ActiveChart, type Board, type Pointed } from "../cursor/board.ts";
import { dotsAt } from "../cursor/dots.ts";
import type { FrameInput } from "./frame-state.ts";
import { createFrame, type Frame } from "./frame.ts";
import type { LineLook } from "../lines/looks.ts";
import { nearestLine, nextPlace } from "../cursor/nearest.ts";
import { isSamePointed, meantLine, pointedLine } from "../cursor/pointed.ts";
import { rangeOf, zoomed } from "../axes/range.ts";
import { placeIn, readingsShown, sentenceOf, spokenAt } from "../cursor/readings.tsx";
import type { ChartView } from "../view.ts";
import { useTheme } from "./use-theme.ts";

interface Props {
  name: string;
  overview: OverviewReply;
  isCurrent: boolean;
  view: ChartView;
  looks: readonly LineLook[];
  digits: number;
  /** Whether there is room for names at the ends of lines. */
  hasNames: boolean;
  width: number;
  height: number;
  board: Board;
  onView: FrameInput["onView"];
  /** The line under the pointer; when it changes only the readings are drawn anew. */
  raised: Signal<number | undefined>;
}

/** The plot itself: made once for its size and axes, then updated with other columns. */
export function Plot(props: Props) {
  const { name, overview, isCurrent, view, looks, width, height, board } = props;
  const kinds = useMemo(() => looks.map(({ kind }) => kind), [looks]);
  const names = useMemo(
    () => (props.hasNames ? looks.map((look) => look.name) : undefined),
    [looks, props.hasNames],
  );
  const place = useRef<HTMLDivElement>(null);
  const frame = useRef<Frame>(undefined);
  const latest = useRef(props);
  latest.current = props;
  const theme = useTheme();
  const axes = `${overview.xAxis} ${overview.xScale}`;
  const isPointed = useRef(false);
  const isHeld = () => board.held.value?.chart === name;
  const point = (pointed: { x: number; top: number } | undefined) => {
    if (!isHeld()) board.cursor.value = pointed && { ...pointed, chart: name };
    const { overview: shown, raised } = latest.current;
    const isOne = shown.series.length < 2;
    isPointed.current = pointed !== undefined;
    raised.value =
      pointed === undefined || isOne
        ? undefined
        : nearestLine(shown, pointed, frame.current!.topOf);
    frame.current?.raise(raised.value, isPointed.current);
    tellPointed(board, pointedLine(shown, raised.value, name));
  };
  const read = () => {
    const [x, line] = [board.place.value?.x, props.raised.value];
    const { overview: drawn, looks: own } = latest.current;
    frame.current?.point(x, dotsAt(drawn, own, placeIn(drawn, x), line, readingsShown));
  };
  const choose = (x: number) => {
    if (isHeld()) moveTo(board, { x, chart: name });
  };
  useLayoutEffect(() => {
    const onView: FrameInput["onView"] = (part, isStep) => latest.current.onView(part, isStep);
    const shown = { overview, isCurrent, view, kinds, names };
    const input = { ...shown, width, height, onView, onPointer: point, onChoose: choose };
    frame.current = createFrame(place.current!, input);
    read();
    return () => {
      frame.current?.destroy();
      frame.current = undefined;
    };
  }, [view.y, thresholdOf(props), width, height, props.hasNames, axes, theme]);
  useLayoutEffect(
    () => frame.current?.show({ overview, isCurrent, view, kinds, names }),
    [overview, isCurrent, kinds, names, JSON.stringify(view)],
  );
  useLayoutEffect(read, [overview, looks]);
  useSignalEffect(read);
  usePointed(latest, board);
  // A list raises lines, too.
  useSignalEffect(() => frame.current?.raise(props.raised.value, isPointed.current));
  useActivation(place, latest, board);
  return (
    <div
      class="plot"
      ref={place}
      role="img"
      tabIndex={0}
      aria-label={`${name}: ${sentenceOf(overview, looks)}`}
    />
  );
}

/** Tells the other charts and lists; while the pointer stays at a line, nothing is drawn anew. */
function tellPointed(board: Board, pointed: Pointed | undefined): void {
  if (!isSamePointed(board.pointed.peek(), pointed)) board.pointed.value = pointed;
}

/** Raises the line that another chart, or a list beside the charts, points at. */
function usePointed(latest: { current: Props }, board: Board): void {
  const isRaised = useRef(false);
  useSignalEffect(() => {
    const pointed = board.pointed.value;
    const { overview, raised, name } = latest.current;
    const isOwn = pointed?.line?.chart === name;
    if (isOwn || (pointed === undefined && !isRaised.current)) return;
    isRaised.current = pointed !== undefined;
    raised.value = pointed && meantLine(overview, pointed);
  });
  // A chart that goes, as one scrolled away, points at nothing.
  useLayoutEffect(
    () => () => {
      const { line } = board.pointed.peek() ?? {};
      if (line !== undefined && line.chart === latest.current.name) tellPointed(board, undefined);
    },
    [board],
  );
}

/** Makes the chart the active one when it is pointed at or focused. */
function useActivation(
  place: RefObject<HTMLElement | null>,
  latest: { current: Props },
  board: Board,
): void {
  useLayoutEffect(() => {
    const figure = place.current!.closest("figure")!;
    const activate = () => void (board.active.value = activeChart(latest, figure, board));
    figure.addEventListener("pointerenter", activate);
    figure.addEventListener("focusin", activate);
    return () => {
      figure.removeEventListener("pointerenter", activate);
      figure.removeEventListener("focusin", activate);
    };
  }, [board]);
}

/** The linear part of the axis, which must be made anew when it changes. */
function thresholdOf({ overview, view }: Props): number {
  return view.y === "symlog" ? heightsOf(overview, view).threshold : 0;
}

function activeChart(latest: { current: Props }, figure: HTMLElement, board: Board): ActiveChart {
  return {
    name: latest.current.name,
    step(direction) {
      const { overview, looks, digits, name } = latest.current;
      const x = nextPlace(overview, board.place.value?.x, direction);
      if (x === undefined) return;
      moveTo(board, { x, chart: name });
      board.said.value = spokenAt(overview, looks, x, digits);
    },
    zoom(factor) {
      const { overview, onView } = latest.current;
      const range = rangeOf(latest.current);
      const cursor = board.place.value;
      const at = cursor === undefined ? 0.5 : placeOf(range, overview.xScale, cursor.x);
      const isInside = at >= 0 && at <= 1;
      onView({ range: zoomed(overview, range, isInside ? at : 0.5, factor) }, true);
    },
    press(key) {
      figure.querySelector<HTMLElement>(`[aria-keyshortcuts="${key}"]`)?.click();
    },
  };
}
