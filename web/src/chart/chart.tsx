import type { OverviewReply } from "@lossless/client";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Service } from "../signed-in.ts";
import { countText, timeText, valueText } from "../parts/words.ts";
import { colourOf } from "./colours.ts";
import { drawChart, margin } from "./draw.ts";
import { countBelow, lastOf, readingAt } from "./heights.ts";

export interface ChartView {
  xAxis: "step" | "timestamp";
  range: { start: number; end: number } | undefined;
  isLog: boolean;
}

interface Props {
  service: Service;
  experimentId: string;
  seriesName: string;
  /** Grows when there are more points: then the chart asks again. */
  revision: number;
  view: ChartView;
  onZoom: (range: { start: number; end: number } | undefined) => void;
}

const plotHeight = 240;

/** One series. It asks only while it is on the screen, or nearly. */
export function Chart({ service, experimentId, seriesName, revision, view, onZoom }: Props) {
  const figure = useRef<HTMLElement>(null);
  const [width, setWidth] = useState(0);
  const [isNear, setIsNear] = useState(false);
  const [overview, setOverview] = useState<OverviewReply>();
  const [problem, setProblem] = useState<string>();
  const [cursor, setCursor] = useState<number>();
  const { xAxis, range, isLog } = view;

  useLayoutEffect(() => {
    const element = figure.current!;
    const sized = new ResizeObserver(() => setWidth(element.clientWidth));
    sized.observe(element);
    const near = new IntersectionObserver(([entry]) => setIsNear(entry?.isIntersecting === true), {
      rootMargin: "400px",
    });
    near.observe(element);
    return () => (sized.disconnect(), near.disconnect());
  }, []);

  useEffect(() => {
    if (!isNear || width === 0) return;
    const stopped = new AbortController();
    const pixels = (width - margin.left - margin.right) * devicePixelRatio;
    const columns = Math.min(8_192, Math.max(1, Math.round(pixels)));
    const body = { series: [{ experimentId, seriesName }], xAxis, columns, ...range };
    service.client.views.overview(body, stopped.signal).then(
      (reply) => (setOverview(reply), setProblem(undefined)),
      (error: unknown) => {
        if (!stopped.signal.aborted) setProblem(error instanceof Error ? error.message : "failed");
      },
    );
    return () => stopped.abort();
  }, [isNear, width, revision, xAxis, range?.start, range?.end, seriesName]);

  return (
    <figure class="chart" ref={figure}>
      <figcaption>
        <h3>{seriesName}</h3>
        <Readings overview={overview} cursor={cursor} />
      </figcaption>
      {overview !== undefined && width > 0 && (
        <Plot
          overview={overview}
          isLog={isLog}
          width={width}
          onZoom={onZoom}
          onCursor={setCursor}
        />
      )}
      <p class="below">
        {problem === undefined ? captionOf(overview, isLog) : <span role="alert">{problem}</span>}
      </p>
    </figure>
  );
}

interface PlotProps {
  overview: OverviewReply;
  isLog: boolean;
  width: number;
  onZoom: (range: { start: number; end: number } | undefined) => void;
  onCursor: (x: number | undefined) => void;
}

function Plot({ overview, isLog, width, onZoom, onCursor }: PlotProps) {
  const place = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const element = place.current!;
    const colours = overview.series.map((_, at) => colourOf(element, at));
    const shape = { overview, colours, isLog, width, height: plotHeight, onZoom, onCursor };
    const draw = () => drawChart(element, shape);
    let plot = draw();
    const theme = matchMedia("(prefers-color-scheme: dark)");
    const redraw = () => {
      plot.destroy();
      shape.colours = overview.series.map((_, at) => colourOf(element, at));
      plot = draw();
    };
    theme.addEventListener("change", redraw);
    return () => (theme.removeEventListener("change", redraw), plot.destroy());
  }, [overview, isLog, width]);
  const label = overview.series.map(sentenceOf).join(" ");
  return <div class="plot" ref={place} role="img" aria-label={label} />;
}

/** What the lines have under the cursor; without one, their last values. */
function Readings({
  overview,
  cursor,
}: {
  overview: OverviewReply | undefined;
  cursor: number | undefined;
}) {
  if (overview === undefined) return null;
  const { series, xAxis } = overview;
  const shown = series.slice(0, 8);
  const readings = shown.map((partition) =>
    cursor === undefined ? lastOf(partition) : readingAt(partition, overview, cursor),
  );
  const x = readings.find((reading) => reading !== undefined)?.x;
  return (
    <span class="readings">
      {cursor !== undefined && x !== undefined && (
        <span class="at">{xAxis === "step" ? `step ${countText(x)}` : timeText(x)}</span>
      )}
      {readings.map((reading, at) =>
        reading === undefined ? null : (
          <span key={at}>
            <i class={`swatch line-${at % 10}`} aria-hidden="true" />
            {series.length > 1 && (
              <span class="partition">{metaText(shown[at].metadata)}</span>
            )}{" "}
            {reading.min === reading.max
              ? valueText(reading.max)
              : `${valueText(reading.min)} … ${valueText(reading.max)}`}
          </span>
        ),
      )}
      {series.length > shown.length && <span>and {series.length - shown.length} more</span>}
    </span>
  );
}

function captionOf(overview: OverviewReply | undefined, isLog: boolean): string {
  if (overview === undefined) return "…";
  const { points, series } = overview;
  if (points === 0) return "no points in this range";
  const below = isLog ? countBelow(series) : 0;
  const dropped = below === 0 ? "" : `, ${countText(below)} places at or below 0`;
  return `${countText(points)} ${points === 1 ? "point" : "points, all considered"}${dropped}`;
}

function sentenceOf({ metadata, points, min, max }: OverviewReply["series"][number]): string {
  if (min === undefined || max === undefined) return "";
  const bounds = `least ${valueText(min.value)}, largest ${valueText(max.value)}`;
  return `${metaText(metadata)} ${countText(points)} points, ${bounds}.`.trim();
}

function metaText(meta: Readonly<Record<string, string>>): string {
  return Object.entries(meta)
    .map(([key, value]) => `${key}=${value}`)
    .join(" ");
}
