import type { LoggedHistogramsReply } from "@lossless/client";
import { framedPicture } from "../../chart/picture/framed-picture.ts";
import type { PictureFrame } from "../../chart/picture/picture-frame.ts";
import { numberTicksOf, xTicksOf } from "../../chart/picture/picture-ticks.ts";
import { shadeCount, shadePaths } from "../plots/shades.ts";
import { cellsOfMap, type Grid } from "./histogram-columns.ts";
import type { StepAxis } from "./step-axis.ts";

/** A heat map as it is shown. */
export interface DrawnHeat {
  map: Pick<LoggedHistogramsReply["maps"][number], "columns">;
  grid: Grid;
  axis: StepAxis;
  /** The share of the darkest shade. */
  largest: number;
  /** The name of the series. */
  name: string;
}

/** A heat map as an SVG file, with the columns and shades that the page shows. */
export function heatPicture(
  { map, grid, axis, largest, name }: DrawnHeat,
  frame: PictureFrame,
): string {
  const { low, high, bins } = grid;
  const steps = { xAxis: "step", xScale: "linear" } as const;
  return framedPicture(
    {
      name,
      kinds: [],
      right: 0,
      above: 0,
      xTicks: (room) => xTicksOf(steps, [axis.start, axis.end], room),
      yTicks: (room) => numberTicksOf(low, high > low ? high : low + 1, false, room),
      content: (area) =>
        shadePaths(cellsOfMap(map, bins, axis, largest, area)).map(
          ({ shade, path }) =>
            `<path fill="${frame.colours.accent}" fill-opacity="${shade / shadeCount}" d="${path}"/>`,
        ),
    },
    frame,
  );
}
