import type { ExperimentArtifactsReply, ExperimentRecord } from "@lossless/client";
import { useEffect, useMemo, useState } from "preact/hooks";
import { Board } from "../../chart/cursor/board.ts";
import { Chart } from "../../chart/chart.tsx";
import { listOf, listText, parametersOf, viewOf, type ChartView } from "../../chart/view.ts";
import type { PageProps } from "../../page.ts";
import { toggled } from "../../parts/toggled.ts";
import { useAnchors } from "./anchors.ts";
import type { Annotations } from "./annotations.ts";
import { useCatalog } from "./catalog.ts";
import { openConsole } from "./console-page.ts";
import { DeleteSeries } from "./delete-series.tsx";
import { marksOf, type TrainingTime } from "./marks.ts";
import { NoPoints } from "./no-points.tsx";
import { useMedia } from "../../media/use-media.ts";
import { chartsOf } from "./partitions.ts";
import { OpenSections } from "./open-section.tsx";
import { sectionsOf } from "./sections.ts";
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
  onAnnotate: (step: Promise<number | undefined> | undefined) => void;
}

export function ChartsTab(props: Props) {
  const { record, revision, revisions, annotations, written } = props;
  const { service, location, onAnnotate } = props;
  const { experimentId } = record;
  const wanted = location.parameter("m") ?? "";
  const pins = location.parameter("pin");
  const pinned = listOf(pins);
  const view = viewOf((name) => location.parameter(name));
  const board = useMemo(() => new Board(), []);
  useNamedTime(board, view, location);
  const names = [...revisions.keys()];
  const sections = useMemo(() => sectionsOf(names, wanted, pinned), [revisions, wanted, pins]);
  const catalog = useCatalog(service, experimentId, revisions.size, revision);
  const events = useMemo(
    () => marksOf(record, annotations?.annotations ?? [], written?.versions ?? [], props.training),
    [record, annotations, written, props.training],
  );
  const one = [{ experimentId, revision, name: record.slug, kind: undefined }];
  const media = useMedia(service, location, one, board, view, events);
  const { marks } = media;
  // From all names, so that marks keep their places whatever is searched or pinned.
  const reference = useMemo(() => sectionsOf(names, "")[0]?.series[0], [revisions]);
  const anchors = useAnchors(service, experimentId, reference, marks, view.x.kind);
  const change = (part: Partial<ChartView>, isStep = true) =>
    location.change(parametersOf(part), isStep);
  const pin = (name: string) => location.change({ pin: listText(toggled(pinned, name)) }, true);
  const [deleting, setDeleting] = useState<string>();
  // Values that are not finite are no points, and may be all that a series receives.
  const revisionOf = (name: string) =>
    revisions.get(name)! +
    marks.filter(({ kind, seriesName }) => kind === "nonfinite" && seriesName === name).length;
  if (revisions.size === 0) return <NoPoints {...{ record, marks, media, service, location }} />;
  const charts = (seriesName: string) =>
    chartsOf(catalog.get(seriesName), view).map((choices) => (
      <Chart
        key={JSON.stringify([seriesName, choices])}
        members={[{ experimentId, revision: revisionOf(seriesName) }]}
        marked={experimentId}
        isPinned={pinned.includes(seriesName)}
        onPin={() => pin(seriesName)}
        onView={change}
        onAnnotate={onAnnotate}
        onConsole={(time) => void openConsole(location, time)}
        onDelete={() => setDeleting(seriesName)}
        {...{ service, seriesName, choices, view, board, marks, anchors }}
      />
    ));
  const series = [...catalog.values()];
  return (
    <>
      <Toolbar
        catalog={series}
        otherKeys={[...tabKeys, ...media.keys]}
        {...{ names, view, change, location, board }}
      />
      <Unplaced count={anchors.unplaced} />
      <OpenSections {...{ sections, media, service, location }}>{charts}</OpenSections>
      {deleting !== undefined && (
        <DeleteSeries
          {...{ service, record }}
          seriesName={deleting}
          onClose={() => setDeleting(undefined)}
        />
      )}
      {sections.length === 0 && <p class="waiting">No series matches.</p>}
    </>
  );
}

/** Puts the cursor where the address says, as a line of the console has named this time. */
function useNamedTime(board: Board, { x }: ChartView, location: PageProps["location"]): void {
  const at = x.kind === "time" ? Number(location.parameter("at") ?? NaN) : NaN;
  useEffect(() => {
    if (Number.isFinite(at)) board.cursor.value = { x: at, chart: "" };
  }, [board, at]);
}
