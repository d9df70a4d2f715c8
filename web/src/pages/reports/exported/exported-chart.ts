import type { OverviewReply } from "@lossless/client";
import type { PlacedMark } from "../../../chart/lane/marks.ts";
import type { LineLook } from "../../../chart/lines/looks.ts";
import type { ChartView } from "../../../chart/view.ts";

/** A chart in a file, with the service's data for one and for two pixels a CSS pixel. */
export interface ExportedChart {
  name: string;
  view: ChartView;
  digits: number;
  width: number;
  height: number;
  hasNames: boolean;
  pictures: { ratio: number; overview: OverviewReply; looks: LineLook[] }[];
  /** Marks of the lane below it. */
  happened: PlacedMark[];
}

/** The picture with enough columns for a screen; otherwise the one with most. */
export function pictureFor({ pictures }: ExportedChart, ratio: number) {
  return pictures.find((picture) => picture.ratio >= ratio) ?? pictures.at(-1)!;
}
