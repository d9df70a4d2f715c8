import { useMemo } from "preact/hooks";
import { Board } from "../../chart/cursor/board.ts";
import { rankedKeys } from "../../chart/groups/ranked-keys.ts";
import { Chart } from "../../chart/chart.tsx";
import { parametersOf, viewOf, type ChartView } from "../../chart/view.ts";
import { useLogged } from "../../media/use-logged.ts";
import { useMedia } from "../../media/use-media.ts";
import { sectionsOf, unmatchedText } from "../experiment/sections.ts";
import { Toolbar } from "../experiment/toolbar.tsx";
import { Unplaced } from "../experiment/unplaced.tsx";
import { chartEntries, useArranging } from "../../workspace/arranging.ts";
import { ChartSections } from "../../workspace/chart-sections.tsx";
import type { DrawnChart } from "../../workspace/drawn-chart.ts";
import { drawnView } from "../../workspace/drawn-view.ts";
import { useWorkspace } from "../../workspace/use-workspace.ts";
import { foundBy, liveQuery, liveWith } from "./compare-address.ts";
import type { PanelProps } from "./panel.ts";
import { unreadText } from "./meta-fields.ts";
import { comparedCharts, membersWith, namesOfAll } from "./series-of-all.ts";
import { listKeys } from "./list-keys.ts";
import { useCatalogs } from "./use-catalogs.ts";
import { useMarks } from "./use-marks.ts";
import { useMetas } from "./use-metas.ts";
import { useSeries } from "./use-series.ts";

/** The curves: a chart for each name of a series, with a line for each experiment that has it. */
export function ChartsPanel({ service, location, compared, address, pointed }: PanelProps) {
  const { experiments, cut } = compared;
  const reference = compared.reference!;
  const wanted = location.parameter("m") ?? "";
  const read = (name: string) => location.parameter(name);
  const view = viewOf(read);
  const workspace = useWorkspace({ service, location }, folderOf(address, experiments));
  const arranging = useArranging();
  const board = useMemo(() => new Board(pointed), [pointed]);
  const series = useSeries(service, experiments);
  const names = useMemo(
    () => (series === undefined ? [] : namesOfAll(experiments, series)),
    [experiments, series],
  );
  const metas = useMetas(service, experiments);
  const fields = useMemo(() => {
    const seen = experiments.filter(({ isHidden }) => !isHidden);
    return rankedKeys(seen.flatMap((one) => metas?.byExperiment.get(one.experimentId) ?? []));
  }, [metas, experiments]);
  const catalog = useCatalogs(service, experiments, series);
  const marked = useMemo(() => {
    const own = [...(series?.get(reference.experimentId)?.keys() ?? [])];
    return sectionsOf(own, "")[0]?.series[0];
  }, [series, reference.experimentId]);
  const { marks: events, anchors } = useMarks(service, reference, marked, view.x.kind);
  const shown = shownMedia(experiments, reference);
  const logged = useLogged(service, shown, wanted);
  const media = useMedia(location, shown, { logged }, board, view, events);
  const { marks } = media;
  const change = (part: Partial<ChartView>, isStep = true) =>
    location.change(parametersOf(part), isStep);
  if (series === undefined || metas === undefined) return <p class="waiting">Loading series …</p>;
  const wholeOf = (...part: [string, string?]) => wholeBehind(address, experiments, ...part);
  const unread = view.group === undefined ? undefined : unreadText(metas.unread);
  const draw = ({ key, own, names: drawn, ...set }: DrawnChart) => {
    const [seriesName, ...others] = drawn;
    const members = membersWith(drawn, experiments, series, metas.byExperiment, set.operator);
    const shown = drawnView(read, { own, names: drawn, operator: set.operator });
    const parts = comparedCharts(members, catalog.get(seriesName), shown, metas.tests);
    return parts.map(({ part, test, choices, of }) => (
      <Chart
        key={JSON.stringify([key, part, choices])}
        part={part}
        members={of}
        marked={reference.experimentId}
        onView={change}
        {...chartEntries(workspace, arranging, key)}
        {...set}
        {...wholeOf(part, test)}
        {...{ service, seriesName, others, choices, view: shown, board, marks, anchors, cut }}
      />
    ));
  };
  return (
    <section class="curves" aria-label="Charts">
      <Toolbar
        catalog={[...catalog.values()]}
        metaFields={fields}
        otherKeys={[...listKeys, ...media.keys]}
        {...{ isOfSeveral: true, names, view, change, location, board, cut, arranging, service }}
      />
      {unread !== undefined && <p role="status">{unread}</p>}
      <Unplaced count={anchors.unplaced} />
      <ChartSections
        nothing={nothingText(experiments, names, wanted)}
        {...{ names, wanted, workspace, arranging, media, view, change, draw, service, location }}
      />
    </section>
  );
}

/** The experiments that are not hidden, the baseline first, by the names that people gave them. */
function shownMedia(
  experiments: PanelProps["compared"]["experiments"],
  { experimentId: first }: { experimentId: string },
) {
  const ordered = [
    ...experiments.filter(({ experimentId }) => experimentId === first),
    ...experiments.filter(({ experimentId }) => experimentId !== first),
  ];
  const shown = ordered.filter(({ isHidden }) => !isHidden);
  return shown.map(({ name, slug, ...one }) => ({ ...one, name: name ?? slug }));
}

/** The query behind a chart, and all that it finds; of a chart split off, those of its part. */
function wholeBehind(
  address: PanelProps["address"],
  experiments: PanelProps["compared"]["experiments"],
  part: string,
  test?: string,
) {
  const whole = liveQuery(address, experiments);
  const live = part === "" ? whole : liveWith(whole, test);
  return { live, found: foundBy(address, experiments, live, part) };
}

/** The folder of a query, or the one that all experiments are in; null: there is none. */
function folderOf(
  { asked }: PanelProps["address"],
  experiments: readonly { folderId: string | null }[],
): string | null {
  if (asked?.kind === "query" && asked.folder !== undefined) return asked.folder;
  const folders = new Set(experiments.map(({ folderId }) => folderId));
  return folders.size === 1 ? [...folders][0] : null;
}

function nothingText(
  experiments: readonly { isHidden: boolean }[],
  names: readonly string[],
  wanted: string,
): string {
  if (experiments.every(({ isHidden }) => isHidden)) return "All experiments are hidden.";
  return names.length === 0 ? "No points are recorded yet." : unmatchedText(wanted);
}
