import type { FieldsReply } from "@lossless/protocol";
import { fieldText, parseField } from "@lossless/protocol/query-field";
import { defaultColumns } from "./table-address.ts";

const metricsMax = 2;
/** Names that most people look for first; the least value counts for each. */
const wanted = [/^(val|valid|validation|eval|test)\W.*loss/i, /^loss$|^train\W.*loss/i, /loss/i];

/**
 * The default columns: with the losses that most experiments have, so that the best run is one
 * click away.
 */
export function usualColumns(
  known: readonly Pick<FieldsReply["fields"][number], "field" | "experiments">[],
): readonly string[] {
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
