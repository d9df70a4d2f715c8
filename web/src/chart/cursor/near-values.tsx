import type { OverviewReply } from "@lossless/client";
import type { ReadonlySignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { shortNames } from "../../parts/short-names.ts";
import { measureOf } from "../../parts/text-width.ts";
import { countText } from "../../parts/words.ts";
import { placeOf } from "../axes/axis-x.ts";
import { margin, rightOf } from "../axes/margins.ts";
import { rangeOf } from "../axes/range.ts";
import type { LineLook } from "../lines/looks.ts";

import { Swatch } from "../lines/swatch.tsx";
import type { ChartView } from "../view.ts";
import type { Board } from "./board.ts";
import { shortValueText } from "./reading-text.ts";
import { placeIn } from "./readings.tsx";
import { isHere } from "./reading.ts";
import { awayTexts, partAround, valuesAt } from "./values-at.ts";

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
}

/** Height of a row, in CSS pixels. */
const rowHeight = 20;
/** Distance from the edges of the plot, from the pointer, and from the edges of the chart. */
const [gap, edge] = [8, 4];
/** Width of a row besides its texts: borders, the sign of the line and gaps. */
const besideTexts = 46;
/** Rows besides those of values: the counts above, and below or elsewhere, and some room. */
const otherRows = 3;
/** Parts of the plot, and pixels of values: a move of the pointer seldom changes them. */
const [plotParts, valuePixels] = [16, 16];
const px = (pixels: number) => `${pixels}px`;

/**
 * The lines around the one under the pointer, sorted by value, on the side of the chart away from
 * the pointer; where names need it, also over the axis or the names beside the plot. Only for a
 * pointer: the list of all values is for everybody.
 */
export function NearValues(props: NearValuesProps) {
  const { board, name, overview, looks, digits, hasNames, width, height } = props;
  const { cursor } = board;
  const measures = useMemo(textMeasures, []);
  const x = cursor.value?.chart === name ? placeIn(overview, cursor.value.x) : undefined;
  const line = props.raised.value;
  const isPointed = x !== undefined;
  const all = isPointed ? valuesAt(overview, looks, x, "descending") : [];
  const values = all.filter(({ reading }) => isHere(reading));
  const away = awayTexts(all);
  const rows = Math.floor((height - margin.top - margin.bottom) / rowHeight) - otherRows;
  const { from, to } = partAround(values, line, Math.max(1, rows));
  const shown = values
    .slice(from, to)
    .map((value) => ({ ...value, text: shortValueText(value.reading, digits) }));
  const share = isPointed ? placeOf(rangeOf(props), overview.xScale, x) : 0;
  const beside = { left: margin.left, right: rightOf(hasNames, width) };
  const side = share < 0.5 ? "right" : "left";
  const free = Math.floor(plotParts * Math.max(share, 1 - share)) / plotParts;
  const half = free * (width - beside.left - beside.right);
  const widest = Math.max(0, ...shown.map(({ text }) => measures.ofValue(text)));
  const taken = besideTexts + Math.ceil(widest / valuePixels) * valuePixels;
  const {
    names,
    from: inset,
    room,
  } = useRooms(looks, measures.ofName, taken, [
    { from: beside[side] + gap, room: half - 2 * gap },
    { from: edge, room: half + beside[side] - gap - edge },
  ]);
  if (!isPointed) return null;
  return (
    <div
      class="near-values"
      aria-hidden="true"
      style={{ [side]: px(inset), maxWidth: px(Math.floor(room)) }}
    >
      {from > 0 && <p>{countText(from)} above</p>}
      <ol>
        {shown.map((value) => (
          <li key={value.line} class={value.line === line ? "raised" : ""}>
            <Swatch kind={value.look.kind} />
            <bdi class="name">{names.get(value.look.name)}</bdi>
            <span class="value">{value.text}</span>
          </li>
        ))}
      </ol>
      {(to < values.length || away.length > 0) && (
        <p>
          {[
            ...(to < values.length ? [`${countText(values.length - to)} below`] : []),
            ...away,
          ].join(" · ")}
        </p>
      )}
    </div>
  );
}

interface Room {
  /** Distance from the edge of the chart. */
  from: number;
  room: number;
}

/** The first room in which the names of lines are whole beside their values, or the last one. */
function useRooms(
  looks: readonly LineLook[],
  widthOf: (text: string) => number,
  taken: number,
  [inPlot, inChart]: [Room, Room],
) {
  return useMemo(() => {
    const all = looks.map(({ name }) => name);
    const inside = inPlot.room - taken;
    if (all.every((name) => widthOf(name) <= inside))
      return { ...inPlot, names: shortNames(all, inside, widthOf) };
    // Long values are cut, too.
    const forName = Math.max(inChart.room - taken, inChart.room / 3);
    return { ...inChart, names: shortNames(all, forName, widthOf) };
  }, [looks, taken, inPlot.room, inPlot.from, inChart.room]);
}

/** The widths of names and of values, which are bold in the raised line. */
function textMeasures() {
  const { fontFamily } = getComputedStyle(document.body);
  const { fontSize } = getComputedStyle(document.documentElement);
  const font = `${0.8125 * parseFloat(fontSize)}px ${fontFamily}`;
  return { ofName: measureOf(font), ofValue: measureOf(`600 ${font}`) };
}
