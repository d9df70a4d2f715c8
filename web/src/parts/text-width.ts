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
