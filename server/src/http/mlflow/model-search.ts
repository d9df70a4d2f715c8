import { createHash } from "node:crypto";
import type { Condition } from "../../experiments/mlflow/condition.ts";
import type { DatasetFilter } from "../../experiments/mlflow/models/metric-facts.ts";
import type { ModelOrder } from "../../experiments/mlflow/models/search.ts";
import type { PageEnd } from "../../experiments/mlflow/order.ts";
import { parseFilter } from "./filter/filter.ts";
import { modelLanguage } from "./filter/model-language.ts";
import { flag, integer, invalid, list, message, missing, text } from "./message.ts";
import { answered, mlflow, placeIn, tokenOf } from "./mlflow.ts";
import { modelOf } from "./models.ts";
import { isPlace, pageSize } from "./search-page.ts";

const usualPage = 50;
/**
 * Maximum of models on a page, which are larger than runs; beyond it clients continue with the
 * token.
 */
const pageMax = 1_000;

const dataset = { dataset_name: text, dataset_digest: text };

export const modelSearch = mlflow({
  mlflowSearchModels: answered(
    {
      experiment_ids: list(text),
      filter: text,
      datasets: list(message(dataset)),
      max_results: integer,
      order_by: list(message({ field_name: text, ascending: flag, ...dataset })),
      page_token: text,
    },
    async ({ organizationId, message: given, served: { storage } }) => {
      const { experiment_ids: folderIds, filter, order_by: orderBy, page_token: token } = given;
      // A client leaves an empty list out.
      if (folderIds.length === 0) throw missing("experiment_ids");
      const query = {
        ids: digestOf(folderIds),
        filter: digestOf(filter ?? ""),
        order: digestOf(orderBy),
        datasets: digestOf(given.datasets),
      };
      const { models, next } = await storage.read("model.search", {
        organizationId,
        folderIds,
        conditions: parseFilter(filter, modelLanguage).map(withStatusNumber),
        datasets: given.datasets.map(datasetOf),
        orderBy: orderBy.map(orderOf),
        limit: Math.min(pageMax, pageSize(given.max_results || undefined, usualPage)),
        after: placeOf(token, query),
      });
      const found = models.length > 0 ? { models: models.map(modelOf) } : {};
      return { ...found, next_page_token: tokenOf(next && { ...next, query }) };
    },
  ),
});

/** A search as digests of its parts. */
type Query = Record<keyof typeof mismatches, string>;

/** Messages of mismatches; clients match these words. */
const mismatches = {
  ids: "Experiment IDs in the page token do not match the requested experiment IDs.",
  filter: "Filter string in the page token does not match the requested filter string.",
  order: "Order by in the page token does not match the requested order by.",
  datasets: "Data sets in the page token do not match the requested data sets.",
};

function digestOf(part: unknown): string {
  return createHash("sha256").update(JSON.stringify(part)).digest("base64url").slice(0, 16);
}

function placeOf(token: string | undefined, query: Query): PageEnd | undefined {
  const place = placeIn<PageEnd & { query?: Partial<Query> }>(token, isPlace);
  if (place === undefined) return undefined;
  const parts = Object.keys(mismatches) as (keyof Query)[];
  const other = parts.find((part) => place.query?.[part] !== query[part]);
  if (other !== undefined) throw invalid(mismatches[other]);
  return place;
}

interface GivenDataset {
  dataset_name: string | undefined;
  dataset_digest: string | undefined;
}

function datasetOf({
  dataset_name: name = "",
  dataset_digest: digest,
}: GivenDataset): DatasetFilter {
  if (name === "") throw invalid("`dataset_name` in the `datasets` clause must be specified.");
  return { name, digest: digest === "" ? undefined : digest };
}

interface GivenOrder extends GivenDataset {
  field_name: string | undefined;
  ascending: boolean | undefined;
}

function orderOf(given: GivenOrder): ModelOrder {
  const { field_name: written = "", ascending: isAscending = true } = given;
  const invalidField = `Invalid order by field name: ${written}`;
  const dot = written.indexOf(".");
  if (dot < 0) {
    const key = modelLanguage.aliases[written] ?? written;
    if (!modelLanguage.attributes.includes(key)) throw invalid(invalidField);
    return { field: { kind: "attribute", key }, isAscending, dataset: undefined };
  }
  if (written.slice(0, dot) !== "metrics")
    throw invalid(`${invalidField}. Only metrics are supported.`);
  const field = { kind: "metric", key: written.slice(dot + 1) } as const;
  const name = given.dataset_name === "" ? undefined : given.dataset_name;
  const digest = given.dataset_digest === "" ? undefined : given.dataset_digest;
  return { field, isAscending, dataset: { name, digest } };
}

const statusNumbers: Readonly<Record<string, string>> = { PENDING: "1", READY: "2", FAILED: "3" };

/** Rewrites a condition on the status: MLflow compares numbers here, which no client shows. */
function withStatusNumber(condition: Condition): Condition {
  const { field, value } = condition;
  if (field.kind !== "attribute" || field.key !== "status") return condition;
  const numberOf = (word: string) => statusNumbers[word] ?? word;
  if (typeof value === "string") return { ...condition, value: numberOf(value) };
  return typeof value === "object" ? { ...condition, value: value.map(numberOf) } : condition;
}
