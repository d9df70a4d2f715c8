import type { TableRow } from "@lossless/protocol";
import { type Direction, usualDirection } from "../../parts/directions.ts";
import type { CellValue } from "./cell-text.ts";
import type { Column } from "./columns.ts";

/** Signs at the values of a table. */
export interface Marks {
  /** The best value of a column by its field; missing: it has no goal, or all values are equal. */
  best: ReadonlyMap<string, number>;
  /** The row that all others are compared with. */
  baseline: TableRow | undefined;
  /** Directions that the reader chose, by the metrics' names. */
  directions: ReadonlyMap<string, Direction>;
}

export interface Difference {
  value: number;
  /** Undefined: the column has no goal, or both are equal. */
  word: "better" | "worse" | undefined;
}

/** Statistics of a metric that are values of it. */
const valued: readonly string[] = ["last", "first", "min", "max", "mean"];

/** The direction in which values of a column are better. */
export function directionOf({ kind }: Column, directions: Marks["directions"]): Direction {
  if (kind.kind !== "metric" || !valued.includes(kind.stat)) return "none";
  return directions.get(kind.name) ?? usualDirection(kind.name, kind.stat);
}

/** The better one of two values; NaN and infinities are none. */
export function betterOf(direction: Direction, values: readonly CellValue[]): number | undefined {
  const numbers = values.filter((value): value is number => typeof value === "number");
  if (numbers.length === 0 || direction === "none") return undefined;
  return numbers.reduce((one, other) =>
    direction === "least" ? Math.min(one, other) : Math.max(one, other),
  );
}

/** The difference of a value to the baseline's; undefined: one of them is no number. */
export function differenceOf(
  column: Column,
  value: CellValue,
  base: CellValue | undefined,
  directions: Marks["directions"],
): Difference | undefined {
  const isCompared = column.kind.kind === "metric" || column.kind.kind === "meta";
  if (!isCompared || typeof value !== "number" || typeof base !== "number") return undefined;
  const difference = value - base;
  if (!Number.isFinite(difference)) return undefined;
  const direction = directionOf(column, directions);
  if (direction === "none" || difference === 0) return { value: difference, word: undefined };
  return {
    value: difference,
    word: difference < 0 === (direction === "least") ? "better" : "worse",
  };
}
