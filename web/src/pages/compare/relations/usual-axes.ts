import type { ComparedKey, DifferenceReply } from "@lossless/protocol";
import { fieldText } from "@lossless/protocol/query-field";
import { usualDirection } from "../difference/metric-table.ts";

const keysMax = 5;

/** The axes for which nobody has chosen any: what differs, and the loss that it led to. */
export function usualAxes({ keys, metrics }: DifferenceReply): string[] {
  const several = keys.filter(({ values, valueOf }) => {
    const had = valueOf.filter((place) => place !== null).length;
    return values.length > 1 && had * 2 >= valueOf.length;
  });
  const numbers = several.filter(isOfNumbers);
  const texts = several.filter((key) => !isOfNumbers(key) && isOfFew(key));
  const chosen = [...texts.slice(0, 2), ...numbers].slice(0, keysMax).map(({ field }) => field);
  const losses = metrics.filter(({ name }) => usualDirection(name) === "least");
  const validated = losses.find(({ name }) => /^(?:val|valid|eval|test)/i.test(name));
  const metric = validated ?? losses[0] ?? metrics[0];
  if (metric === undefined) return chosen;
  const isLoss = losses.includes(metric);
  const stat = isLoss ? "min" : "last";
  return [...chosen, fieldText({ kind: "metric", name: metric.name, stat })];
}

function isOfNumbers({ values }: ComparedKey): boolean {
  return values.every(({ kind }) => kind === "number");
}

/** A text that each has for itself tells nothing. */
function isOfFew({ values, valueOf }: ComparedKey): boolean {
  return values.length * 2 <= valueOf.length && values.every(({ kind }) => kind !== "object");
}
