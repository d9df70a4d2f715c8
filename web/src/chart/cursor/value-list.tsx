import type { OverviewReply } from "@lossless/client";
import type { Signal } from "@preact/signals";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { CutName } from "../../parts/cut-name.tsx";
import { countedText, countText } from "../../parts/words.ts";
import { keysTold, nameAlone, type LineLook } from "../lines/looks.ts";
import { Swatch } from "../lines/swatch.tsx";
import type { ListedNames } from "../../parts/listed-names.ts";
import { useLineNames } from "../lines/line-names.ts";
import { chartOf, type Board, type Cursor } from "./board.ts";
import { readingText } from "./reading-text.ts";
import { placeIn } from "./readings.tsx";
import { ValueTold } from "./value-told.tsx";
import { isHere } from "./reading.ts";
import {
  awayTexts,
  placeOfMost,
  valuesAt,
  valuesNamed,
  type Order,
  type ValueAt,
} from "./values-at.ts";

export interface ValueListProps {
  board: Board;
  /** Name of the chart. */
  name: string;
  overview: OverviewReply;
  looks: readonly LineLook[];
  digits: number;
  /** The line drawn over the others. */
  raised: Signal<number | undefined>;
  /** The last place under the pointer, which has left the plot on its way here. */
  last: { current: Cursor | undefined };
  /** Returns what was typed since it was opened; undefined: it does not take the focus. */
  takeTyped: () => string | undefined;
  /** Closes it. */
  onValues: () => void;
}

/**
 * The values of all lines at a place, sorted, below the plot. The place stays while the pointer is
 * in the list; a click on the plot, or the arrow keys, move it.
 */
export function ValueList(props: ValueListProps) {
  const { board, name, overview, looks, raised, last, takeTyped, onValues } = props;
  const [typed] = useState(takeTyped);
  const [filter, setFilter] = useState(typed ?? "");
  const [order, setOrder] = useState<Order>("descending");
  const field = useRef<HTMLInputElement>(null);
  useHeldPlace(board, name, last, `${overview.xAxis} ${overview.xSeriesName}`);
  useLayoutEffect(() => {
    if (typed === undefined) return;
    field.current!.focus({ preventScroll: true });
    // Below a chart at the lower edge it would open out of sight.
    field.current!.closest("section")!.scrollIntoView({ block: "nearest" });
  }, []);
  const x = placeIn(overview, board.place.value?.x);
  const values = valuesAt(overview, looks, x, order);
  const shown = valuesNamed(values, filter);
  const names = useLineNames(looks);
  const place = placeOfMost(overview, values, x);
  const textOf = ({ reading }: ValueAt) => readingText(overview, reading, place, props.digits);
  const press = (event: KeyboardEvent) => {
    const isText = event.target === field.current && filter !== "";
    if (!pressed(event.key, isText, { ...props, shown, textOf })) return;
    event.preventDefault();
    event.stopPropagation();
  };
  const isDescending = order === "descending";
  return (
    <section class="values" aria-label={`Values of ${name}`} onKeyDown={press}>
      <header>
        <strong>{[keysTold(looks), place ?? "last values"].filter(Boolean).join(" · ")}</strong>
        <input
          type="search"
          ref={field}
          aria-label="Filter lines"
          placeholder={`Filter ${countedText(values.length, "line")}`}
          value={filter}
          onInput={(event) => setFilter(event.currentTarget.value)}
        />
        <button type="button" onClick={() => setOrder(isDescending ? "ascending" : "descending")}>
          {isDescending ? "largest first ↓" : "smallest first ↑"}
        </button>
        <button type="button" aria-label="Close the values" onClick={onValues}>
          ✕
        </button>
      </header>
      <Rows {...{ shown, raised, overview, place, names }} digits={props.digits} />
      <p class="count">{countOf(shown.length, values, overview.series.length)}</p>
    </section>
  );
}

interface RowsProps extends Pick<ValueListProps, "raised" | "overview" | "digits"> {
  shown: readonly ValueAt[];
  place: string | undefined;
  names: ListedNames;
}

function Rows({ shown, raised, names, ...told }: RowsProps) {
  const list = useRef<HTMLOListElement>(null);
  const line = raised.value;
  useRaisedInView(list, line);
  return (
    <ol ref={list} tabIndex={0} aria-label="Lines" onMouseLeave={() => (raised.value = undefined)}>
      {shown.map((value) => (
        <li
          key={value.line}
          class={[value.line === line && "raised", !isHere(value.reading) && "away"]
            .filter(Boolean)
            .join(" ")}
          onMouseEnter={() => (raised.value = value.line)}
        >
          <Swatch kind={value.look.kind} />
          <span class="partition" title={nameAlone(value.look)}>
            <CutName name={value.look.name} names={names} />
            <span class="unseen">{value.look.name}</span>
          </span>{" "}
          <span class="value">
            <ValueTold {...told} reading={value.reading} isOfList />
          </span>
        </li>
      ))}
    </ol>
  );
}

interface PressProps extends ValueListProps {
  shown: readonly ValueAt[];
  textOf: (value: ValueAt) => string;
}

/** Handles a key; false for one without a meaning here. `isText`: the arrows move in a text. */
function pressed(
  key: string,
  isText: boolean,
  { board, raised, onValues, shown, textOf }: PressProps,
): boolean {
  const at = shown.findIndex(({ line }) => line === raised.value);
  const raise = (value: ValueAt | undefined) => {
    if (value === undefined) return;
    raised.value = value.line;
    board.said.value = `${nameAlone(value.look)} ${textOf(value)}`;
  };
  if (key === "Escape") onValues();
  else if (key === "ArrowDown") raise(shown[Math.min(shown.length - 1, at + 1)]);
  else if (key === "ArrowUp") raise(shown[Math.max(0, at - 1)]);
  else if (!isText && (key === "ArrowLeft" || key === "ArrowRight"))
    chartOf(board)?.step(key === "ArrowLeft" ? -1 : 1);
  else return false;
  return true;
}

function countOf(shown: number, values: readonly ValueAt[], lines: number): string {
  const without = lines - values.length;
  const missing = without > 0 ? [`${countedText(without, "line")} without a value here`] : [];
  const found = shown < values.length ? `${countText(shown)} of ` : "";
  const told = [countedText(values.length, "value"), ...awayTexts(values), ...missing].join(", ");
  return `${found}${told}. Click the plot, or press ← →, to read another place.`;
}

/** Holds the place that was last read while the list is open. */
function useHeldPlace(
  board: Board,
  name: string,
  last: ValueListProps["last"],
  axis: string,
): void {
  useEffect(() => {
    const place = board.place.value ?? last.current;
    if (place !== undefined) {
      board.held.value = { x: place.x, chart: name };
      board.cursor.value = undefined;
    }
    return () => {
      if (board.held.value?.chart === name) board.held.value = undefined;
    };
  }, [board, name, axis]);
}

/** Scrolls the list, and nothing around it, to the raised line. */
function useRaisedInView(
  list: { current: HTMLOListElement | null },
  line: number | undefined,
): void {
  useLayoutEffect(() => {
    const element = list.current!;
    const row = element.querySelector<HTMLElement>("li.raised");
    if (row === null || row.matches(":hover")) return;
    const above = row.offsetTop - element.scrollTop;
    if (above < 0) element.scrollTop += above;
    const below = above + row.offsetHeight - element.clientHeight;
    if (below > 0) element.scrollTop += below;
  }, [line]);
}
