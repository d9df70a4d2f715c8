import type { OverviewBody, OverviewReply } from "@lossless/client";
import type { ReadonlySignal } from "@preact/signals";
import { CutName } from "../../parts/cut-name.tsx";
import type { Service } from "../../signed-in.ts";
import { countedText, valueText } from "../../parts/words.ts";
import { axisRange } from "../axes/axis-x.ts";
import { lastOf, readingAt } from "./reading.ts";
import type { Board } from "./board.ts";
import type { LineLook } from "../lines/looks.ts";
import type { Partition } from "../lines/line.ts";
import { usePointTime } from "./point-time.ts";
import { placeText, readingText } from "./reading-text.ts";
import { Swatch } from "../lines/swatch.tsx";

/** Values beside names at most: the table has more. */
const readingsShown = 8;

interface Props {
  service: Service;
  request: OverviewBody;
  overview: OverviewReply;
  board: Board;
  /** Name of the chart. */
  name: string;
  looks: readonly LineLook[];
  digits: number;
  /** The line listed first, as it is nearest to the pointer. */
  raised: ReadonlySignal<number | undefined>;
}

/** The values of the lines under the cursor, or else their last ones. */
export function Readings({
  service,
  request,
  overview,
  board,
  name,
  looks,
  digits,
  ...props
}: Props) {
  const { series } = overview;
  const raised = props.raised.value;
  const place = board.cursor.value;
  const [start, end] = axisRange(overview);
  const isInside = place !== undefined && place.x >= start && place.x <= end;
  const cursor = isInside ? place.x : undefined;
  const meant = series[raised ?? 0]?.experimentId;
  const pointed = place?.chart === name ? cursor : undefined;
  const told = usePointTime(service, request, meant, pointed, (step) => {
    board.step.value = step;
  });
  const at = cursor === undefined ? undefined : { cursor, told };
  return <LineReadings {...{ overview, looks, digits, raised, at }} />;
}

interface LineReadingsProps {
  overview: OverviewReply;
  looks: readonly LineLook[];
  digits: number;
  raised?: number | undefined;
  /** The place that is read, and its description; undefined: the ends of the lines. */
  at?: { cursor: number; told: string | undefined } | undefined;
}

/** The values of lines at a place. */
export function LineReadings({ overview, looks, digits, raised, at: place }: LineReadingsProps) {
  const { series } = overview;
  const { cursor, told } = place ?? {};
  // With many lines only the one under the pointer is read.
  const isMany = series.length > readingsShown;
  const order = !isMany ? [...series.keys()] : raised === undefined ? [] : [raised];
  const isGrouped = (series as readonly Partition[]).some(({ group }) => group !== undefined);
  const readings = order.map((at) => ({ at, reading: readingOf(series[at], overview, cursor) }));
  const x = readings.find(({ reading }) => reading !== undefined)?.reading?.x;
  return (
    <div
      class={["readings", series.length > 1 && "several", isGrouped && "grouped", isMany && "many"]
        .filter(Boolean)
        .join(" ")}
    >
      {readings.some(({ reading }) => reading !== undefined) && (
        <span class="at" title={told}>
          {cursor === undefined || x === undefined
            ? "last"
            : [placeText(overview, x), told].filter(Boolean).join(", ")}
        </span>
      )}
      {readings.map(
        ({ at, reading }) =>
          reading !== undefined && (
            <span key={at} class={raised === at ? "raised" : ""}>
              <Swatch kind={looks[at].kind} />
              {series.length > 1 && (
                <span class="partition" title={looks[at].name}>
                  <CutName name={looks[at].name} />
                  <span class="unseen">{looks[at].name}</span>
                </span>
              )}{" "}
              {readingText(overview, reading, x, digits)}
            </span>
          ),
      )}
      {isMany && raised === undefined && (
        <span class="partition">{countedText(series.length, "line")}: point at one to read it</span>
      )}
    </div>
  );
}

function readingOf(partition: Partition, overview: OverviewReply, cursor: number | undefined) {
  return cursor === undefined ? lastOf(partition) : readingAt(partition, overview, cursor);
}

/** A description of the chart for screen readers. */
export function sentenceOf({ series }: OverviewReply, looks: readonly LineLook[]): string {
  const told = series.slice(0, readingsShown).map((line, at) => lineSentence(line, looks[at].name));
  const rest = series.length - told.length;
  return [...told, ...(rest > 0 ? [`And ${countedText(rest, "more line")}.`] : [])].join(" ");
}

function lineSentence({ points, min, max }: Partition, name: string): string {
  if (min === undefined || max === undefined) return "";
  const bounds = `minimum ${valueText(min.value)}, maximum ${valueText(max.value)}`;
  return `${name} ${countedText(points, "point")}, ${bounds}.`.trim();
}

/** The values of lines at a place, for screen readers. */
export function spokenAt(
  overview: OverviewReply,
  looks: readonly LineLook[],
  x: number,
  digits: number,
): string {
  const values = overview.series.slice(0, readingsShown).flatMap((partition, at) => {
    const reading = readingAt(partition, overview, x);
    return reading === undefined
      ? []
      : [`${looks[at].name} ${readingText(overview, reading, x, digits)}`.trim()];
  });
  return `${placeText(overview, x)}: ${values.join(", ")}`;
}
