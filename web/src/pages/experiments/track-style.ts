import { type Column, leastWidth, nameColumn } from "./columns.ts";

/** Width at which names made by programs fit completely. */
const nameRem = 22;

/** Widths in rem of a letter of a name, and of what stands beside it. */
const letter = 0.56;
const besideName = 4.5;

/** The width that nearly all of some names need: for few longer ones no table scrolls sideways. */
export function nameRemOf(names: readonly string[]): number {
  const lengths = names.map(({ length }) => length).sort((one, other) => one - other);
  const length = lengths[Math.ceil(lengths.length * 0.9) - 1] ?? 0;
  return Math.min(nameRem, Math.ceil(length * letter + besideName));
}

/** A column whose edge is dragged, with the width it would get. */
export interface DraggedEdge {
  field: string;
  rem: number;
}

/**
 * Widths of the tracks: the name has at least `--name`, and up to `--name-most` what is needed; it
 * grows first, and takes what others leave.
 * A chosen width is kept, but the name leaves room on a narrow screen.
 */
export function trackStyle(
  columns: readonly Column[],
  nameWidth: number | undefined,
  dragged: DraggedEdge | undefined,
  needed: number,
): Record<string, string> {
  const chosen = (field: string, width: number | undefined) =>
    dragged?.field === field ? dragged.rem : width;
  const leasts = columns.map(
    (column) => chosen(column.field, column.chosenWidth) ?? leastWidth(column),
  );
  const tracks = columns.map((column, at) =>
    chosen(column.field, column.chosenWidth) === undefined
      ? `minmax(${leasts[at]}rem, ${column.width}rem)`
      : `${leasts[at]}rem`,
  );
  const others = 2.25 + leasts.reduce((sum, least) => sum + least, 0);
  const own = chosen(nameColumn.field, nameWidth);
  const least = `clamp(var(--name), ${needed}rem, var(--name-most))`;
  const name =
    own === undefined
      ? `minmax(clamp(${least}, 100% - ${others}rem, ${nameRem}rem), 1fr)`
      : `min(${own}rem, 60vw)`;
  return {
    "--tracks": `2.25rem ${name} ${tracks.join(" ")}`,
    "--least": `calc(${others}rem + ${own === undefined ? least : name})`,
  };
}
