/** One of the ten colours of theme.css, by the place of a partition among those of its series. */
export function colourOf(element: Element, number: number): string {
  return getComputedStyle(element).getPropertyValue(`--line-${number % 10}`);
}
