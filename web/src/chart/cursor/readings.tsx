import type { OverviewBody, OverviewReply } from "@lossless/client";
import type { ReadonlySignal } from "@preact/signals";
import { CutName } from "../../parts/cut-name.tsx";
import type { Service } from "../../signed-in.ts";
import { measureText, unitOfLine } from "../../parts/units.ts";
import { countedText } from "../../parts/words.ts";
import { axisRange } from "../axes/axis-x.ts";
import { lastOf, readingAt } from "./reading.ts";
import type { Board } from "./board.ts";
import { useNameParts } from "../lines/name-parts.ts";
import type { LineLook } from "../lines/looks.ts";
import type { Partition } from "../lines/line.ts";
import { usePointTime } from "./point-time.ts";
import { manyText, noValue, placeText, readingPlace, readingText } from "./reading-text.ts";
import { Swatch } from "../lines/swatch.tsx";

/** Values beside names at most: a list has more. */
export const readingsShown = 8;

interface Props {
  service: Service;
  request: OverviewBody;
  overview: OverviewReply;
  board: Board;
  /** Name of the chart. */
  name: string;
  looks: readonly LineLook[];
  digits: number;
  /** The line that is nearest to the pointer. */
  raised: ReadonlySignal<number | undefined>;
  /** Opens or closes the list of all values; absent: there is none. */
  onValues?: () => void;
  hasValues?: boolean;
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
  const place = board.place.value;
  const cursor = placeIn(overview, place?.x);
  const meant = series[raised ?? 0]?.experimentId;
  const pointed = place?.chart === name ? cursor : undefined;
  const told = usePointTime(service, request, meant, pointed, (step) => {
    board.step.value = step;
  });
  const at = cursor === undefined ? undefined : { cursor, told };
  const { onValues, hasValues = false } = props;
  return <LineReadings {...{ overview, looks, digits, raised, at, onValues, hasValues }} />;
}

/** A place, if the drawn axis has it. */
export function placeIn(overview: OverviewReply, x: number | undefined): number | undefined {
  const [start, end] = axisRange(overview);
  return x !== undefined && x >= start && x <= end ? x : undefined;
}

interface LineReadingsProps extends Pick<Props, "hasValues"> {
  overview: OverviewReply;
  looks: readonly LineLook[];
  digits: number;
  raised?: number | undefined;
  /** The place that is read, and its description; undefined: the ends of the lines. */
  at?: { cursor: number; told: string | undefined } | undefined;
  onValues?: Props["onValues"] | undefined;
}

/** The values of lines at a place. It has as many rows whatever is read: nothing moves below it. */
export function LineReadings({ overview, looks, digits, raised, at, ...list }: LineReadingsProps) {
  const { series } = overview;
  const parts = useNameParts(looks);
  const { cursor, told } = at ?? {};
  const { onValues, hasValues } = list;
  // With many lines only the one under the pointer is read.
  const isMany = series.length > readingsShown;
  const order = !isMany ? [...series.keys()] : raised === undefined ? [] : [raised];
  const isGrouped = (series as readonly Partition[]).some(({ group }) => group !== undefined);
  const readings = order.map((line) => ({
    line,
    reading: readingOf(series[line], overview, cursor),
  }));
  const first = readings.find(({ reading }) => reading !== undefined)?.reading;
  const own = first && cursor !== undefined ? readingPlace(overview, first) : undefined;
  const place = own ?? (cursor === undefined ? undefined : placeText(overview, cursor));
  // The time is that of a point, and there is none between two.
  const words = [place, first?.next === undefined ? told : undefined].filter(Boolean).join(", ");
  const isEmpty = series.length < 2 && first === undefined;
  return (
    <div
      class={["readings", series.length > 1 && "several", isGrouped && "grouped", isMany && "many"]
        .filter(Boolean)
        .join(" ")}
    >
      {!isEmpty && (
        <span class="at" title={told}>
          {cursor === undefined ? (isMany ? "" : "last") : words}
        </span>
      )}
      {isMany && onValues !== undefined && (
        <button type="button" class="quiet" aria-expanded={hasValues} onClick={onValues}>
          all values
        </button>
      )}
      {readings.map(
        ({ line, reading }) =>
          (reading !== undefined || series.length > 1) && (
            <span key={line} class={raised === line ? "raised" : ""}>
              <Swatch kind={looks[line].kind} />
              {series.length > 1 && (
                <span class="partition" title={looks[line].name}>
                  <CutName name={looks[line].name} parts={parts.get(looks[line].name)} />
                  <span class="unseen">{looks[line].name}</span>
                </span>
              )}{" "}
              {reading === undefined ? noValue : readingText(overview, reading, place, digits)}
            </span>
          ),
      )}
      {isMany && raised === undefined && <span class="partition">{manyText(series.length)}</span>}
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

function lineSentence(line: Partition, name: string): string {
  const { points, min, max } = line;
  if (min === undefined || max === undefined) return "";
  const [least, largest] = [min, max].map(({ value }) => measureText(value, unitOfLine(line)));
  const bounds = `minimum ${least}, maximum ${largest}`;
  return `${name} ${countedText(points, "point")}, ${bounds}.`.trim();
}

/** The values of lines at a place, for screen readers. */
export function spokenAt(
  overview: OverviewReply,
  looks: readonly LineLook[],
  x: number,
  digits: number,
): string {
  const place = placeText(overview, x);
  const values = overview.series.slice(0, readingsShown).flatMap((partition, at) => {
    const reading = readingAt(partition, overview, x);
    return reading === undefined
      ? []
      : [`${looks[at].name} ${readingText(overview, reading, place, digits)}`.trim()];
  });
  return `${place}: ${values.join(", ")}`;
}
