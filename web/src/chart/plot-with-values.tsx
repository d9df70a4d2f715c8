import { useComputed } from "@preact/signals";
import type { ComponentProps } from "preact";
import { useRef } from "preact/hooks";
import { Loaded } from "../parts/loaded.tsx";
import type { NearValuesProps } from "./cursor/near-values.tsx";
import { readingsShown } from "./cursor/readings.tsx";
import { Plot } from "./paint/plot.tsx";

/** The plot; over one of many lines, the values near the pointer. */
export function PlotWithValues(props: ComponentProps<typeof Plot>) {
  const around = useRef<HTMLDivElement>(null);
  const isMany = props.overview.series.length > readingsShown;
  return (
    <div class="with-values" ref={around}>
      <Plot {...props} />
      {isMany && <PointedValues {...props} around={around} />}
    </div>
  );
}

/** Loaded when the chart is pointed at. */
function PointedValues(props: NearValuesProps) {
  const { board, name } = props;
  const isPointed = useComputed(() => board.cursor.value?.chart === name);
  if (!isPointed.value) return null;
  return (
    <div class="pointed-values">
      <Loaded load={load} props={props} />
    </div>
  );
}

const load = async () => (await import("./cursor/near-values.tsx")).NearValues;
