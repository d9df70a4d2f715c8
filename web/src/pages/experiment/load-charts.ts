import { useEffect } from "preact/hooks";

/** Loads the script of the charts: many visits open none. */
export const loadCharts = async () => (await import("./charts-tab.tsx")).ChartsTab;

/** Loads it while the experiment is read. The part of the page says so if that fails. */
export function useChartsScript(isWanted: boolean): void {
  useEffect(() => {
    if (isWanted) void loadCharts().catch(() => undefined);
  }, [isWanted]);
}
