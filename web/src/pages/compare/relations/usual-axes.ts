import type { ComparedKey, DifferenceReply } from "@lossless/protocol";
import { fieldText } from "@lossless/protocol/query-field";
import { isOfTools } from "../../../chart/groups/keys.ts";
import { usualMetric } from "../difference/usual-metric.ts";

const keysMax = 5;
/** Different words of an axis at most: more cannot be told apart. */
const wordsMax = 12;

/** The default axes: what somebody chose and differs, and the resulting loss. */
export function usualAxes({ keys, metrics }: DifferenceReply): string[] {
  const several = keys.filter(({ field, values, valueOf }) => {
    if (isOfTools(field)) return false;
    const had = valueOf.filter((place) => place !== null).length;
    return values.length > 1 && had * 2 >= valueOf.length;
  });
  const numbers = several.filter(isOfNumbers);
  const texts = several.filter((key) => !isOfNumbers(key) && isOfFew(key));
  const chosen = [...texts.slice(0, 2), ...numbers].slice(0, keysMax).map(({ field }) => field);
  const metric = usualMetric(metrics.map(({ name }) => name));
  if (metric === undefined) return chosen;
  return [...chosen, fieldText({ kind: "metric", name: metric.name, stat: metric.stat })];
}

/** The fields whose values are not all numbers: names in a row, which show no relation. */
export function textAxes({ keys }: DifferenceReply): ReadonlySet<string> {
  return new Set(keys.filter((key) => !isOfNumbers(key)).map(({ field }) => field));
}

function isOfNumbers({ values }: ComparedKey): boolean {
  return values.every(({ kind }) => kind === "number");
}

/** Whether values repeat: a text that is different for each experiment explains nothing. */
function isOfFew({ values, valueOf }: ComparedKey): boolean {
  const isFew = values.length <= wordsMax && values.length * 2 <= valueOf.length;
  return isFew && values.every(({ kind }) => kind !== "object");
}
