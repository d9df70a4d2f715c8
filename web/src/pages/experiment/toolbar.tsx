import type { CatalogSeries } from "@lossless/client";
import { chartOf, type Board } from "../../chart/cursor/board.ts";
import type { Cut } from "../../chart/cut.ts";
import {
  axisOf,
  plainAxes,
  smoothings,
  smoothOf,
  smoothText,
  yScales,
  type ChartView,
} from "../../chart/view.ts";
import type { PageLocation } from "../../location.ts";
import { Narrow } from "../../parts/narrow.tsx";
import type { KeyList } from "../../parts/key-help.tsx";
import { countText } from "../../parts/words.ts";
import { Choose } from "./choose.tsx";
import { ExactValues } from "./exactly.tsx";
import { GroupChoices } from "./group-choices.tsx";
import { Keys } from "./keys.tsx";
import { PartitionChoices } from "./partition-choices.tsx";

interface Props {
  catalog: readonly CatalogSeries[];
  names: readonly string[];
  /** Fields of meta in which the page's experiments differ. */
  metaFields?: readonly string[];
  /** Set when the page shows only the first experiments found. */
  cut?: Cut | undefined;
  view: ChartView;
  change: (part: Partial<ChartView>) => void;
  location: PageLocation;
  board: Board;
  /** Keys of other parts of the page. */
  otherKeys?: KeyList;
}

const axisNames = {
  step: "step",
  offset: "steps from the first point",
  elapsed: "time from the first point",
  time: "time",
};
/** Controls shared by all charts of the page. */
export function Toolbar(props: Props) {
  const { catalog, names, metaFields = [], otherKeys = [], cut, view, change } = props;
  const { location, board } = props;
  const zoom = (factor: number) => chartOf(board)?.zoom(factor);
  const isWhole = view.range === undefined && view.heights === undefined;
  return (
    <div class="query toolbar">
      <input
        type="search"
        aria-label="Search series"
        aria-keyshortcuts="/"
        placeholder={`Search ${countText(names.length)} series`}
        value={location.parameter("m") ?? ""}
        onInput={(event) => location.change({ m: event.currentTarget.value })}
      />
      <Narrow class="axes" name="axes">
        <Axis names={names} view={view} change={change} />
        <Choose
          label="y"
          value={view.y}
          options={yScales.map((scale) => [scale, scale])}
          onChoose={(text) => change({ y: yScales.find((scale) => scale === text)! })}
        />
        <button
          type="button"
          aria-pressed={view.heights === "robust"}
          title="Scale y without the lowest and the highest hundredth of the drawn columns"
          onClick={() => change({ heights: view.heights === "robust" ? undefined : "robust" })}
        >
          robust
        </button>
        <Choose
          label="smooth"
          title="Smooths over a number of points of each line, however far apart they are. The text below a chart says how many."
          value={view.smooth === undefined ? "" : smoothText(view.smooth)}
          options={smoothings.map((smooth) => [
            smooth === undefined ? "" : smoothText(smooth),
            smooth === undefined ? "none" : smoothText(smooth).replace(":", " "),
          ])}
          onChoose={(text) => change({ smooth: smoothOf(text) })}
        />
        <GroupChoices {...{ catalog, metaFields, cut, view, change }} />
        <PartitionChoices {...{ catalog, metaFields, view, change }} />
        <span class="choices">
          <button type="button" aria-label="zoom out" onClick={() => zoom(2)}>
            −
          </button>
          <button type="button" aria-label="zoom in" onClick={() => zoom(0.5)}>
            +
          </button>
          {!isWhole && (
            <button type="button" onClick={() => change({ range: undefined, heights: undefined })}>
              reset zoom
            </button>
          )}
          <ExactValues view={view} change={change} />
          <Keys board={board} view={view} change={change} others={otherKeys} />
        </span>
      </Narrow>
    </div>
  );
}

function Axis({ names, view, change }: Pick<Props, "names" | "view" | "change">) {
  const { x, isLogX } = view;
  const metrics = x.kind === "metric" && !names.includes(x.name) ? [x.name, ...names] : names;
  return (
    <>
      <Choose
        label="x"
        value={x.kind === "metric" ? `metric:${x.name}` : x.kind}
        options={[
          ...plainAxes.map((kind): [string, string] => [kind, axisNames[kind]]),
          ...metrics.map((name): [string, string] => [`metric:${name}`, name]),
        ]}
        onChoose={(text) => change({ x: axisOf(text), range: undefined })}
      />
      <button
        type="button"
        aria-pressed={isLogX}
        onClick={() => change({ isLogX: !isLogX, range: undefined })}
      >
        log x
      </button>
    </>
  );
}
