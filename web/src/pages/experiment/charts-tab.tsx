import type { ExperimentArtifactsReply, ExperimentRecord } from "@lossless/client";
import { useEffect, useMemo, useState } from "preact/hooks";
import { Board } from "../../chart/cursor/board.ts";
import { chosenColour } from "../../chart/lines/colours.ts";
import { Chart } from "../../chart/chart.tsx";
import { parametersOf, viewOf, type ChartView } from "../../chart/view.ts";
import type { PageProps } from "../../page.ts";
import { chartEntries, useArranging } from "../../workspace/arranging.ts";
import { ChartSections } from "../../workspace/chart-sections.tsx";
import type { DrawnChart } from "../../workspace/drawn-chart.ts";
import { drawnView } from "../../workspace/drawn-view.ts";
import type { ChartsWorkspace } from "../../workspace/use-workspace.ts";
import type { FirstMedia } from "./use-first-media.ts";
import { useAnchors } from "./anchors.ts";
import type { Annotations } from "./annotations.ts";
import { useCatalog } from "./catalog.ts";
import { openConsole } from "./console-page.ts";
import { DeleteSeries } from "./delete-series.tsx";
import { marksOf, type TrainingTime } from "./marks.ts";
import { NoPoints } from "./no-points.tsx";
import { useMedia } from "../../media/use-media.ts";
import { mayWrite } from "../../rights.ts";
import { chartsOf } from "./partitions.ts";
import { sectionsOf, unmatchedText } from "./sections.ts";
import { tabKeys } from "./tab-keys.tsx";
import { Toolbar } from "./toolbar.tsx";
import { Unplaced } from "./unplaced.tsx";

interface Props extends PageProps {
  record: ExperimentRecord;
  revision: number;
  /** Revisions by name of series. */
  revisions: ReadonlyMap<string, number>;
  annotations: Annotations["found"];
  /** Time of the beginning, once known. */
  training: TrainingTime | undefined;
  written: ExperimentArtifactsReply | undefined;
  workspace: ChartsWorkspace;
  media: FirstMedia;
  onAnnotate: (step: Promise<number | undefined> | undefined) => void;
}

export function ChartsTab(props: Props) {
  const { record, revision, revisions, annotations, written } = props;
  const { service, location, workspace, onAnnotate } = props;
  const { experimentId } = record;
  const colour = chosenColour(record.meta);
  const wanted = location.parameter("m") ?? "";
  const read = (name: string) => location.parameter(name);
  const view = viewOf(read);
  const arranging = useArranging();
  const board = useMemo(() => new Board(), []);
  useNamedTime(board, view, location);
  const names = [...revisions.keys()];
  const catalog = useCatalog(service, experimentId, revisions.size, revision);
  const events = useMemo(
    () => marksOf(record, annotations?.annotations ?? [], written?.versions ?? [], props.training),
    [record, annotations, written, props.training],
  );
  const one = [{ experimentId, revision, name: record.slug, kind: undefined }];
  const media = useMedia(location, one, props.media, board, view, events);
  const { marks } = media;
  // From all names, so that marks keep their places whatever is searched or pinned.
  const reference = useMemo(() => sectionsOf(names, "")[0]?.series[0], [revisions]);
  const anchors = useAnchors(service, experimentId, reference, marks, view.x.kind);
  const change = (part: Partial<ChartView>, isStep = true) =>
    location.change(parametersOf(part), isStep);
  const [deleting, setDeleting] = useState<string>();
  // Values that are not finite are no points, and may be all that a series receives.
  const revisionOf = (name: string) =>
    revisions.get(name)! +
    marks.filter(({ kind, seriesName }) => kind === "nonfinite" && seriesName === name).length;
  if (revisions.size === 0) return <NoPoints {...{ record, marks, media, service, location }} />;
  const draw = ({ key, own, names: shown, ...set }: DrawnChart) => {
    const [seriesName, ...others] = shown;
    const drawn = drawnView(read, { own, names: shown, operator: set.operator });
    return chartsOf(catalog.get(seriesName), drawn).map((choices) => (
      <Chart
        key={JSON.stringify([key, choices])}
        members={[{ experimentId, revision: sumOf(shown.map(revisionOf)), colour }]}
        marked={experimentId}
        onView={change}
        {...chartEntries(workspace, arranging, key)}
        {...set}
        {...(mayWrite(service) && { onAnnotate, ...deletingOf(shown, setDeleting) })}
        onConsole={(time) => void openConsole(location, time)}
        {...{ service, seriesName, others, choices, view: drawn, board, marks, anchors }}
      />
    ));
  };
  return (
    <>
      <Toolbar
        catalog={[...catalog.values()]}
        otherKeys={[...tabKeys, ...media.keys]}
        {...{ names, view, change, location, board, arranging, service }}
      />
      <Unplaced count={anchors.unplaced} />
      <ChartSections
        nothing={unmatchedText(wanted)}
        {...{ names, wanted, workspace, arranging, media, view, change, draw, service, location }}
      />
      {deleting !== undefined && (
        <DeleteSeries
          {...{ service, record }}
          seriesName={deleting}
          onClose={() => setDeleting(undefined)}
        />
      )}
    </>
  );
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0);
}

/** Puts the cursor where the address says, as a line of the console has named this time. */
function useNamedTime(board: Board, { x }: ChartView, location: PageProps["location"]): void {
  const at = x.kind === "time" ? Number(location.parameter("at") ?? NaN) : NaN;
  useEffect(() => {
    if (Number.isFinite(at)) board.cursor.value = { x: at, chart: "" };
  }, [board, at]);
}

/** A chart of one series moves it to the trash. */
function deletingOf(names: readonly string[], open: (name: string) => void) {
  const [name, ...others] = names;
  return others.length === 0 ? { onDelete: () => open(name) } : {};
}
