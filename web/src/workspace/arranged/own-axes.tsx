import {
  plainAxes,
  smoothings,
  smoothText,
  yScales,
  type ChartView,
  type Smooth,
} from "../../chart/view.ts";
import { Choose } from "../../pages/experiment/choose.tsx";

interface Props {
  names: readonly string[];
  /** The view of the page. */
  view: ChartView;
  /** The chart's own parameters, as the query of a page. */
  own: string;
  /** The choice that leaves an axis as it is. */
  unset?: string;
  onChange: (own: string) => void;
}

const axisNames = {
  step: "step",
  offset: "steps from the first point",
  elapsed: "time from the first point",
  time: "time",
};

/** Axes that a chart has for itself; all others are the page's. */
export function OwnAxes({ names, view, own, unset = "as the page", onChange }: Props) {
  const parameters = new URLSearchParams(own);
  const read = (name: string) => parameters.get(name) ?? "";
  const set = (name: string, value: string) => {
    const next = new URLSearchParams(own);
    if (value === "") next.delete(name);
    else next.set(name, value);
    onChange(next.toString());
  };
  const choice = (
    label: string,
    name: string,
    options: readonly (readonly [value: string, text: string])[],
  ) => (
    <Choose
      label={label}
      value={read(name)}
      options={[["", unset], ...options]}
      onChoose={(value) => set(name, value)}
    />
  );
  return (
    <fieldset class="own-axes">
      <legend>Own axes</legend>
      <div class="choices">
        {choice("x", "x", [
          ...plainAxes.map((kind) => [kind, axisNames[kind]] as const),
          ...names.map((name) => [`metric:${name}`, name] as const),
        ])}
        {choice("x scale", "xs", [
          ["linear", "linear"],
          ["log", "log"],
        ])}
        {choice(
          "y scale",
          "y",
          yScales.map((scale) => [scale, scale] as const),
        )}
        {choice(
          "smooth",
          "s",
          smoothings.map((smooth) => [textOf(smooth), textOf(smooth).replace(":", " ")] as const),
        )}
      </div>
      <div class="choices">
        <RangeFields label="x" text={read("r")} now={view.range} onChange={(to) => set("r", to)} />
        <RangeFields
          label="y"
          text={read("yr")}
          now={view.heights === "robust" ? undefined : view.heights}
          onChange={(to) => set("yr", to)}
        />
      </div>
    </fieldset>
  );
}

interface RangeProps {
  label: string;
  text: string;
  /** The range of the page. */
  now: { start: number; end: number } | undefined;
  onChange: (text: string) => void;
}

/** A range from one number to another; without both it is the page's. */
function RangeFields({ label, text, now, onChange }: RangeProps) {
  const [start = "", end = ""] = text.split("~");
  const field = (
    what: string,
    value: string,
    hint: number | undefined,
    change: (to: string) => string,
  ) => (
    <label>
      {label} {what}{" "}
      <input
        type="number"
        step="any"
        value={value}
        placeholder={hint === undefined ? "all" : `${hint}`}
        onInput={({ currentTarget }) => {
          const next = change(currentTarget.value);
          onChange(next === "~" ? "" : next);
        }}
      />
    </label>
  );
  return (
    <>
      {field("from", start, now?.start, (to) => `${to}~${end}`)}
      {field("to", end, now?.end, (to) => `${start}~${to}`)}
    </>
  );
}

function textOf(smooth: Smooth | undefined): string {
  return smooth === undefined ? "none" : smoothText(smooth);
}
