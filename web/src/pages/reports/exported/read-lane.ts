import { LosslessError, type OverviewReply } from "@lossless/client";
import { axisRange } from "../../../chart/axes/axis-x.ts";
import {
  marksFor,
  newestMarks,
  placedMarks,
  staysAtEdge,
  type Mark,
  type PlacedMark,
} from "../../../chart/lane/marks.ts";
import type { XAxis } from "../../../chart/view.ts";
import { countText, messageOf } from "../../../parts/words.ts";
import type { Service } from "../../../signed-in.ts";
import type { ComparedExperiment } from "../../compare/use-compared.ts";
import { namedMarks } from "../../compare/use-marks.ts";
import { readAnchors } from "../../experiment/anchors.ts";
import { marksOf } from "../../experiment/marks.ts";
import { unplacedText } from "../../experiment/unplaced.tsx";
import { placed } from "../../../base-path.ts";

/** Marks in a file at most: a hundred thousand annotations would make it too large to open. */
const marksMax = 1_000;

/** The events of an experiment in a file: the marks of a chart's lane, and the words below it. */
export interface ReadLane {
  happened: PlacedMark[];
  words: string[];
  /** Why the marks are missing. */
  problem?: string;
}

/** State shared by the charts of one file. */
export interface ExportContext {
  service: Service;
  /** Marks by experiment, read once for all charts. */
  marks: Map<string, Promise<readonly Mark[]>>;
  stopped: AbortSignal;
}

interface LaneRequest {
  reference: ComparedExperiment;
  /** The series of the chart. */
  names: readonly string[];
  axis: XAxis["kind"];
  /** The overviews in the file, all on the same axis. */
  overviews: readonly OverviewReply[];
  /** Whether the range is the whole axis. */
  isWhole: boolean;
}

/** Marks of a chart's reference experiment, within its range. */
export async function readLane(reading: ExportContext, asked: LaneRequest): Promise<ReadLane> {
  try {
    return await laneOf(reading, asked);
  } catch (error) {
    reading.stopped.throwIfAborted();
    if (!(error instanceof LosslessError)) throw error;
    return { happened: [], words: [], problem: `marks: ${messageOf(error)}` };
  }
}

async function laneOf(
  reading: ExportContext,
  { reference, names, axis, overviews, isWhole }: LaneRequest,
): Promise<ReadLane> {
  const { service, stopped } = reading;
  const { experimentId } = reference;
  const own = reading.marks.get(experimentId) ?? readMarks(reading, experimentId);
  reading.marks.set(experimentId, own);
  const all = namedMarks(reference, await own);
  const series = { experimentId, seriesName: names[0] };
  const anchors = await readAnchors(service, series, all, axis, stopped);
  const seen = placedMarks(marksFor(names, all), overviews[0], anchors).filter((placed) =>
    overviews.some((overview) => isSeen(placed, overview, isWhole)),
  );
  const words = anchors.unplaced > 0 ? [unplacedText(anchors.unplaced)] : [];
  if (seen.length > marksMax)
    words.push(`the newest ${countText(marksMax)} of ${countText(seen.length)} marks`);
  return { happened: newestMarks(seen, marksMax).map(withWholeAddress), words };
}

async function readMarks(
  { service: { client }, stopped }: ExportContext,
  experimentId: string,
): Promise<readonly Mark[]> {
  const [record, { annotations }, { versions }, training] = await Promise.all([
    client.experiment({ experimentId }, stopped),
    // Without those of media, as on the page, where they have no signs either.
    client.views.annotations(experimentId, undefined, stopped, { logged: "omit" }),
    client.views.experimentArtifacts(experimentId, stopped),
    client.attributes({ experimentId }, stopped),
  ]);
  return marksOf(record, annotations, versions, training);
}

/** Whether a mark is in the range: a file cannot zoom, so others are left out. */
function isSeen({ mark, x }: PlacedMark, overview: OverviewReply, isWhole: boolean): boolean {
  if (staysAtEdge(mark, isWhole)) return true;
  const [start, end] = axisRange(overview);
  return x <= end && (x >= start || mark.isLasting === true);
}

/** Makes the address absolute: a file has no pages beside it. */
function withWholeAddress({ mark, x }: PlacedMark): PlacedMark {
  if (mark.saved === undefined) return { mark, x };
  const address = new URL(placed(mark.saved.address), window.location.origin).href;
  return { mark: { ...mark, saved: { ...mark.saved, address } }, x };
}
