import type { SeriesOperator } from "@lossless/protocol";
import type { ComponentChildren } from "preact";
import type { ChartView } from "../chart/view.ts";
import type { Media } from "../media/use-media.ts";
import type { PageProps } from "../page.ts";
import type { Arranging } from "./arranging.ts";
import type { ChartsWorkspace } from "./use-workspace.ts";

/** A chart to draw in its place. */
export interface DrawnChart {
  key: string;
  /** Its metrics: at least one. */
  names: readonly string[];
  /** Combines its two metrics; undefined: each has lines of its own. */
  operator?: SeriesOperator | undefined;
  /** Axes of its own, as the query of a page; undefined: the page's. */
  own?: string | undefined;
  title?: string | undefined;
  plotHeight?: number | undefined;
  isHidden?: boolean | undefined;
  /** Shows it again, where it is hidden. */
  onHide?: () => void;
  /** Takes changes of its own axes, and passes on those of the page. */
  onView?: (part: Partial<ChartView>, isStep: boolean) => void;
}

/** The charts of a page in their places. */
export interface ChartPlaces extends PageProps {
  /** The metrics, in order. */
  names: readonly string[];
  /** The search for metrics. */
  wanted: string;
  /** Said where no chart is shown. */
  nothing: string;
  workspace: ChartsWorkspace;
  arranging: Arranging;
  media: Media;
  /** The view of the page. */
  view: ChartView;
  /** Changes the view of the page. */
  change: (part: Partial<ChartView>, isStep?: boolean) => void;
  draw: (chart: DrawnChart) => ComponentChildren;
}
