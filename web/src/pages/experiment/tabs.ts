import type { GuestVisit } from "@lossless/protocol";
import { parametersOf, viewOf } from "../../chart/view.ts";

/** The parts of an experiment's page, in their order. */
export const tabs = ["overview", "charts", "console", "meta", "artifacts", "annotations"] as const;
export type Tab = (typeof tabs)[number];

/** The parts that a guest link shows; all of them without one. */
export function shownTabs(visit: GuestVisit | undefined): readonly Tab[] {
  if (visit === undefined) return tabs;
  const hidden: Partial<Record<Tab, boolean>> = {
    console: !visit.showsConsole,
    artifacts: !visit.showsFiles,
    annotations: visit.isAnonymous,
  };
  return tabs.filter((tab) => !hidden[tab]);
}

/** Parameters of an address that say how charts and media are drawn. */
const ofCharts = [
  "m",
  "pin",
  "layout",
  "step",
  "media",
  ...Object.keys(parametersOf(viewOf(() => undefined))),
];

/**
 * The part that an address shows: the one that it names, or charts where it says how these are
 * drawn, as links do from before there was an overview.
 */
export function tabOf(read: (name: string) => string | undefined): Tab {
  const named = tabs.find((tab) => tab === read("tab"));
  return named ?? (ofCharts.some((name) => read(name) !== undefined) ? "charts" : "overview");
}

/** The address of a part. */
export function tabAddress(
  experimentId: string,
  tab: Tab,
  more: Record<string, string> = {},
): string {
  const search = new URLSearchParams({ tab, ...more });
  return `/experiments/${encodeURIComponent(experimentId)}?${search.toString()}`;
}
