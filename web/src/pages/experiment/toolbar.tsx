import type { CatalogSeries } from "@lossless/client";
import { chartOf, type Board } from "../../chart/cursor/board.ts";
import type { Cut } from "../../chart/cut.ts";
import { axisNames, axisOf, plainAxes, yScales, type ChartView } from "../../chart/view.ts";
import type { PageLocation } from "../../location.ts";
import { Loaded } from "../../parts/loaded.tsx";
import { Narrow } from "../../parts/narrow.tsx";
import type { KeyList } from "../../parts/key-help.tsx";
import { countedText } from "../../parts/words.ts";
import type { Service } from "../../signed-in.ts";
import type { Arranging } from "../../workspace/arranging.ts";
import type { RankedKey } from "../../chart/groups/ranked-keys.ts";
import { Choose } from "./choose.tsx";
import { ExactValues } from "./exactly.tsx";
import { loadGroupChoices } from "./load-group-choices.ts";
import { Keys } from "./keys.tsx";
import { keysOf } from "./partitions.ts";
import { PartitionChoices } from "./partition-choices.tsx";
import { Smoothing } from "./smoothing.tsx";

interface Props {
  catalog: readonly CatalogSeries[];
  names: readonly string[];
  /** Fields of meta in which the page's experiments differ. */
  metaFields?: readonly RankedKey[];
  /** Set when the page shows only the first experiments found. */
  cut?: Cut | undefined;
  /** Whether the page shows several experiments. */
  isOfSeveral?: boolean;
  /** Guests group nothing. */
  service: Pick<Service, "visit">;
  view: ChartView;
  change: (part: Partial<ChartView>) => void;
  location: PageLocation;
  board: Board;
  arranging: Arranging;
  /** Keys of other parts of the page. */
  otherKeys?: KeyList;
}

/** Controls shared by all charts of the page. */
export function Toolbar(props: Props) {
  const { catalog, names, metaFields = [], otherKeys = [], cut, view, change } = props;
  const { location, board, arranging, isOfSeveral = false, service } = props;
  const zoom = (factor: number) => chartOf(board)?.zoom(factor);
  const isWhole = view.range === undefined && view.heights === undefined;
  return (
    <div class="query toolbar" data-several={isOfSeveral}>
      <input
        type="search"
        aria-label="Search the charts"
        aria-keyshortcuts="/"
        placeholder={`Search ${countedText(names.length, "metric")}`}
        value={location.parameter("m") ?? ""}
        onInput={(event) => location.change({ m: event.currentTarget.value })}
      />
      <Narrow class="axes" name="axes">
        <Axis names={names} view={view} change={change} />
        <span class="pair">
          <Choose
            label="y"
            value={view.y}
            options={yScales.map((scale) => [scale, scale])}
            onChoose={(text) => change({ y: yScales.find((scale) => scale === text)! })}
          />
          <button
            type="button"
            aria-pressed={view.heights === "robust"}
            title="Scale y to the middle 98 % of the drawn columns"
            onClick={() => change({ heights: view.heights === "robust" ? undefined : "robust" })}
          >
            ignore outliers
          </button>
        </span>
        {(isOfSeveral || view.group !== undefined || keysOf(catalog).size > 0) && (
          <Loaded
            load={loadGroupChoices}
            props={{ catalog, metaFields, cut, isOfSeveral, visit: service.visit, view, change }}
          />
        )}
        <Smoothing view={view} change={change} />
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
          <button
            type="button"
            class={arranging.isOn ? undefined : "strong"}
            aria-pressed={arranging.isOn}
            onClick={() => (arranging.isOn ? arranging.close() : arranging.open())}
          >
            arrange
          </button>
        </span>
      </Narrow>
    </div>
  );
}

function Axis({ names, view, change }: Pick<Props, "names" | "view" | "change">) {
  const { x, isLogX } = view;
  const metrics = x.kind === "metric" && !names.includes(x.name) ? [x.name, ...names] : names;
  return (
    <span class="pair">
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
    </span>
  );
}
