import type { OverviewReply } from "@lossless/client";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Service } from "../signed-in.ts";
import { countText, timeText, valueText } from "../parts/words.ts";
import { drawChart, kindsInOrder, margin, type DrawnChart } from "./draw.ts";
import { countBelow, lastOf, readingAt } from "./heights.ts";
import { useOverview } from "./overview.ts";
import type { ChartView } from "./view.ts";

interface Props {
  service: Service;
  experimentId: string;
  seriesName: string;
  /** Grows when there are more points: then the chart asks again. */
  revision: number;
  view: ChartView;
  isPinned: boolean;
  onPin: () => void;
  onView: (part: Partial<ChartView>) => void;
}

const plotHeight = 240;

/** One series. It asks only while it is on the screen, or nearly. */
export function Chart(props: Props) {
  const { service, experimentId, seriesName, revision, view, isPinned } = props;
  const figure = useRef<HTMLElement>(null);
  const [width, setWidth] = useState(0);
  const [isNear, setIsNear] = useState(false);
  const [cursor, setCursor] = useState<number>();
  const isLog = view.y === "log";
  const xAxis = view.x.kind === "time" ? ("timestamp" as const) : ("step" as const);

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

  const pixels = (width - margin.left - margin.right) * devicePixelRatio;
  const columns = Math.min(8_192, Math.max(1, Math.round(pixels)));
  const question = { series: [{ experimentId, seriesName }], xAxis, columns, ...view.range };
  const isAsked = isNear && width > 0;
  const { overview, problem } = useOverview(service, isAsked ? question : undefined, revision);

  return (
    <figure class="chart" ref={figure}>
      <figcaption>
        <h3>{seriesName}</h3>
        <Readings overview={overview} cursor={cursor} />
        <button type="button" class="quiet" aria-pressed={isPinned} onClick={props.onPin}>
          {isPinned ? "unpin" : "pin"}
        </button>
      </figcaption>
      {overview === undefined || !isAsked ? (
        <div class="plot" />
      ) : (
        <Plot
          overview={overview}
          isLog={isLog}
          width={width}
          onZoom={(range) => props.onView({ range })}
          onCursor={setCursor}
        />
      )}
      <p class="below">
        {captionOf(overview, isLog)} {problem !== undefined && <span role="alert">{problem}</span>}
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

/** The picture itself: made once for its size and axes, then given other columns. */
function Plot({ overview, isLog, width, onZoom, onCursor }: PlotProps) {
  const place = useRef<HTMLDivElement>(null);
  const drawn = useRef<DrawnChart>(undefined);
  useLayoutEffect(() => {
    const element = place.current!;
    const draw = () => {
      drawn.current?.destroy();
      const shape = { overview, isLog, width, height: plotHeight, onZoom, onCursor };
      drawn.current = drawChart(element, shape);
    };
    draw();
    const theme = matchMedia("(prefers-color-scheme: dark)");
    theme.addEventListener("change", draw);
    return () => {
      theme.removeEventListener("change", draw);
      drawn.current?.destroy();
      drawn.current = undefined;
    };
  }, [isLog, width, overview.xAxis]);
  useLayoutEffect(() => drawn.current?.show(overview), [overview]);
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
  const kinds = kindsInOrder(overview);
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
            <i class={`swatch line-${kinds[at].colour}`} aria-hidden="true" />
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
