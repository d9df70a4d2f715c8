import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Costs } from "./model/costs.ts";

/** Figures of the real program. `measured.json` has them by the command that measures them. */
export interface Measured {
  "npm run simulate -- --measure": { on: string; where: string; costs: Costs };
  /** Bytes of a sealed point by its kind of values, and of its id. */
  "npm run bench": {
    on: string;
    where: string;
    sealedBytes: Record<"noise" | "float32" | "decimals" | "countedId" | "randomId", number>;
  };
}

const file = join(import.meta.dirname, "measured.json");

export function readMeasured(): Measured {
  return JSON.parse(readFileSync(file, "utf8")) as Measured;
}

/** Keeps three digits: more of them would say nothing. */
export function keepMeasured(costs: Costs, { on, where }: { on: string; where: string }): void {
  const measured = readMeasured();
  measured["npm run simulate -- --measure"] = { on, where, costs };
  const rounded = (_: string, value: unknown): unknown =>
    typeof value === "number" ? Number(value.toPrecision(3)) : value;
  writeFileSync(file, `${JSON.stringify(measured, rounded, 2)}\n`);
}
