import { useState } from "preact/hooks";
import { Choose } from "../../pages/experiment/choose.tsx";
import type { ChartsWorkspace } from "../use-workspace.ts";
import { withChart, withNumber, withSection } from "./edits.ts";
import { NewChart } from "./new-chart.tsx";
import { NewSection } from "./new-section.tsx";

interface Props {
  workspace: ChartsWorkspace;
  names: readonly string[];
  onDone: () => void;
}

/** Heights of plots to choose from, in CSS pixels. */
export const heights: readonly (readonly [value: string, text: string])[] = [
  ["", "usual"],
  ["160", "low"],
  ["320", "high"],
  ["480", "higher"],
  ["720", "highest"],
];
export const columnCounts = ["1", "2", "3", "4", "5", "6"].map((count) => [count, count] as const);

/** Settings of all charts of the page, while they are arranged. */
export function ArrangeBar({ workspace: { layout, edit }, names, onDone }: Props) {
  const [opened, setOpened] = useState<"chart" | "section">();
  const close = () => setOpened(undefined);
  const number = (text: string) => (text === "" ? undefined : Number(text));
  return (
    <div class="workspace-bar" role="group" aria-label="Arrange the charts">
      <Choose
        label="columns"
        value={`${layout.columns ?? ""}`}
        options={[["", "by the width"], ...columnCounts]}
        onChoose={(text) => edit(withNumber(layout, "columns", number(text)))}
      />
      <Choose
        label="height"
        value={`${layout.height ?? ""}`}
        options={heights}
        onChoose={(text) => edit(withNumber(layout, "height", number(text)))}
      />
      <button type="button" onClick={() => setOpened("chart")}>
        + chart
      </button>
      <button type="button" onClick={() => setOpened("section")}>
        + section
      </button>
      <button type="button" class="strong" onClick={onDone}>
        done
      </button>
      {opened === "chart" && (
        <NewChart
          names={names}
          onMade={({ key, ...chart }) => (edit(withChart(layout, key, chart)), close())}
          taken={(layout.charts ?? []).map(({ key }) => key)}
          onClose={close}
        />
      )}
      {opened === "section" && (
        <NewSection
          names={names}
          onMade={({ name, patterns }) => (edit(withSection(layout, name, { patterns })), close())}
          onClose={close}
        />
      )}
    </div>
  );
}
