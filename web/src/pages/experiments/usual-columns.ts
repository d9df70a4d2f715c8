import type { FieldsReply } from "@lossless/protocol";
import { fieldText, parseField } from "@lossless/protocol/query-field";
import { isOfTools } from "../../chart/groups/keys.ts";
import { defaultColumns } from "./table-address.ts";

type Known = Pick<FieldsReply["fields"][number], "field" | "experiments">;

const metricsMax = 2;
/** Names that most people look for first; the least value counts for each. */
const wanted = [/^(val|valid|validation|eval|test)\W.*loss/i, /^loss$|^train\W.*loss/i, /loss/i];

/**
 * The default columns: with the losses that most experiments have, so that the best run is one
 * click away.
 */
export function usualColumns(known: readonly Known[]): readonly string[] {
  const metrics = known.flatMap(({ field, experiments }) => {
    const kind = parseField(field);
    return kind.kind === "metric" && kind.partition === undefined ? [{ kind, experiments }] : [];
  });
  metrics.sort((left, right) => right.experiments - left.experiments);
  const common = metrics.filter(({ experiments }) => experiments * 2 >= metrics[0].experiments);
  const found = new Set<string>();
  for (const pattern of wanted) {
    const metric = common.find(({ kind }) => pattern.test(kind.name));
    if (metric !== undefined) found.add(fieldText({ ...metric.kind, stat: "min" }));
  }
  const [status, ...others] = defaultColumns;
  return [status, ...[...found].slice(0, metricsMax), ...others];
}

/** Keys read with the first rows, of which those that differ most usefully are shown. */
const offeredMax = 24;
/** Names of keys by which runs are told apart first, in this order. */
const firstNames = [
  "lr|learning_?rate",
  String.raw`optim(izer)?(\.(name|type))?`,
  "batch_?size|bs",
  String.raw`(model|arch(itecture)?|backbone)(\.(name|type))?`,
  "weight_?decay|wd|dropout",
  "(num_?|n_?)?layers?|depth|width|hidden_?(size|dim)|d_?model",
];
const before = "(^|[._-])";
const firstKeys = firstNames.map((name) => new RegExp(`${before}(${name})$`, "i"));
/** Searches for these keys: of several hundred a search for all would not reach them. */
export const firstKeysSearch = `/${before}(${firstNames.join("|")})$/`;
const seed = /(^|[._])(random_?)?seed$/i;

/** The keys of configs that may be columns without anybody's choice, the most useful first. */
export function offeredKeys(known: readonly Known[]): readonly string[] {
  const byField = new Map(known.map((one) => [one.field, one]));
  return [...byField.values()]
    .filter(({ field, experiments }) => {
      return field.startsWith("meta.") && !isOfTools(field) && experiments > 1;
    })
    .toSorted(
      (one, other) =>
        rankOf(one.field) - rankOf(other.field) || other.experiments - one.experiments,
    )
    .slice(0, offeredMax)
    .map(({ field }) => field);
}

/** Whether people tell runs apart by such a key before they look at others. */
export function isFirstKey(field: string): boolean {
  return rankOf(field) < firstKeys.length;
}

function rankOf(field: string): number {
  const name = field.slice("meta.".length);
  const rank = firstKeys.findIndex((pattern) => pattern.test(name));
  if (rank >= 0) return rank;
  return firstKeys.length + Number(seed.test(name));
}

/** Columns with offered ones behind the metrics, where they are seen first. */
export function withOffered(
  usual: readonly string[],
  offered: readonly string[],
): readonly string[] {
  const last = usual.findLastIndex((field) => field.startsWith("metric."));
  return usual.toSpliced(Math.max(last, 0) + 1, 0, ...offered);
}
