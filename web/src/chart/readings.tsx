import type { OverviewBody, OverviewReply } from "@lossless/client";
import type { Service } from "../signed-in.ts";
import { countText, valueText } from "../parts/words.ts";
import { axisRange, lastOf, readingAt } from "./axis-x.ts";
import type { Board } from "./board.ts";
import type { Kind } from "./colours.ts";
import type { Partition } from "./paint.ts";
import { usePlaceTold } from "./place-told.ts";
import { placeText, readingText } from "./reading-text.ts";

/** More values beside a name would be a table, and there is one. */
const readingsShown = 6;

interface Props {
  service: Service;
  question: OverviewBody;
  overview: OverviewReply;
  board: Board;
  /** What the chart is called. */
  name: string;
  kinds: readonly Kind[];
  /** The line that stands first because it is nearest to the pointer. */
  raised: number | undefined;
}

/** What the lines have under the cursor; without one, their last values. */
export function Readings({ service, question, overview, board, name, kinds, raised }: Props) {
  const { series } = overview;
  const place = board.cursor.value;
  const [start, end] = axisRange(overview);
  const isInside = place !== undefined && place.x >= start && place.x <= end;
  const cursor = isInside ? place.x : undefined;
  const told = usePlaceTold(service, question, place?.chart === name ? cursor : undefined);
  const order = [...series.keys()].slice(0, readingsShown);
  if (raised !== undefined && !order.includes(raised)) order[readingsShown - 1] = raised;
  const readings = order.map((at) => ({ at, reading: readingOf(series[at], overview, cursor) }));
  const x = readings.find(({ reading }) => reading !== undefined)?.reading?.x;
  return (
    <div class={series.length > 1 ? "readings several" : "readings"}>
      {cursor !== undefined && x !== undefined && (
        <span class="at" title={told}>
          {[placeText(overview, x), told].filter(Boolean).join(", ")}
        </span>
      )}
      {readings.map(
        ({ at, reading }) =>
          reading !== undefined && (
            <span key={at} class={raised === at ? "raised" : ""}>
              <i
                class={`swatch line-${kinds[at].colour} pattern-${kinds[at].pattern}`}
                aria-hidden="true"
              />
              {series.length > 1 && <span class="partition">{metaText(series[at].metadata)}</span>}{" "}
              {readingText(overview, reading, x)}
            </span>
          ),
      )}
      {series.length > readings.length && (
        <span class="partition">and {countText(series.length - readings.length)} more</span>
      )}
    </div>
  );
}

function readingOf(partition: Partition, overview: OverviewReply, cursor: number | undefined) {
  return cursor === undefined ? lastOf(partition) : readingAt(partition, overview, cursor);
}

export function metaText(meta: Readonly<Record<string, string>>): string {
  return Object.entries(meta)
    .map(([key, value]) => `${key}=${value}`)
    .join(" ");
}

/** A line for those who do not see it. */
export function sentenceOf({ metadata, points, min, max }: Partition): string {
  if (min === undefined || max === undefined) return "";
  const bounds = `least ${valueText(min.value)}, largest ${valueText(max.value)}`;
  return `${metaText(metadata)} ${countText(points)} points, ${bounds}.`.trim();
}

/** What all lines have at a place, for those who hear it. */
export function spokenAt(overview: OverviewReply, x: number): string {
  const values = overview.series.slice(0, readingsShown).flatMap((partition) => {
    const reading = readingAt(partition, overview, x);
    return reading === undefined
      ? []
      : [`${metaText(partition.metadata)} ${readingText(overview, reading, x)}`];
  });
  return `${placeText(overview, x)}: ${values.join(", ")}`;
}
