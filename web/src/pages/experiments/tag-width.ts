/** Widths in rem between which a column of tags is as wide as the most that a row has. */
const least = 5;
const most = 22;
/** The width that it has at most where the screen has no room. */
const always = 17.5;

/** Widths in rem of a letter, of a chip without its text, between two, and beside them. */
const letter = 0.5;
const chip = 1.125;
const gap = 0.25;
const padding = 1.25;

/** The widths of a column whose rows have these tags; without any: undefined. */
export function tagWidths(
  rows: readonly (readonly string[])[],
): { least: number; width: number } | undefined {
  const widest = Math.max(0, ...rows.map(widthOf));
  if (widest === 0) return undefined;
  const width = Math.min(Math.max(widest, least), most);
  return { least: Math.min(width, always), width };
}

function widthOf(tags: readonly string[]): number {
  if (tags.length === 0) return 0;
  const texts = tags.reduce((sum, { length }) => sum + length * letter + chip, 0);
  return padding + texts + (tags.length - 1) * gap;
}
