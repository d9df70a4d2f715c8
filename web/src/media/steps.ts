/** Steps of a slider, in order. */

/** Place of the step nearest to a wanted one; of two equally near ones the lower, as in replies. */
export function nearestPlace(steps: readonly number[], wanted: number): number {
  let low = 0;
  let high = steps.length - 1;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (steps[middle] < wanted) low = middle + 1;
    else high = middle;
  }
  return low > 0 && wanted - steps[low - 1] <= steps[low] - wanted ? low - 1 : low;
}

/** The next step of a slider in a direction; the present one need not be among its steps. */
export function stepBeside(
  steps: readonly number[],
  present: number | undefined,
  direction: 1 | -1,
): number | undefined {
  if (steps.length === 0) return undefined;
  if (present === undefined) return direction === 1 ? steps.at(-1) : (steps.at(-2) ?? steps[0]);
  if (direction === 1) return steps.find((step) => step > present) ?? steps.at(-1);
  return steps.findLast((step) => step < present) ?? steps[0];
}
