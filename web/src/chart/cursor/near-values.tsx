import type { OverviewReply } from "@lossless/client";
import type { ReadonlySignal } from "@preact/signals";
import { CutName } from "../../parts/cut-name.tsx";
import { countText } from "../../parts/words.ts";
import { placeOf } from "../axes/axis-x.ts";
import { margin, rightOf } from "../axes/margins.ts";
import { rangeOf } from "../axes/range.ts";
import { useNameParts } from "../lines/name-parts.ts";
import type { LineLook } from "../lines/looks.ts";
import { Swatch } from "../lines/swatch.tsx";
import type { ChartView } from "../view.ts";
import type { Board } from "./board.ts";
import { shortValueText } from "./reading-text.ts";
import { placeIn } from "./readings.tsx";
import { partAround, valuesAt } from "./values-at.ts";

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
const widthMax = 280;
/** Distance from the edges of the plot. */
const gap = 8;
const px = (pixels: number) => `${pixels}px`;
/** Rows besides those of values: the counts above and below, and some room. */
const otherRows = 3;

/**
 * The lines around the one under the pointer, sorted by value, on the side of the plot away from
 * the pointer. Only for a pointer: the list of all values is for everybody.
 */
export function NearValues(props: NearValuesProps) {
  const { board, name, overview, looks, digits, hasNames, width, height } = props;
  const { cursor } = board;
  const parts = useNameParts(looks);
  const x = cursor.value?.chart === name ? placeIn(overview, cursor.value.x) : undefined;
  const line = props.raised.value;
  if (x === undefined) return null;
  const values = valuesAt(overview, looks, x, "descending");
  const rows = Math.floor((height - margin.top - margin.bottom) / rowHeight) - otherRows;
  const { from, to } = partAround(values, line, Math.max(1, rows));
  const share = placeOf(rangeOf(props), overview.xScale, x);
  const right = rightOf(hasNames, width);
  const side = share < 0.5 ? { right: px(right + gap) } : { left: px(margin.left + gap) };
  // In eighths of the plot: a move of the pointer seldom changes it.
  const free = Math.floor(8 * Math.max(share, 1 - share)) / 8;
  const room = free * (width - margin.left - right) - 2 * gap;
  return (
    <div
      class="near-values"
      aria-hidden="true"
      style={{ ...side, width: px(Math.min(room, widthMax)) }}
    >
      <p>{from > 0 ? `${countText(from)} above` : ""}</p>
      <ol>
        {values.slice(from, to).map((value) => (
          <li key={value.line} class={value.line === line ? "raised" : ""}>
            <Swatch kind={value.look.kind} />
            <CutName name={value.look.name} parts={parts.get(value.look.name)} />
            <span class="value">{shortValueText(value.reading, digits)}</span>
          </li>
        ))}
      </ol>
      <p>{to < values.length ? `${countText(values.length - to)} below` : ""}</p>
    </div>
  );
}
