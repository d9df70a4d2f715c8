import type { OverviewBody, OverviewReply } from "@lossless/client";
import type { ReadonlySignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { CutName } from "../../parts/cut-name.tsx";
import { measureOnPage } from "../../parts/text-width.ts";
import type { Service } from "../../signed-in.ts";
import { measureText, unitOfLine } from "../../parts/units.ts";
import { countedText } from "../../parts/words.ts";
import { axisRange } from "../axes/axis-x.ts";
import { isHere, lastOf, readingAt } from "./reading.ts";
import type { Board } from "./board.ts";
import { useLineNames } from "../lines/line-names.ts";
import { keysTold, nameAlone, type LineLook } from "../lines/looks.ts";
import type { Partition } from "../lines/line.ts";
import { usePointTime } from "./point-time.ts";
import { manyText, noValue, placeText, readingPlace, readingText } from "./reading-text.ts";
import { ValueTold, lastFiniteSign } from "./value-told.tsx";
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
  const pointed = place?.chart === name ? cursor : undefined;
  const isThere = (one: Partition | undefined) =>
    one !== undefined && pointed !== undefined && isHere(readingAt(one, overview, pointed));
  const over = series[raised ?? -1];
  const meant = (isThere(over) ? over : series.find(isThere))?.experimentId;
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
  const names = useLineNames(looks);
  const { cursor, told } = at ?? {};
  const { onValues, hasValues } = list;
  // With many lines only the one under the pointer is read.
  const isMany = series.length > readingsShown;
  const order = !isMany ? [...series.keys()] : raised === undefined ? [] : [raised];
  const isGrouped = (series as readonly Partition[]).some(({ group }) => group !== undefined);
  const readings = readingsOf(overview, order, cursor);
  const isAny = readings.some(({ reading }) => reading !== undefined);
  const { place, time } = placeOfFirst(overview, readings, at);
  // The time stands behind the value of one of many lines: without room for it, it goes first.
  const words = [place, isMany ? undefined : time].filter(Boolean).join(", ");
  const keys = keysTold(looks);
  const isSigned = series.length > 1 && readings.some(({ reading }) => reading?.isLastFinite);
  const last = isMany ? "" : isSigned ? `last, ${lastFiniteSign} last finite` : "last";
  const head = cursor === undefined ? last : words;
  return (
    <div
      class={["readings", series.length > 1 && "several", isGrouped && "grouped", isMany && "many"]
        .filter(Boolean)
        .join(" ")}
      style={useColumns(looks, isMany)}
    >
      {(series.length > 1 || isAny) && (
        <span class="at" title={told}>
          {keys !== undefined && <span class="keys">{keys}</span>}
          {keys !== undefined && head !== "" && " · "}
          {head}
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
            <span
              key={line}
              class={[raised === line && "raised", reading?.away && "away"]
                .filter(Boolean)
                .join(" ")}
            >
              <Swatch kind={looks[line].kind} />
              {series.length > 1 && (
                <span class="partition" title={nameAlone(looks[line])}>
                  <CutName name={looks[line].name} names={names} />
                  <span class="unseen">{looks[line].name}</span>
                </span>
              )}{" "}
              <span class="value">
                {reading === undefined ? (
                  noValue
                ) : (
                  <ValueTold {...{ overview, reading, place, digits }} isOfList={isSigned} />
                )}
              </span>
            </span>
          ),
      )}
      {isMany && raised === undefined && <span class="partition">{manyText(series.length)}</span>}
      {isMany && time !== undefined && <span class="time">{time}</span>}
    </div>
  );
}

/** The size of a name in rem. */
const nameSize = 0.875;

/** The number of lines and the width of the longest name: they decide how many are in a row. */
function useColumns(looks: readonly LineLook[], isMany: boolean) {
  return useMemo(() => {
    if (looks.length < 2 || isMany) return {};
    const widthOf = measureOnPage(nameSize);
    const widest = Math.max(...looks.map(({ name }) => widthOf(name)));
    return { "--lines": looks.length, "--name": `${Math.ceil(widest)}px` };
  }, [looks, isMany]);
}

/** The place that is read, which is that of a line that is drawn there, and its time. */
function placeOfFirst(
  overview: OverviewReply,
  readings: ReturnType<typeof readingsOf>,
  at: LineReadingsProps["at"],
) {
  if (at === undefined) return { place: undefined, time: undefined };
  const first = readings.map(({ reading }) => reading).find(isHere);
  const place = first ? readingPlace(overview, first) : placeText(overview, at.cursor);
  // The time is that of a point, and there is none between two.
  return { place, time: first?.next === undefined ? at.told : undefined };
}

/** The readings of some lines at a place, or at their ends. */
function readingsOf(overview: OverviewReply, lines: readonly number[], x: number | undefined) {
  return lines.map((line) => {
    const partition = overview.series[line];
    return {
      line,
      reading: x === undefined ? lastOf(partition) : readingAt(partition, overview, x),
    };
  });
}

/** A description of the chart for screen readers. */
export function sentenceOf({ series }: OverviewReply, looks: readonly LineLook[]): string {
  const told = series
    .slice(0, readingsShown)
    .map((line, at) => lineSentence(line, nameAlone(looks[at])));
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
      : [`${nameAlone(looks[at])} ${readingText(overview, reading, place, digits)}`.trim()];
  });
  return `${place}: ${values.join(", ")}`;
}
