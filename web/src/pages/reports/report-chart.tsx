import type { ChartBlock } from "@lossless/protocol";
import { useSignal } from "@preact/signals";
import type { RefObject } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Cut } from "../../chart/cut.ts";
import type { Member } from "../../chart/lines/looks.ts";
import { useChartData } from "../../chart/use-chart-data.ts";
import { Plot } from "../../chart/paint/plot.tsx";
import { Readings } from "../../chart/cursor/readings.tsx";
import { useChartSize } from "../../chart/size.ts";
import { parametersOf, viewOf, type ChartView } from "../../chart/view.ts";
import type { Service } from "../../signed-in.ts";
import { type Compared, type ComparedExperiment, useCompared } from "../compare/use-compared.ts";
import { unreadText } from "../compare/meta-fields.ts";
import { type Metas, useMetas } from "../compare/use-metas.ts";
import { useFolderPath } from "../experiment/folder-path.ts";
import {
  askedBy,
  foundByBlock,
  pinnedBlock,
  standingText,
  titleOf,
  viewOfBlock,
} from "./chart-block.ts";
import type { ReportBoard } from "./report-board.tsx";
import { ReportLane } from "./report-lane.tsx";

/**
 * The present content of a chart: its lines, the number of running experiments, or why it is empty.
 */
export interface ShownChart {
  members: readonly Member[];
  cut: Cut | undefined;
  /** The experiment whose marks are shown below it. */
  reference: ComparedExperiment | undefined;
  running: number;
  /** The path of its query's folder. */
  folder: string;
  lack: string | undefined;
}

interface Props {
  service: Service;
  block: ChartBlock;
  board: ReportBoard;
  /** Receives the content drawn, for saving the report as a file. */
  onShown?: ((shown: ShownChart) => void) | undefined;
  /** Set in the editor: receives the block pinned to the present. */
  onPin?: ((pinned: ChartBlock) => void) | undefined;
}

/** A chart of a report. It is drawn even off screen, since all of them may be printed. */
export function ReportChart({ service, block, board, onPin, onShown }: Props) {
  const { compared, refusal } = useCompared(service, askedBy(block));
  const folder = useFolderPath(block.folderId ?? null, () => board.folders(service));
  const figure = useRef<HTMLElement>(null);
  const { width, height } = useScreenRoom(figure);
  const raised = useSignal<number | undefined>(undefined);
  const { asked, isZoomed, setZoom } = useZoom(block);
  const metas = useMetas(service, compared?.experiments ?? []);
  const members = useMemo(() => membersOf(compared, metas), [compared, metas]);
  const { seriesName, otherSeriesNames: others = [], operator } = block;
  const isAsked = members.length > 0 && seriesName !== "";
  const found = foundByBlock(block);
  const shownAs = { choices: asked.only, view: asked, cut: compared?.cut, found };
  const data = useChartData(
    { service, seriesName, others, operator, members, ...shownAs },
    isAsked ? width : 0,
  );
  const { request, overview, isCurrent, view, hasNames, plotWidth, looks, digits } = data;
  const unread = compared === undefined ? service.changes.problem.value : undefined;
  const problem = refusal ?? unread ?? data.problem;
  const name = titleOf(block) || "a chart";
  const common = { name, board, looks, digits, raised };
  const unreadMetas = asked.group === undefined ? undefined : unreadText(metas?.unread ?? 0);
  const shown = shownOf({ block, compared, members, folder, problem });
  const points = isZoomed ? undefined : overview?.points;
  const standing = standingText(block, { ...shown, points });
  useEffect(() => onShown?.(shown), Object.values(shown));
  const isRead = compared !== undefined && (metas !== undefined || !compared.experiments.length);
  const isWaiting = problem === undefined && !(isRead && (!isAsked || isCurrent));
  const { reference } = shown;
  const pin = () => onPin?.(pinnedBlock(block, idsOf(members), overview!, view.group, Date.now()));
  return (
    <figure
      class="chart"
      ref={figure}
      data-series={seriesName}
      data-waiting={isWaiting ? "" : undefined}
    >
      <figcaption>
        <h3>{name}</h3>
        {overview !== undefined && <Readings {...common} {...{ service, request, overview }} />}
      </figcaption>
      {overview === undefined || overview.series.length === 0 ? (
        <div class="plot" />
      ) : (
        <>
          <Plot
            {...common}
            {...{ overview, isCurrent, view, hasNames, width, height }}
            onView={(part) => setZoom(isWholeView(part) ? {} : part)}
          />
          {reference !== undefined && (
            <ReportLane
              key={reference.experimentId}
              {...{ service, board, reference, view, overview, width: plotWidth }}
              names={[seriesName, ...others]}
            />
          )}
        </>
      )}
      <Below
        words={[shown.nothing ?? data.caption, standing, unreadMetas ?? ""]}
        problem={problem}
        onBack={isZoomed ? () => setZoom({}) : undefined}
        onPin={onPin && overview && mayBePinned(block, compared, view) ? pin : undefined}
      />
    </figure>
  );
}

