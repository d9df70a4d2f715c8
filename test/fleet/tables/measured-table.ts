import type { Costs } from "../model/costs.ts";
import { short, table } from "./table.ts";

/** Every constant of the model. */
export function measuredTable(costs: Costs): string {
  const rows = Object.entries(costs).map(([part, prices]) => [
    part,
    Object.entries(prices)
      .map(([name, value]) => `${name} ${short(value as number)}`)
      .join(", "),
  ]);
  return table(["part", "figures"], rows);
}
