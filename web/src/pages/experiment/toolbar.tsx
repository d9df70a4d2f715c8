import type { CatalogSeries } from "@lossless/client";
import { chartOf, type Board } from "../../chart/board.ts";
import {
  axisOf,
  plainAxes,
  smoothings,
  smoothOf,
  smoothText,
  yScales,
  type ChartView,
  type Choice,
} from "../../chart/view.ts";
import type { PageLocation } from "../../location.ts";
import { countText } from "../../parts/words.ts";
import { Keys } from "./keys.tsx";
import { keysOf } from "./partitions.ts";

interface Props {
  catalog: readonly CatalogSeries[];
  names: readonly string[];
  view: ChartView;
  change: (part: Partial<ChartView>) => void;
  location: PageLocation;
  board: Board;
}

const axisNames = {
  step: "step",
  offset: "step from the first",
  elapsed: "time from the first",
  time: "time",
};
/** What all charts of the page have in common. */
export function Toolbar({ catalog, names, view, change, location, board }: Props) {
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
        title="Leave out the first and the last hundredth of all columns"
        onClick={() => change({ heights: view.heights === "robust" ? undefined : "robust" })}
      >
        robust
      </button>
      <Choose
        label="smooth"
        value={view.smooth === undefined ? "" : smoothText(view.smooth)}
        options={smoothings.map((smooth) => [
          smooth === undefined ? "" : smoothText(smooth),
          smooth === undefined ? "none" : smoothText(smooth).replace(":", " "),
        ])}
        onChoose={(text) => change({ smooth: smoothOf(text) })}
      />
      <Partitions catalog={catalog} view={view} change={change} />
      <span class="choices">
        <button type="button" aria-label="zoom out" onClick={() => zoom(2)}>
          −
        </button>
        <button type="button" aria-label="zoom in" onClick={() => zoom(0.5)}>
          +
        </button>
        {!isWhole && (
          <button type="button" onClick={() => change({ range: undefined, heights: undefined })}>
            whole range
          </button>
        )}
        <Keys board={board} view={view} change={change} />
      </span>
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

/** What tells partitions apart, and which of them are shown. */
function Partitions({ catalog, view, change }: Pick<Props, "catalog" | "view" | "change">) {
  const keys = keysOf(catalog);
  if (keys.size === 0) return null;
  const { split, only } = view;
  const choose = (key: string, value: string) => {
    const rest = only.filter((choice) => choice.key !== key);
    const chosen: Choice[] = value === "" ? rest : [...rest, { key, value: value.slice(1) }];
    change({ only: chosen });
  };
  return (
    <>
      <Choose
        label="partitions"
        value={split.kind === "key" ? `key:${split.key}` : split.kind}
        options={[
          ["colour", "by colour"],
          ["together", "together"],
          ...[...keys.keys()].map((key): [string, string] => [`key:${key}`, `a chart each ${key}`]),
        ]}
        onChoose={(text) =>
          change({
            split:
              text === "colour" || text === "together"
                ? { kind: text }
                : { kind: "key", key: text.slice("key:".length) },
          })
        }
      />
      {[...keys].map(([key, values]) => (
        <Choose
          key={key}
          label={key}
          value={only.some((choice) => choice.key === key) ? `=${valueOf(only, key)}` : ""}
          options={[["", "all"], ...values.map((value): [string, string] => [`=${value}`, value])]}
          onChoose={(text) => choose(key, text)}
        />
      ))}
    </>
  );
}

function valueOf(only: readonly Choice[], key: string): string {
  return only.find((choice) => choice.key === key)?.value ?? "";
}

function Choose({
  label,
  value,
  options,
  onChoose,
}: {
  label: string;
  value: string;
  options: readonly (readonly [value: string, text: string])[];
  onChoose: (value: string) => void;
}) {
  const isKnown = options.some(([each]) => each === value);
  return (
    <label class="choose">
      {label}{" "}
      <select
        aria-label={label}
        value={value}
        onChange={(event) => onChoose(event.currentTarget.value)}
      >
        {!isKnown && <option value={value}>{value}</option>}
        {options.map(([each, text]) => (
          <option key={each} value={each}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}
