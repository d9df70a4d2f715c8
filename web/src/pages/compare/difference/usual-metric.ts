import { usualDirection } from "../../../parts/directions.ts";
import type { MetricOrder } from "./metric-view.ts";

/**
 * The default metric: the minimum of a validation loss, else of a loss, else the last value of the
 * first metric, highest first. Undefined: there is none.
 */
export function usualMetric(names: readonly string[]): MetricOrder | undefined {
  const losses = names.filter((name) => usualDirection(name) === "least");
  const validated = losses.find((name) => /^(?:val|valid|eval|test)/i.test(name));
  const name = validated ?? losses[0] ?? names[0];
  if (name === undefined) return undefined;
  const isLoss = losses.includes(name);
  return { name, stat: isLoss ? "min" : "last", descending: !isLoss };
}
