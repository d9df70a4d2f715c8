import { useEffect, useState } from "preact/hooks";
import type { Axis, AxisValue } from "./axis.ts";
import type { Brush, Brushes } from "./brushes.ts";
import { edgeExamples, edgeIn, edgeText, type EdgeKind } from "../../../parts/edge-text.ts";
import { titleOf } from "./plotted.ts";

interface Props {
  axes: readonly Axis[];
  brushes: Brushes;
  onBrush: (changed: ReadonlyMap<string, Brush | undefined>) => void;
  onLog: (field: string, isLog: boolean) => void;
}

/** Fields for what dragging does: the range of each axis, and whether it is logarithmic. */
export function AxisRanges({ axes, brushes, onBrush, onLog }: Props) {
  return (
    <details class="axis-ranges">
      <summary>ranges of the axes</summary>
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
                    aria-pressed={axis.isLog}
                    aria-label={`log ${title}`}
                    onClick={() => onLog(field, !axis.isLog)}
                  >
                    log
                  </button>
                )}
                {axis.kind === "category" ? (
                  <Choice {...{ axis, brush, change, title }} />
                ) : (
                  <Range {...{ kind: axis.kind, brush, change, title }} />
                )}
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

function Range({ kind, brush, change, title }: PartProps & { kind: EdgeKind }) {
  const range = brush?.kind === "range" ? brush : { from: undefined, to: undefined };
  const set = (part: { from?: number | undefined; to?: number | undefined }) => {
    const { from, to } = { ...range, ...part };
    const isOpen = from === undefined && to === undefined;
    change(isOpen ? undefined : { kind: "range", from, to });
  };
  return (
    <>
      <Edge {...{ kind, title, edge: range.from }} onEdge={(from) => set({ from })} />
      <Edge {...{ kind, title, edge: range.to }} isEnd onEdge={(to) => set({ to })} />
    </>
  );
}

interface EdgeProps {
  kind: EdgeKind;
  title: string;
  isEnd?: boolean;
  edge: number | undefined;
  onEdge: (edge: number | undefined) => void;
}

const sizes: Record<EdgeKind, number> = { number: 8, time: 19, duration: 8 };

/** A field of an edge. Applied on leaving it or on Enter: each key would be another query. */
function Edge({ kind, title, isEnd = false, edge, onEdge }: EdgeProps) {
  const shown = edge === undefined ? "" : edgeText(kind, edge);
  const [text, setText] = useState(shown);
  useEffect(() => setText(shown), [shown]);
  const written = text.trim();
  const next = written === "" ? undefined : edgeIn(kind, written, isEnd);
  const isNone = written !== "" && next === undefined;
  const name = isEnd ? "to" : "from";
  return (
    <label>
      {name}
      <input
        inputMode={kind === "number" ? "decimal" : "text"}
        size={sizes[kind]}
        placeholder={kind === "number" ? undefined : edgeExamples[kind]}
        aria-label={`${title} ${name}`}
        aria-invalid={isNone}
        title={isNone ? `for example ${edgeExamples[kind]}` : undefined}
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
        onChange={() => !isNone && written !== shown && onEdge(next)}
      />
    </label>
  );
}

/** Values offered at most; the query field has the others. */
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
