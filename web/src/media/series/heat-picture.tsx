import { useCallback } from "preact/hooks";
import { PictureDialog } from "../../chart/picture/picture-dialog.tsx";
import type { PictureFrame } from "../../chart/picture/picture-frame.ts";
import { usePictureStyle } from "../../chart/picture/use-picture-style.ts";
import { type DrawnHeat, heatPicture } from "./heat-drawing.ts";

interface Props extends DrawnHeat {
  onClose: () => void;
}

/** The dialog for a picture of a heat map. */
export function HeatPicture({ map, grid, axis, largest, name, onClose }: Props) {
  const { style, change } = usePictureStyle();
  const draw = useCallback(
    (frame: PictureFrame) => heatPicture({ map, grid, axis, largest, name }, frame),
    [map, grid, axis, largest, name],
  );
  return (
    <PictureDialog
      {...{ name, style, change, draw, onClose }}
      labels={{ x: "step", y: name }}
      names={[]}
      hasSigns={false}
      problem={undefined}
    />
  );
}
