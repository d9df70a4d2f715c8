import { useMemo } from "preact/hooks";
import { Board } from "../../chart/cursor/board.ts";
import { Chart } from "../../chart/chart.tsx";
import { listOf, listText, parametersOf, viewOf, type ChartView } from "../../chart/view.ts";
import { useMedia } from "../../media/use-media.ts";
import { OpenSections } from "../experiment/open-section.tsx";
import { sectionsOf } from "../experiment/sections.ts";
import { Toolbar } from "../experiment/toolbar.tsx";
import { Unplaced } from "../experiment/unplaced.tsx";
import { toggled } from "../../parts/toggled.ts";
import { liveQuery, liveWith } from "./compare-address.ts";
import type { PanelProps } from "./panel.ts";
import { differingFields, unreadText } from "./meta-fields.ts";
import { comparedCharts, membersWith, namesOfAll } from "./series-of-all.ts";
import { listKeys } from "./list-keys.ts";
import { useCatalogs } from "./use-catalogs.ts";
import { useMarks } from "./use-marks.ts";
import { useMetas } from "./use-metas.ts";
import { useSeries } from "./use-series.ts";

/** The curves: a chart for each name of a series, with a line for each experiment that has it. */
export function ChartsPanel({ service, location, compared, address }: PanelProps) {
  const { experiments, cut } = compared;
  const reference = compared.reference!;
  const wanted = location.parameter("m") ?? "";
  const pins = location.parameter("pin");
  const pinned = listOf(pins);
  const view = viewOf((name) => location.parameter(name));
  const board = useMemo(() => new Board(), []);
  const series = useSeries(service, experiments);
  const names = useMemo(
    () => (series === undefined ? [] : namesOfAll(experiments, series)),
    [experiments, series],
  );
  const sections = useMemo(
    () => sectionsOf(names, wanted, pinned),
    [names.join("\n"), wanted, pins],
  );
  const metas = useMetas(service, experiments);
  const fields = useMemo(() => {
    const shown = experiments.filter(({ isHidden }) => !isHidden);
    return differingFields(shown.flatMap((one) => metas?.byExperiment.get(one.experimentId) ?? []));
  }, [metas, experiments]);
  const catalog = useCatalogs(service, experiments, series);
  const marked = useMemo(() => {
    const own = [...(series?.get(reference.experimentId)?.keys() ?? [])];
    return sectionsOf(own, "")[0]?.series[0];
  }, [series, reference.experimentId]);
  const { marks: events, anchors } = useMarks(service, reference, marked, view.x.kind);
  const named = experiments.map(({ name, slug, ...one }) => ({ ...one, name: name ?? slug }));
  const shown = named.filter(({ isHidden }) => !isHidden);
  const media = useMedia(service, location, shown, board, view, events);
  const { marks } = media;
  const change = (part: Partial<ChartView>, isStep = true) =>
    location.change(parametersOf(part), isStep);
  const pin = (name: string) => location.change({ pin: listText(toggled(pinned, name)) }, true);
  if (series === undefined || metas === undefined) return <p class="waiting">Loading series …</p>;
  const live = liveQuery(address, experiments);
  const unread = view.group === undefined ? undefined : unreadText(metas.unread);
  const charts = (seriesName: string) => {
    const members = membersWith(seriesName, experiments, series, metas.byExperiment);
    const parts = comparedCharts(members, catalog.get(seriesName), view, metas.tests);
    return parts.map(({ part, test, choices, of }) => (
      <Chart
        key={JSON.stringify([seriesName, part, choices])}
        part={part}
        members={of}
        marked={reference.experimentId}
        isPinned={pinned.includes(seriesName)}
        onPin={() => pin(seriesName)}
        onView={change}
        live={part === "" ? live : liveWith(live, test)}
        {...{ service, seriesName, choices, view, board, marks, anchors, cut }}
      />
    ));
  };
  return (
    <section class="curves" aria-label="Charts">
      <Toolbar
        catalog={[...catalog.values()]}
        metaFields={fields}
        otherKeys={[...listKeys, ...media.keys]}
        {...{ names, view, change, location, board, cut }}
      />
      {unread !== undefined && <p role="status">{unread}</p>}
      <Unplaced count={anchors.unplaced} />
      <OpenSections {...{ sections, media, service, location }}>{charts}</OpenSections>
      {sections.length === 0 && <p class="waiting">{nothingText(compared.experiments, names)}</p>}
    </section>
  );
}

function nothingText(experiments: readonly { isHidden: boolean }[], names: readonly string[]) {
  if (experiments.every(({ isHidden }) => isHidden)) return "All experiments are hidden.";
  return names.length === 0 ? "No points are recorded yet." : "No series matches.";
}
