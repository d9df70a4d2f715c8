import type { OverviewReply } from "@lossless/client";
import type { ReadonlySignal } from "@preact/signals";
import type { RefObject } from "preact";
import { useMemo } from "preact/hooks";
import { fitted } from "../../parts/short-names.ts";
import { measureOf } from "../../parts/text-width.ts";
import { countText } from "../../parts/words.ts";
import { placeOf } from "../axes/axis-x.ts";
import { margin, rightOf } from "../axes/margins.ts";
import { rangeOf } from "../axes/range.ts";
import type { LineLook } from "../lines/looks.ts";
import { Swatch } from "../lines/swatch.tsx";
import type { ChartView } from "../view.ts";
import type { Board } from "./board.ts";
import { nearPlace, rowsAtMost, type PlotBox } from "./near-place.ts";
import { shortValueText, valueWithRangeText } from "./reading-text.ts";
import { placeIn } from "./readings.tsx";
import { isHere } from "./reading.ts";
import { awayTexts, partAround, valuesAt, type ValueAt } from "./values-at.ts";

export interface NearValuesProps {
  board: Board;
  /** Name of the chart. */
  name: string;
  overview: OverviewReply;
  isCurrent: boolean;
  view: ChartView;
  looks: readonly LineLook[];
  digits: number;
  hasNames: boolean;
  width: number;
  height: number;
  raised: ReadonlySignal<number | undefined>;
  /** The element with the plot, in which the list is placed. */
  around: RefObject<HTMLElement | null>;
}

/** Width of a row besides its texts, in CSS pixels: borders, the sign of the line and gaps. */
const besideTexts = 46;
/** Width beside the counts: borders. */
const besideCounts = 20;
/** Width of the widest list, in units of the page's font. */
const widthMax = 36;
/** Pixels of values: a move of the pointer seldom changes them. */
const valuePixels = 16;
const px = (pixels: number) => `${pixels}px`;

/**
 * The lines around the one under the pointer, sorted by value, with their whole names: away from
 * the pointer, and over other charts where they need it. Only for a pointer: the list of all values
 * is for everybody.
 */
export function NearValues(props: NearValuesProps) {
  const { board, name, overview, looks, digits, around } = props;
  const measures = useMemo(textMeasures, []);
  const longest = useMemo(
    () => Math.max(0, ...looks.map((look) => measures.ofName(look.name))),
    [looks],
  );
  const cursor = board.cursor.value;
  const x = cursor?.chart === name ? placeIn(overview, cursor.x) : undefined;
  const line = props.raised.value;
  if (x === undefined || around.current === null) return null;
  const all = valuesAt(overview, looks, x, "descending");
  const values = all.filter(({ reading }) => isHere(reading));
  const plot = plotBox(props, around.current);
  const most = partAround(values, line, rowsAtMost(plot));
  const near = values.slice(most.from, most.to).map(({ reading }) => reading);
  // As wide as for any row with its range: another raised one changes nothing.
  const counts = measures.ofName(countsAtMost(overview.series.length)) + besideCounts;
  const widths = [valueWithRangeText, shortValueText].map((textOf) => {
    const widest = Math.max(0, ...near.map((one) => measures.ofValue(textOf(one, digits))));
    const taken = besideTexts + Math.ceil(widest / valuePixels) * valuePixels;
    const needed = Math.max(Math.ceil(longest) + taken, Math.ceil(counts));
    return Math.min(needed, widthMax * measures.rem);
  });
  const pointer = { left: leftOf(props, plot, x), top: plot.top + (cursor?.top ?? 0) };
  const { left, top, width, rows } = nearPlace(plot, pointer, widths);
  const { from, to } = partAround(values, line, rows);
  const corner = around.current.getBoundingClientRect();
  const below = to < values.length ? [`${countText(values.length - to)} below`] : [];
  const rest = [...below, ...awayTexts(all)].join(" · ");
  return (
    <div
      class="near-values"
      aria-hidden="true"
      style={{ left: px(left - corner.left), top: px(top - corner.top), width: px(width) }}
    >
      {from > 0 && <p>{countText(from)} above</p>}
      <ol>
        {values.slice(from, to).map((value) => (
          <Row
            key={value.line}
            {...{ value, digits, measures, room: width - besideTexts }}
            isRaised={value.line === line}
          />
        ))}
      </ol>
      {rest !== "" && <p>{rest}</p>}
    </div>
  );
}

interface RowProps extends Pick<NearValuesProps, "digits"> {
  value: ValueAt;
  measures: ReturnType<typeof textMeasures>;
  /** Room for both texts. */
  room: number;
  isRaised: boolean;
}

/** A line: its whole name, and one value; of the raised one the range, too, if it has room. */
function Row({ value: { look, reading }, digits, measures, room, isRaised }: RowProps) {
  const short = shortValueText(reading, digits);
  const long = isRaised ? valueWithRangeText(reading, digits) : short;
  const isRoom = measures.ofName(look.name) + measures.ofValue(long) <= room;
  const text = isRoom ? long : short;
  return (
    <li class={isRaised ? "raised" : ""}>
      <Swatch kind={look.kind} />
      <bdi class="name">{fitted(look.name, room - measures.ofValue(text), measures.ofName)}</bdi>
      <span class="value">{text}</span>
    </li>
  );
}

/** The counts at the end of a list, as long as they seldom are. */
function countsAtMost(lines: number): string {
  return `${countText(lines)} below · ${countText(lines)} end before here`;
}

/** The plot in the window. */
function plotBox({ hasNames, width, height }: NearValuesProps, around: HTMLElement): PlotBox {
  const box = around.getBoundingClientRect();
  const { clientWidth, clientHeight } = document.documentElement;
  const charts = around.closest(".charts");
  return {
    left: box.left + margin.left,
    right: box.left + width - rightOf(hasNames, width),
    top: box.top + margin.top,
    bottom: box.top + height - margin.bottom,
    head: around.closest("figure")!.getBoundingClientRect().top,
    foot: box.bottom,
    start: Math.min(box.left, charts?.getBoundingClientRect().left ?? 0),
    window: { width: clientWidth, height: clientHeight },
  };
}

function leftOf(props: NearValuesProps, { left, right }: PlotBox, x: number): number {
  return left + placeOf(rangeOf(props), props.overview.xScale, x) * (right - left);
}

/** The widths of names and of values, which are bold in the raised line. */
function textMeasures() {
  const { fontFamily } = getComputedStyle(document.body);
  const rem = parseFloat(getComputedStyle(document.documentElement).fontSize);
  const font = `${0.8125 * rem}px ${fontFamily}`;
  return { ofName: measureOf(font), ofValue: measureOf(`600 ${font}`), rem };
}
