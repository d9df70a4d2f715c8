import type { LayoutChart } from "@lossless/client";
import type { SeriesOperator } from "@lossless/protocol";
import { useState } from "preact/hooks";
import { Dialog } from "../../parts/dialog.tsx";
import { SaveForm } from "../../parts/save-form.tsx";
import { seriesNamesText } from "../../chart/series-names.ts";
import { MetricsField } from "./metrics-field.tsx";
import { mayCombine, OperatorField } from "./operator-field.tsx";
import { TitleField } from "./title-field.tsx";

interface Props {
  names: readonly string[];
  /** Keys of charts that there are. */
  taken: readonly string[];
  onMade: (chart: LayoutChart) => void;
  onClose: () => void;
}

/** Makes a chart of several metrics. */
export function NewChart({ names, taken, onMade, onClose }: Props) {
  const [lines, setLines] = useState<string[]>([]);
  const [operator, setOperator] = useState<SeriesOperator>();
  const [title, setTitle] = useState("");
  const make = async () => {
    if (lines.length === 0) throw new Error("Choose at least one metric.");
    const combined = mayCombine(lines) ? operator : undefined;
    const named = title.trim() || seriesNamesText(lines, combined);
    const key = freeKey(named, [...names, ...taken]);
    const drawn = { key, lines, ...(combined && { operator: combined }) };
    onMade({ ...drawn, ...(title.trim() !== "" && { title: title.trim() }) });
  };
  return (
    <Dialog title="New chart" onClose={onClose}>
      <SaveForm action="Add" save={make}>
        <MetricsField legend="Metrics" names={names} chosen={lines} onChange={setLines} />
        <OperatorField
          {...{ operator, chosen: lines }}
          onChange={(next, by) => (setLines(next), setOperator(by))}
        />
        <TitleField title={title} onChange={setTitle} />
      </SaveForm>
    </Dialog>
  );
}

/** A key that no chart has. */
function freeKey(wanted: string, taken: readonly string[]): string {
  const start = wanted.slice(0, keyCharacters).toWellFormed();
  let key = start;
  for (let number = 2; taken.includes(key); number++) key = `${start} (${number})`;
  return key;
}
const keyCharacters = 200;
