/**
 * Ten hues that are told apart on both grounds; the same partition has the same one for as long as
 * its experiment has the same partitions.
 */
export function colourOf(element: Element, number: number): string {
  return getComputedStyle(element).getPropertyValue(`--line-${number % 10}`);
}
