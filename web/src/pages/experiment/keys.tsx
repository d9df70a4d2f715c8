import { useState } from "preact/hooks";
import { chartOf, type Board } from "../../chart/cursor/board.ts";
import {
  axisOf,
  plainAxes,
  smoothings,
  smoothText,
  yScales,
  type ChartView,
} from "../../chart/view.ts";
import { KeyHelp, type KeyList } from "../../parts/key-help.tsx";
import { usePageKeys } from "../../parts/use-page-keys.ts";

interface Props {
  board: Board;
  view: ChartView;
  change: (part: Partial<ChartView>) => void;
  /** Keys of the rest of the page. */
  others?: KeyList;
}

const keyList: KeyList = [
  ["/", "search metrics"],
  ["← →", "move the cursor to the previous or next point, which is read aloud"],
  ["[ ]", "zoom out or in around the cursor"],
  ["0", "show the whole range"],
  ["x", "switch to the next x axis"],
  ["l", "switch y between linear, logarithmic and symmetric logarithmic"],
  ["s", "switch to the next smoothing"],
  ["t", "show the numbers of the chart as a table"],
  ["v", "list the values of all lines at the cursor; ↑ ↓ go through them"],
  ["a", "annotate the step under the cursor"],
  ["o", "open the console at the time of the cursor"],
  ["f", "show the chart in full screen"],
  ["?", "show this list"],
];
const gestures: KeyList = [
  ["drag", "zoom to a range of x"],
  ["alt + drag", "zoom to a range of y"],
  ["shift + drag", "move the range"],
  ["ctrl + wheel", "zoom"],
  ["double click", "show the whole range"],
];

/** The keys of the page. They apply to the chart last pointed at or focused. */
export function Keys({ board, view, change, others = [] }: Props) {
  const [isShown, setIsShown] = useState(false);
  usePageKeys((event) => {
    if (event.key === "?") setIsShown(true);
    else if (!act(event.key, board, { view, change })) return;
    event.preventDefault();
  });
  return (
    <>
      <p class="unseen" aria-live="polite">
        {board.said.value}
      </p>
      <button type="button" aria-label="Keyboard shortcuts" onClick={() => setIsShown(true)}>
        ?
      </button>
      {isShown && (
        <KeyHelp keys={[...keyList, ...others, ...gestures]} onClose={() => setIsShown(false)} />
      )}
    </>
  );
}

/** Handles a key; false for a key without a meaning here. */
function act(key: string, board: Board, { view, change }: Pick<Props, "view" | "change">): boolean {
  const part = changeOf(key, view);
  if (part !== undefined) change(part);
  else if (key === "/") document.querySelector<HTMLElement>("[aria-keyshortcuts='/']")?.focus();
  else if (key === "ArrowLeft" || key === "ArrowRight")
    chartOf(board)?.step(key === "ArrowLeft" ? -1 : 1);
  else if (key === "[" || key === "]") chartOf(board)?.zoom(key === "[" ? 2 : 0.5);
  else if ("tfaov".includes(key)) chartOf(board)?.press(key);
  else return false;
  return true;
}

/** The change of the view by a key: the next choice of its kind; undefined for other keys. */
export function changeOf(key: string, view: ChartView): Partial<ChartView> | undefined {
  if (key === "0") return { range: undefined, heights: undefined };
  if (key === "l") return { y: after(yScales, view.y), heights: undefined };
  if (key === "x") {
    const { kind } = view.x;
    return { x: axisOf(kind === "metric" ? "step" : after(plainAxes, kind)), range: undefined };
  }
  if (key !== "s") return undefined;
  const texts = smoothings.map((smooth) => smooth && smoothText(smooth));
  const next = after(texts, view.smooth && smoothText(view.smooth));
  return { smooth: smoothings[texts.indexOf(next)] };
}

function after<T>(list: readonly T[], one: T): T {
  return list[(list.indexOf(one) + 1) % list.length];
}
