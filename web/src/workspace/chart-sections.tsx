import { useMemo } from "preact/hooks";
import { OpenSections } from "../pages/experiment/open-section.tsx";
import { sectionsOf } from "../pages/experiment/sections.ts";
import { Loaded } from "../parts/loaded.tsx";
import type { ChartPlaces } from "./drawn-chart.ts";
import { NothingFound } from "./nothing-found.tsx";

/**
 * The charts of a page. A page without a workspace places them by itself, and loads the script that
 * arranges them when somebody does.
 */
export function ChartSections(props: ChartPlaces) {
  const { names, wanted, workspace, arranging, draw } = props;
  const sections = useMemo(() => sectionsOf(names, wanted), [names.join("\n"), wanted]);
  if (workspace.applying === undefined) return <p class="waiting">Loading charts …</p>;
  if (workspace.isNeeded || arranging.isOn) return <Loaded load={loadArranged} props={props} />;
  return (
    <>
      <OpenSections {...props} sections={sections}>
        {(name) => draw({ key: name, names: [name] })}
      </OpenSections>
      {sections.length === 0 && <NothingFound {...props} />}
    </>
  );
}

const loadArranged = () =>
  import("./arranged/arranged-charts.tsx").then(({ ArrangedCharts }) => ArrangedCharts);
