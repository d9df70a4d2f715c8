import { useCallback } from "preact/hooks";
import type { PlacedMark } from "./lane/marks.ts";
import { chartPicture } from "./picture/chart-picture.ts";
import { PictureDialog } from "./picture/picture-dialog.tsx";
import type { PictureFrame } from "./picture/picture-frame.ts";
import { columnsOf } from "./picture/picture-style.ts";
import { usePictureStyle } from "./picture/use-picture-style.ts";
import { seriesNamesText } from "./series-names.ts";
import { useChartData, type ChartInput } from "./use-chart-data.ts";
import { axisNames } from "./view.ts";

export interface ChartPictureProps extends ChartInput {
  name: string;
  happened: readonly PlacedMark[];
  onClose: () => void;
}

/** Any width: a picture has columns of its own. */
const room = 1_000;

/** A picture of a chart as it is shown, with the values of as many columns as its size needs. */
export function ChartPicture(props: ChartPictureProps) {
  const { name, seriesName, others = [], operator, happened, onClose } = props;
  const { style, change } = usePictureStyle();
  const data = useChartData(props, room, columnsOf(style));
  const { overview, looks, view, isCurrent, problem } = data;
  const draw = useCallback(
    (frame: PictureFrame) =>
      chartPicture({ name, overview: overview!, looks, view, happened }, frame),
    [name, overview, looks, view, happened],
  );
  const { x } = view;
  const y =
    operator === undefined ? seriesName : seriesNamesText([seriesName, ...others], operator);
  return (
    <PictureDialog
      {...{ name, style, change, problem, onClose }}
      labels={{ x: x.kind === "metric" ? x.name : axisNames[x.kind], y }}
      names={looks.map((look) => look.name)}
      hasSigns={happened.length > 0}
      draw={isCurrent && overview !== undefined ? draw : undefined}
    />
  );
}
