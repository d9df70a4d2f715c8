/** Measures texts of a font; letters are measured once. */
export function measureOf(font: string): (text: string) => number {
  const canvas = document.createElement("canvas").getContext("2d")!;
  canvas.font = font;
  const widths = new Map<string, number>();
  const widthOf = (letter: string): number => {
    const known = widths.get(letter);
    if (known !== undefined) return known;
    const { width } = canvas.measureText(letter);
    widths.set(letter, width);
    return width;
  };
  return (text) => Array.from(text).reduce((sum, letter) => sum + widthOf(letter), 0);
}

/** Measures texts of this size, in rem, as the page writes them. */
export function measureOnPage(rem: number): (text: string) => number {
  const { fontFamily } = getComputedStyle(document.body);
  const { fontSize } = getComputedStyle(document.documentElement);
  return measureOf(`${rem * parseFloat(fontSize)}px ${fontFamily}`);
}
