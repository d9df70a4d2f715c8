import type { OverviewReply } from "@lossless/client";
import { Lane } from "../../chart/lane/lane.tsx";
import { marksFor, placedMarks } from "../../chart/lane/marks.ts";
import { useFirstStep } from "../../chart/overview/first-step.ts";
import type { ChartView } from "../../chart/view.ts";
import type { Service } from "../../signed-in.ts";
import type { ComparedExperiment } from "../compare/use-compared.ts";
import { useAnchors } from "../experiment/anchors.ts";
import { Unplaced } from "../experiment/unplaced.tsx";
import { type ReportBoard, useMarksOn } from "./report-board.tsx";

interface Props {
  service: Service;
  board: ReportBoard;
  reference: ComparedExperiment;
  names: readonly string[];
  view: ChartView;
  overview: OverviewReply;
  /** Width of the plot, in CSS pixels. */
  width: number;
}

/** Marks of a chart's reference experiment. */
export function ReportLane(props: Props) {
  const { service, board, reference, names, view, overview, width } = props;
  const [seriesName] = names;
  const marks = useMarksOn(board, reference);
  const { experimentId } = reference;
  const anchors = useAnchors(service, experimentId, seriesName, marks, view.x.kind);
  const own = marksFor(names, marks);
  const isOffset = view.x.kind === "offset" && own.length > 0;
  const firstStep = useFirstStep(service, isOffset ? experimentId : undefined, seriesName);
  const happened = placedMarks(own, overview, { ...anchors, firstStep });
  return (
    <>
      <Lane {...{ happened, overview, width, isWhole: view.range === undefined }} />
      <Unplaced count={anchors.unplaced} />
    </>
  );
}
