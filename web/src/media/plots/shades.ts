/** A rectangle with its share of the darkest colour, in pixels. */
export interface Cell {
  left: number;
  top: number;
  width: number;
  height: number;
  share: number;
}

/** Shades that are told apart. */
export const shadeCount = 16;

/**
 * Paths of all cells of one shade each, from pale to dark; cells of no share are not drawn. However
 * many cells there are, these are few elements.
 */
export function shadePaths(cells: Iterable<Cell>): { shade: number; path: string }[] {
  const paths = new Map<number, string[]>();
  for (const { left, top, width, height, share } of cells) {
    const shade = shadeOf(share);
    if (shade === 0) continue;
    const path = `M${round(left)} ${round(top)}h${round(width)}v${round(height)}h${round(-width)}z`;
    const own = paths.get(shade);
    if (own === undefined) paths.set(shade, [path]);
    else own.push(path);
  }
  return [...paths]
    .map(([shade, all]) => ({ shade, path: all.join("") }))
    .sort((one, other) => one.shade - other.shade);
}

/** The square root makes small counts visible beside large ones; 0 alone has no shade. */
export function shadeOf(share: number): number {
  if (!(share > 0)) return 0;
  return Math.max(1, Math.min(shadeCount, Math.round(Math.sqrt(share) * shadeCount)));
}

function round(pixels: number): number {
  return Math.round(pixels * 100) / 100;
}
