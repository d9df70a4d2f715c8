import { useState } from "preact/hooks";
import { toggled } from "../parts/toggled.ts";
import type { ChartsWorkspace } from "./use-workspace.ts";

/** Whether charts are being arranged, and the one whose settings are open. */
export interface Arranging {
  isOn: boolean;
  chart: string | undefined;
  open: (chart?: string) => void;
  close: () => void;
}

export function useArranging(): Arranging {
  const [state, setState] = useState<{ chart: string | undefined }>();
  return {
    isOn: state !== undefined,
    chart: state?.chart,
    open: (chart) => setState({ chart }),
    close: () => setState(undefined),
  };
}

/** Entries of a chart's menu that change the layout. */
export function chartEntries({ layout, edit }: ChartsWorkspace, arranging: Arranging, key: string) {
  const { pinned = [], hidden = [] } = layout;
  return {
    isPinned: pinned.includes(key),
    onPin: () => edit({ ...layout, pinned: toggled(pinned, key) }),
    onHide: () => edit({ ...layout, hidden: [...hidden, key] }),
    onArrange: () => arranging.open(key),
  };
}