/** Groups of more experiments than a block names would lose some of them. */
function mayBePinned(block: ChartBlock, compared: Compared | undefined, view: ChartView): boolean {
  const isWhole = compared?.cut === undefined || view.group === undefined;
  return block.pinned === undefined && isWhole;
}

interface ChartContent {
  block: ChartBlock;
  compared: Compared | undefined;
  members: readonly Member[];
  folder: string;
  problem: string | undefined;
}

function shownOf({ block, compared, members, folder, problem }: ChartContent) {
  const running = compared?.experiments.filter(({ status }) => status === "running").length ?? 0;
  const isUnread = compared === undefined && problem !== undefined;
  /** Why nothing is drawn, for the words below. */
  const nothing = isUnread ? "" : wordsOf(compared, block.seriesName);
  const lack = nothing === undefined ? undefined : nothing || problem;
  return {
    members,
    running,
    folder,
    lack,
    nothing,
    cut: compared?.cut,
    reference: compared?.reference,
  };
}

/** The view of a block, zoomed for this reader only. */
function useZoom(block: ChartBlock) {
  const [zoom, setZoom] = useState<Partial<ChartView>>({});
  const saved = useMemo(() => viewOfBlock(block), [block.view]);
  const asked = useMemo(() => zoomed(saved, zoom), [saved, zoom]);
  return { asked, isZoomed: Object.keys(zoom).length > 0, setZoom };
}

function isWholeView({ range, heights }: Partial<ChartView>): boolean {
  return range === undefined && heights === undefined;
}

/** The room of the screen, kept while printing: another picture could not be awaited then. */
function useScreenRoom(figure: RefObject<HTMLElement | null>) {
  const room = useChartSize(figure);
  const { width, height } = room;
  const size = useRef({ width, height });
  if (!matchMedia("print").matches) size.current = { width, height };
  return { ...room, ...size.current };
}

function Below({
  words,
  problem,
  onBack,
  onPin,
}: {
  words: readonly string[];
  problem: string | undefined;
  onBack: (() => void) | undefined;
  onPin: (() => void) | undefined;
}) {
  return (
    <p class="below">
      {words.filter(Boolean).join(" · ")}{" "}
      {onBack !== undefined && (
        <button type="button" class="quiet" onClick={onBack}>
          back to the saved view
        </button>
      )}
      {onPin !== undefined && (
        <button type="button" class="quiet" onClick={onPin}>
          keep as of now
        </button>
      )}
      {problem !== undefined && <span role="alert">{problem}</span>}
    </p>
  );
}

function idsOf(members: readonly Member[]): string[] {
  return members.map(({ experimentId }) => experimentId);
}

/** The members; none until their metas are read, since they may decide the groups. */
function membersOf(compared: Compared | undefined, metas: Metas | undefined): Member[] {
  const experiments = compared?.experiments ?? [];
  return experiments.flatMap(({ experimentId, revision, name, slug, kind }) => {
    const meta = metas?.byExperiment.get(experimentId);
    if (meta === undefined) return [];
    const among = experiments.length > 1 && { among: { name: name ?? slug, kind } };
    return [{ experimentId, revision, meta, ...among }];
  });
}

/** Zooms a saved view for this reader only; values that the zoom lacks stay. */
function zoomed(saved: ChartView, zoom: Partial<ChartView>): ChartView {
  const parameters = { ...parametersOf(saved), ...parametersOf(zoom) };
  return viewOf((name) => parameters[name] || undefined);
}

/** Why nothing is drawn; undefined: something is. */
function wordsOf(compared: Compared | undefined, seriesName: string): string | undefined {
  if (seriesName === "") return "no series is chosen";
  if (compared === undefined) return "loading experiments …";
  if (compared.experiments.length > 0) return undefined;
  return "no experiments found: change the query, or choose experiments that still exist";
}
