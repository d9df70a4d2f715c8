import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { OpenSections, type Arrangement } from "../../pages/experiment/open-section.tsx";
import type { ChartPlaces } from "../drawn-chart.ts";
import { NothingFound } from "../nothing-found.tsx";
import { ArrangeBar } from "./arrange-bar.tsx";
import { ChartSettings } from "./chart-settings.tsx";
import { withMoved, withSection } from "./edits.ts";
import { hiddenName, placedCharts, titleOf } from "./placed.ts";
import { PlacedCard } from "./placed-card.tsx";
import { SectionTools } from "./section-tools.tsx";
import { WorkspaceBar } from "./workspace-bar.tsx";

/** Charts as the layout of the page has them, with controls to change it. */
export function ArrangedCharts(props: ChartPlaces) {
  const { names, wanted, workspace, arranging, media, service, location } = props;
  const { layout, edit } = workspace;
  const placed = useMemo(
    () => placedCharts(names, wanted, layout),
    [names.join("\n"), wanted, layout],
  );
  const { sections, charts } = placed;
  const [said, setSaid] = useState("");
  const refocus = useFocusOfMoved(layout);
  const move = (key: string, section: string, at: number) => {
    const count = sections.find(({ name }) => name === section)!.series.length;
    const place = Math.max(0, Math.min(count - 1, at)) + 1;
    refocus(key);
    setSaid(`${titleOf(charts.get(key)!)} is ${place} of ${count} in ${section}.`);
    edit(withMoved(layout, sections, key, { section, at }));
  };
  const isEditing = arranging.isOn && wanted.trim() === "";
  const editing: Arrangement = isEditing
    ? {
        tools: (section) => <SectionTools {...{ section, sections, workspace, names }} />,
        onToggled: ({ name, isClosed }, isOpen) => {
          if (isClosed === isOpen) edit(withSection(layout, name, { isClosed: !isOpen }));
        },
      }
    : {};
  const opened = arranging.chart === undefined ? undefined : charts.get(arranging.chart);
  return (
    <>
      <WorkspaceBar {...{ service, workspace }} />
      {arranging.isOn && <ArrangeBar {...{ workspace, names, onDone: arranging.close }} />}
      <p class="unseen" role="status">
        {said}
      </p>
      <OpenSections
        {...{ sections, media, service, location, ...editing }}
        columns={layout.columns}
      >
        {(key, section) => (
          <PlacedCard
            key={key}
            {...{ places: props, placed, section, move }}
            chart={charts.get(key)!}
            isMovable={isEditing && section.name !== hiddenName}
          />
        )}
      </OpenSections>
      {sections.length === 0 && <NothingFound {...props} />}
      {opened !== undefined && (
        <ChartSettings
          key={opened.key}
          {...{ workspace, names, chart: opened, sections, view: props.view }}
          onClose={() => arranging.open()}
        />
      )}
    </>
  );
}

/** Gives the focus to the handle of a chart that was moved: its card is another element there. */
function useFocusOfMoved(layout: ChartPlaces["workspace"]["layout"]): (key: string) => void {
  const moved = useRef<string | undefined>(undefined);
  useEffect(() => {
    if (moved.current === undefined) return;
    const card = `.placed[data-key="${CSS.escape(moved.current)}"]`;
    document.querySelector<HTMLElement>(`${card} .handle`)?.focus();
    moved.current = undefined;
  }, [layout]);
  return (key) => {
    moved.current = key;
  };
}
