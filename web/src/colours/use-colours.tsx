import { useState } from "preact/hooks";
import { Loaded } from "../parts/loaded.tsx";
import type { MetasWritten } from "../parts/write-metas.ts";
import { mayWrite } from "../rights.ts";
import type { Service } from "../signed-in.ts";

/** The dialog of colours, which loads when it is first used. */
export function useColours(service: Service, onWritten: (written: MetasWritten) => void) {
  const [experimentIds, setExperimentIds] = useState<readonly string[]>();
  const onClose = () => setExperimentIds(undefined);
  const done = (written: MetasWritten) => {
    onClose();
    onWritten(written);
  };
  return {
    /** Opens it for some experiments; undefined: the reader may not. */
    choose: mayWrite(service) ? setExperimentIds : undefined,
    dialog: experimentIds !== undefined && (
      <Loaded load={loadColours} props={{ service, experimentIds, onWritten: done, onClose }} />
    ),
  };
}

const loadColours = () => import("./colours-dialog.tsx").then(({ ColoursDialog }) => ColoursDialog);
