import type { HistoryPlace } from "../../experiments/mlflow/history.ts";
import type { PageEnd } from "../../experiments/mlflow/order.ts";
import { parseFilter } from "./filter/filter.ts";
import { runLanguage } from "./filter/language.ts";
import { parseOrderBy } from "./filter/order-by.ts";
import { integer, invalid, list, oneOf, required, text } from "./message.ts";
import { answered, mlflow, placeIn, tokenOf } from "./mlflow.ts";
import { printPoints } from "./print.ts";
import { runOf } from "./runs.ts";
import { isPlace, pageSize, stagesOf, viewTypes } from "./search-page.ts";

/** Values of one page of a history; a request without a number also gets a page and a token. */
const historyMax = 25_000;

export const reading = mlflow({
  mlflowSearchRuns: answered(
    {
      experiment_ids: list(text),
      filter: text,
      run_view_type: oneOf(viewTypes),
      max_results: integer,
      order_by: list(text),
      page_token: text,
    },
    async ({ organizationId, message: given, served: { storage } }) => {
      const { runs, next } = await storage.read("run.search", {
        organizationId,
        folderIds: given.experiment_ids,
        stages: stagesOf(given.run_view_type),
        conditions: parseFilter(given.filter, runLanguage),
        orderBy: parseOrderBy(given.order_by, runLanguage),
        limit: pageSize(given.max_results, 1_000),
        after: placeIn<PageEnd>(given.page_token, isPlace),
      });
      const found = runs.length > 0 ? { runs: runs.map(runOf) } : {};
      return { ...found, next_page_token: tokenOf(next) };
    },
  ),

  mlflowMetricHistory: answered(
    { run_id: required(text), metric_key: required(text), max_results: integer, page_token: text },
    async ({ organizationId, message: given, served: { storage } }) => {
      const { run_id: runId, metric_key: key } = given;
      const { next, ...points } = await storage.read("run.history", {
        organizationId,
        runId,
        key,
        limit: Math.min(historyMax, historyLimit(given.max_results)),
        after: placeIn<HistoryPlace>(given.page_token, isHistoryPlace),
      });
      return { metrics: printPoints(key, [points]), next_page_token: tokenOf(next) };
    },
  ),
});

function historyLimit(asked: bigint | undefined): number {
  if (asked === undefined) return historyMax;
  if (asked > 0n) return Number(asked);
  throw invalid(
    `Invalid value ${asked} for parameter 'max_results' supplied. It must be a positive integer.`,
  );
}

function isHistoryPlace(value: unknown): boolean {
  const { timestamp, step, skipped } = (value ?? {}) as Record<keyof HistoryPlace, unknown>;
  return (
    typeof timestamp === "bigint" &&
    typeof step === "bigint" &&
    typeof skipped === "number" &&
    Number.isSafeInteger(skipped) &&
    skipped >= 0 &&
    skipped <= 1_000_000
  );
}
