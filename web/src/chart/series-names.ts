import type { SeriesOperator } from "@lossless/protocol";

/** Names beyond these are counted. */
const namesShown = 3;

export const operatorSigns: Record<SeriesOperator, string> = {
  dividedBy: "÷",
  minus: "−",
  plus: "+",
  times: "×",
};

/** The name of a chart of some series, or of two that are combined. */
export function seriesNamesText(names: readonly string[], operator?: SeriesOperator): string {
  if (operator !== undefined) return names.join(` ${operatorSigns[operator]} `);
  const [shown, more] = [names.slice(0, namesShown), names.length - namesShown];
  return more > 0 ? `${shown.join(", ")} and ${more} more` : shown.join(", ");
}
