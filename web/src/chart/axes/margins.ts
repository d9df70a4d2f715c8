/** Margins of the plot, in CSS pixels; they decide how many columns a chart has. */
export const margin = { left: 64, right: 24, top: 10, bottom: 30 };

/** Room for names, in CSS pixels. */
const [namesMin, namesMax] = [104, 216];

/** The right margin: names beside a wide plot have more room. */
export function rightOf(hasNames: boolean, width: number): number {
  if (!hasNames) return margin.right;
  return Math.min(namesMax, Math.max(namesMin, Math.round(width / 3.8)));
}
