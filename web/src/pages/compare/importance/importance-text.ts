import { countedText, countText } from "../../../parts/words.ts";
import { experimentsMin, type Importance, type KeyImportance, type Spread } from "./importance.ts";
import type { ReadRows } from "./read-rows.ts";

type Read = Pick<ReadRows, "found" | "read" | "fields">;

/** Says how much the keys explain; or why nothing can be said. */
export function explainedText({ experiments, explained, keys }: Importance, metric: string) {
  if (experiments < experimentsMin)
    return `Only ${countedText(experiments, "experiment")} ${experiments === 1 ? "has" : "have"} ${metric}: too few to compute importance. It takes ${experimentsMin}.`;
  if (keys.length === 0) return "No key differs between these experiments.";
  if (!isCertain(explained) && keys.some(isCertain))
    return `For unseen experiments, a forest of decision trees predicts ${metric} only slightly better than their mean does. Take the bars as a hint.`;
  if (!isCertain(explained))
    return `The keys do not explain ${metric}: for unseen experiments, a forest of decision trees predicts it no better than their mean does. The bars may show chance.`;
  return `A forest of decision trees explains ${shareText(explained)} of the differences in ${metric} between unseen experiments.`;
}

/** Says over which experiments and keys, and which are not in it. */
export function scopeText({ experiments }: Importance, { found, read }: Read, metric: string) {
  const said = [`Over ${countedText(experiments, "experiment")}`];
  if (read < found) said.push(`of ${countText(found)} found, the newest that are not hidden`);
  const without = read - experiments;
  if (without > 0)
    said.push(`${countText(without)} ${without === 1 ? "has" : "have"} no finite ${metric}`);
  return `${said.join(", ")}.`;
}

/** Whether a share is above what chance makes. */
export function isCertain({ mean, spread }: Spread): boolean {
  return mean > 0 && mean > spread;
}

/** `0.62 ± 0.05`, of a share in hundredths: `62 ± 5 %`. */
export function shareText({ mean, spread }: Spread): string {
  return `${Math.round(100 * mean)} ± ${Math.round(100 * spread)} %`;
}

/** Correlation from which a key has a direction. */
const directed = 0.3;

/** Says in which direction the metric goes with a key. */
export function directionText({ correlation, middle, ...spread }: KeyImportance): string {
  if (correlation === undefined) return "";
  if (middle !== undefined) return isCertain(spread) ? `${middle} in the middle` : "";
  if (correlation >= directed) return "rises with it";
  if (correlation <= -directed) return "falls with it";
  return isCertain(spread) ? "not in one direction" : "";
}

/** A correlation with its sign: `+0.31`, `−0.80`. */
export function correlationText(correlation: number | undefined): string {
  if (correlation === undefined) return "–";
  const sign = correlation < 0 ? "−" : "+";
  return `${sign}${Math.abs(correlation).toFixed(2)}`;
}
