import type { ExperimentRecord } from "@lossless/client";
import type { ComponentChildren } from "preact";
import { useMemo, useState } from "preact/hooks";
import { Chart } from "../../chart/chart.tsx";
import { listOf, listText, parametersOf, viewOf, type ChartView } from "../../chart/view.ts";
import type { PageProps } from "../../page.ts";
import { sectionsOf, type Section } from "./sections.ts";
import { Toolbar } from "./toolbar.tsx";

interface Props extends PageProps {
  record: ExperimentRecord;
  revisions: ReadonlyMap<string, number>;
}

export function ChartsTab({ record, revisions, service, location }: Props) {
  const wanted = location.parameter("m") ?? "";
  const pins = location.parameter("pin");
  const pinned = listOf(pins);
  const view = viewOf((name) => location.parameter(name));
  const names = [...revisions.keys()];
  const sections = useMemo(() => sectionsOf(names, wanted, pinned), [revisions, wanted, pins]);
  const change = (part: Partial<ChartView>) => location.change(parametersOf(part), true);
  const pin = (name: string) => {
    const rest = pinned.filter((each) => each !== name);
    const next = rest.length === pinned.length ? [...pinned, name] : rest;
    location.change({ pin: listText(next) }, true);
  };
  if (revisions.size === 0) return <p class="waiting">No points are recorded yet.</p>;
  return (
    <>
      <Toolbar names={names} view={view} change={change} location={location} />
      {sections.map((section) => (
        <Charts key={section.name} section={section}>
          {(seriesName) => (
            <Chart
              key={seriesName}
              service={service}
              experimentId={record.experimentId}
              seriesName={seriesName}
              revision={revisions.get(seriesName)!}
              view={view}
              isPinned={pinned.includes(seriesName)}
              onPin={() => pin(seriesName)}
              onView={change}
            />
          )}
        </Charts>
      ))}
      {sections.length === 0 && <p class="waiting">No series has such a name.</p>}
    </>
  );
}

/** One section: what is closed draws nothing. */
function Charts({
  section: { name, series, isClosed },
  children,
}: {
  section: Section;
  children: (seriesName: string) => ComponentChildren;
}) {
  const [isOpen, setIsOpen] = useState(!isClosed);
  return (
    <details open={isOpen} onToggle={(event) => setIsOpen(event.currentTarget.open)}>
      <summary>
        {name} <span class="count">{series.length}</span>
      </summary>
      {isOpen && <div class="charts">{series.map(children)}</div>}
    </details>
  );
}
