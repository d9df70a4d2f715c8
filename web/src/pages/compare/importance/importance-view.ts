import { metricOrderIn, metricOrderText, type MetricOrder } from "../difference/metric-view.ts";

/** The importance of keys, in the address. */
export interface ImportanceView {
  isOpen: boolean;
  /** The metric in question; undefined: the usual one. */
  metric: MetricOrder | undefined;
}

const usual = "usual";

export function readMatters(parameter: (name: string) => string | undefined): ImportanceView {
  const text = parameter("matters");
  return { isOpen: text !== undefined, metric: metricOrderIn(text) };
}

/** Undefined: it is open. */
export function openingMatters(parameter: (name: string) => string | undefined) {
  const view = readMatters(parameter);
  return view.isOpen ? undefined : mattersParameters({ ...view, isOpen: true });
}

export function mattersParameters({ isOpen, metric }: ImportanceView): { matters: string } {
  if (!isOpen) return { matters: "" };
  return { matters: metric === undefined ? usual : metricOrderText(metric) };
}
