import { useEffect, useState } from "preact/hooks";
import type { Axis, AxisValue } from "./axis.ts";
import type { Brush, Brushes } from "./brushes.ts";
import { titleOf } from "./plotted.ts";

interface Props {
  axes: readonly Axis[];
  brushes: Brushes;
  logs: readonly string[];
  onBrush: (changed: ReadonlyMap<string, Brush | undefined>) => void;
  onLog: (field: string) => void;
}

/** What dragging does, with fields: a part of each axis, and whether it is logarithmic. */
export function AxisRanges({ axes, brushes, logs, onBrush, onLog }: Props) {
  return (
    <details class="axis-ranges">
      <summary>axes and their parts</summary>
      <ul>
        {axes.map((axis) => {
          const { field } = axis;
          const brush = brushes.get(field);
          const title = titleOf(field);
          const change = (next: Brush | undefined) => onBrush(new Map([[field, next]]));
          return (
            <li key={field}>
              <fieldset>
                <legend>{title}</legend>
                {axis.kind === "number" && (
                  <button
                    type="button"
                    aria-pressed={logs.includes(field)}
                    aria-label={`log ${title}`}
                    onClick={() => onLog(field)}
                  >
                    log
                  </button>
                )}
                {axis.kind === "category" ? (
                  <Choice {...{ axis, brush, change, title }} />
                ) : axis.kind === "number" ? (
                  <Range {...{ brush, change, title }} />
                ) : null}
                {brush !== undefined && (
                  <button
                    type="button"
                    aria-label={`all of ${title}`}
                    onClick={() => change(undefined)}
                  >
                    all
                  </button>
                )}
              </fieldset>
            </li>
          );
        })}
      </ul>
    </details>
  );
}

interface PartProps {
  brush: Brush | undefined;
  change: (next: Brush | undefined) => void;
  title: string;
}

function Range({ brush, change, title }: PartProps) {
  const range = brush?.kind === "range" ? brush : { from: undefined, to: undefined };
  const set = (part: { from?: number | undefined; to?: number | undefined }) => {
    const { from, to } = { ...range, ...part };
    const isOpen = from === undefined && to === undefined;
    change(isOpen ? undefined : { kind: "range", from, to });
  };
  return (
    <>
      <Edge label={`${title} from`} edge={range.from} onEdge={(from) => set({ from })} />
      <Edge label={`${title} to`} edge={range.to} onEdge={(to) => set({ to })} />
    </>
  );
}

interface EdgeProps {
  label: string;
  edge: number | undefined;
  onEdge: (edge: number | undefined) => void;
}

/** It counts when one leaves the field or presses Enter: each key would be another query. */
function Edge({ label, edge, onEdge }: EdgeProps) {
  const shown = edge === undefined ? "" : String(edge);
  const [text, setText] = useState(shown);
  useEffect(() => setText(shown), [shown]);
  const number = text.trim() === "" ? undefined : Number(text);
  const isNone = number !== undefined && !Number.isFinite(number);
  return (
    <label>
      {label.endsWith("from") ? "from" : "to"}
      <input
        inputMode="decimal"
        size={8}
        aria-label={label}
        aria-invalid={isNone}
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
        onChange={() => !isNone && number !== edge && onEdge(number)}
      />
    </label>
  );
}

/** More would be a list to read and not one to choose from: the query field has the others. */
const choicesMax = 30;

function Choice({ axis, brush, change }: PartProps & { axis: Axis }) {
  const chosen = brush?.kind === "choice" ? brush.values : axis.categories;
  const toggle = (value: Exclude<AxisValue, null>) => {
    const values = axis.categories.filter((each) => chosen.includes(each) !== (each === value));
    const isAll = values.length === axis.categories.length || values.length === 0;
    change(isAll ? undefined : { kind: "choice", values });
  };
  return axis.categories.slice(0, choicesMax).map((value) => (
    <label key={String(value)}>
      <input type="checkbox" checked={chosen.includes(value)} onChange={() => toggle(value)} />
      <bdi>{String(value)}</bdi>
    </label>
  ));
}
