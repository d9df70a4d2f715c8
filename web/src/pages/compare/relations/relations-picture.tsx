import { useCallback } from "preact/hooks";
import { colourCount } from "../../../chart/lines/colours.ts";
import { PictureDialog } from "../../../chart/picture/picture-dialog.tsx";
import type { PictureFrame } from "../../../chart/picture/picture-frame.ts";
import { usePictureStyle } from "../../../chart/picture/use-picture-style.ts";
import { titleOf, type Drawn } from "./plotted.ts";
import { colourNames, parallelPicture, scatterPicture } from "./drawn-picture.ts";

interface Props {
  drawn: Drawn;
  isScatter: boolean;
  onClose: () => void;
}

/** A picture of a scatter plot or of parallel coordinates as they are drawn. */
export function RelationsPicture({ drawn, isScatter, onClose }: Props) {
  const { style, change } = usePictureStyle();
  const draw = useCallback(
    (frame: PictureFrame) => (isScatter ? scatterPicture : parallelPicture)(drawn, frame),
    [drawn, isScatter],
  );
  const [x, y] = drawn.axes.map(({ field }) => titleOf(field));
  return (
    <PictureDialog
      name={isScatter ? "scatter" : "parallel coordinates"}
      {...{ style, change, draw, onClose }}
      labels={isScatter ? { x, y } : undefined}
      names={isScatter ? colourNames(drawn.colours, colourCount) : []}
      hasSigns={false}
      problem={undefined}
    />
  );
}
