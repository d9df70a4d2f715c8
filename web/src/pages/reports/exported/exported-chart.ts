import type { OverviewReply } from "@lossless/client";
import type { PlacedMark } from "../../../chart/lane-marks.ts";
import type { LineLook } from "../../../chart/lines.ts";
import type { ChartView } from "../../../chart/view.ts";

/** A chart as a file carries it: what the service gave for one and for two pixels a CSS pixel. */
export interface ExportedChart {
  name: string;
  view: ChartView;
  digits: number;
  width: number;
  height: number;
  hasNames: boolean;
  pictures: { ratio: number; overview: OverviewReply; looks: LineLook[] }[];
  /** The lane below it. */
  happened: PlacedMark[];
}

/** The picture that has enough columns for a screen; beyond, the one that has most. */
export function pictureFor({ pictures }: ExportedChart, ratio: number) {
  return pictures.find((picture) => picture.ratio >= ratio) ?? pictures.at(-1)!;
}
