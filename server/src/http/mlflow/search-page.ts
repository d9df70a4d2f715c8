import type { Stages } from "../../experiments/mlflow/search-statement.ts";
import { invalid } from "./message.ts";

export const viewTypes = { ACTIVE_ONLY: 1, DELETED_ONLY: 2, ALL: 3 } as const;

export function stagesOf(viewType: keyof typeof viewTypes | undefined): Stages {
  if (viewType === "DELETED_ONLY") return "deleted";
  return viewType === "ALL" ? "all" : "active";
}

const pageSizeMax = 50_000;

/** Returns the maximum number of rows of a page. */
export function pageSize(asked: bigint | undefined, usual: number): number {
  if (asked === undefined) return usual;
  if (asked < 1n) {
    throw invalid(
      `Invalid value ${asked} for parameter 'max_results' supplied. It must be a positive integer`,
    );
  }
  if (asked > pageSizeMax) {
    throw invalid(
      `Invalid value ${asked} for parameter 'max_results' supplied. It must be at most ${pageSizeMax}`,
    );
  }
  return Number(asked);
}

/** Whether a page token holds the place of a search. */
export function isPlace(value: unknown): boolean {
  const { values, id } = (value ?? {}) as { values?: unknown; id?: unknown };
  const isValue = (one: unknown) =>
    one === null || typeof one === "string" || typeof one === "number";
  return typeof id === "string" && Array.isArray(values) && values.every(isValue);
}
