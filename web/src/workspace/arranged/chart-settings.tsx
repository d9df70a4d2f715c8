import { useState } from "preact/hooks";
import type { ChartView } from "../../chart/view.ts";
import { Choose } from "../../pages/experiment/choose.tsx";
import type { Section } from "../../pages/experiment/sections.ts";
import { Dialog } from "../../parts/dialog.tsx";
import { SaveForm } from "../../parts/save-form.tsx";
import type { ChartsWorkspace } from "../use-workspace.ts";
import { columnCounts, heights } from "./arrange-bar.tsx";
import { withChart, withoutChart } from "./edits.ts";
import { MetricsField } from "./metrics-field.tsx";
import { mayCombine, OperatorField } from "./operator-field.tsx";
import { OwnAxes } from "./own-axes.tsx";
import { hiddenName, pinnedName, titleOf, type PlacedChart } from "./placed.ts";
import { TitleField } from "./title-field.tsx";

interface Props {
  workspace: ChartsWorkspace;
  names: readonly string[];
  chart: PlacedChart;
  sections: readonly Section[];
  /** The view of the page. */
  view: ChartView;
  onClose: () => void;
}

/** The settings of one chart. */
export function ChartSettings({ workspace, names, chart, sections, view, onClose }: Props) {
  const { layout, edit } = workspace;
  const { key } = chart;
  const isOfMetric = names.includes(key);
  const [title, setTitle] = useState(chart.title ?? "");
  const [lines, setLines] = useState<string[]>(chart.lines ?? [key]);
  const [operator, setOperator] = useState(chart.operator);
  const [own, setOwn] = useState(chart.view ?? "");
  const [place, setPlace] = useState(placeOf(chart));
  const apply = async () => {
    if (lines.length === 0) throw new Error("Choose at least one metric.");
    const isUsual = isOfMetric && lines.length === 1 && lines[0] === key;
    const set = {
      title: title.trim(),
      lines: isUsual ? undefined : lines,
      operator: mayCombine(lines) ? operator : undefined,
      view: own,
      section: place.section,
      columns: place.columns === "" ? undefined : Number(place.columns),
      height: place.height === "" ? undefined : Number(place.height),
    };
    edit(withChart(layout, key, set));
    onClose();
  };
  const remove = (
    <button type="button" onClick={() => (edit(withoutChart(layout, key)), onClose())}>
      Remove this chart
    </button>
  );
  return (
    <Dialog title={`Settings of ${titleOf(chart)}`} onClose={onClose}>
      <SaveForm action="Apply" save={apply} more={!isOfMetric && remove}>
        <TitleField title={title} onChange={setTitle} />
        <MetricsField legend="Metrics" names={names} chosen={lines} onChange={setLines} />
        <OperatorField
          {...{ operator, chosen: lines }}
          onChange={(next, by) => (setLines(next), setOperator(by))}
        />
        <OwnAxes names={names} view={view} own={own} onChange={setOwn} />
        <PlaceFields
          place={place}
          sections={sections}
          onChange={(part) => setPlace({ ...place, ...part })}
        />
      </SaveForm>
    </Dialog>
  );
}

interface Place {
  section: string;
  columns: string;
  height: string;
}

function placeOf({ section = "", columns = "", height = "" }: PlacedChart | Place): Place {
  return { section, columns: `${columns}`, height: `${height}` };
}

interface PlaceProps {
  place: Place;
  sections: readonly Section[];
  onChange: (part: Partial<Place>) => void;
}

function PlaceFields({ place, sections, onChange }: PlaceProps) {
  const others = sections.flatMap(({ name }) =>
    name === pinnedName || name === hiddenName ? [] : [[name, name] as const],
  );
  const widths = columnCounts.slice(1).map(([count]) => [count, `${count} columns`] as const);
  return (
    <div class="choices">
      <Choose
        label="section"
        value={place.section}
        options={[["", "by its name"], ...others]}
        onChoose={(section) => onChange({ section })}
      />
      <Choose
        label="width"
        value={place.columns}
        options={[["", "1 column"], ...widths]}
        onChoose={(columns) => onChange({ columns })}
      />
      <Choose
        label="height"
        value={place.height}
        options={heights}
        onChoose={(height) => onChange({ height })}
      />
    </div>
  );
}
