import type { ExperimentRecord } from "@lossless/client";
import type { PageProps } from "../../page.ts";
import { type ChartsWorkspace, useWorkspace } from "../../workspace/use-workspace.ts";
import { useChartsScript } from "./load-charts.ts";

/** Reads what the charts need, beside the record: their script, and how they are arranged. */
export function useChartsPart(
  page: PageProps,
  /** Whether they are shown. */
  isShown: boolean,
  record: ExperimentRecord | undefined,
): ChartsWorkspace {
  useChartsScript(isShown);
  return useWorkspace(page, isShown ? record?.folderId : undefined);
}
