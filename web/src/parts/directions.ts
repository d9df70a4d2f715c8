/** The direction in which values of a metric are better. */
export type Direction = "least" | "most" | "none";

const word = (words: string) => new RegExp(`(?:^|[^a-z])(?:${words})(?:$|[^a-z])`, "i");
const losses = word("loss|losses|error|err|perplexity|ppl|mse|rmse|mae|wer|cer");
const gains = word("accuracy|acc|f1|auc|auroc|precision|recall|reward|bleu|iou|miou|psnr|ssim");

/**
 * The better direction of a metric as its name says it: lower for a loss or an error, higher for an
 * accuracy or a reward, otherwise unknown. The largest loss on the way is no achievement, however
 * small, nor is the least accuracy.
 */
export function usualDirection(name: string, stat?: string): Direction {
  if (losses.test(name) || /[a-z](?:Loss|Error)(?:$|[^a-z])/.test(name))
    return stat === "max" ? "none" : "least";
  const isGain = gains.test(name) || /[a-z](?:Accuracy|Reward)(?:$|[^a-z])/.test(name);
  return isGain && stat !== "min" ? "most" : "none";
}

/** Reads the directions that a reader chose, by the metrics' names, as addresses have them. */
export function readDirections(text: string | undefined): Map<string, Direction> {
  const found = new Map<string, Direction>();
  for (const each of (text ?? "").split(",")) {
    const [, way, name] = /^(least|most|none) (.+)$/.exec(each) ?? [];
    if (way !== undefined) found.set(decoded(name), way as Direction);
  }
  return found;
}

export function directionsText(directions: ReadonlyMap<string, Direction>): string {
  return [...directions].map(([name, way]) => `${way} ${encodeURIComponent(name)}`).join(",");
}

function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
