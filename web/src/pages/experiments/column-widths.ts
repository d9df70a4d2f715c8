/** Widths that a person gave to columns, in rem: of the name first, then of the others in order. */
export type Widths = readonly (number | undefined)[];

const least = 3;
const most = 60;

/** Reads widths as an address has them: `20,,9.5`. */
export function readWidths(text: string | undefined): Widths {
  if (text === undefined) return [];
  return text.split(",").map((part) => {
    const width = part === "" ? NaN : Number(part);
    return Number.isFinite(width) ? bounded(width) : undefined;
  });
}

/** Writes widths; undefined: all are the usual ones. */
export function widthsText(widths: Widths): string | undefined {
  const text = Array.from(widths, (width) => width ?? "")
    .join(",")
    .replace(/,+$/, "");
  return text === "" ? undefined : text;
}

/** A width that can be seen and fits, to a tenth of a rem. */
export function bounded(rem: number): number {
  return Math.round(Math.min(Math.max(rem, least), most) * 10) / 10;
}

/** The widths with those of the same columns in another order, or without some. */
export function widthsOf(
  columns: readonly string[],
  before: readonly string[],
  widths: Widths,
): Widths {
  return [widths[0], ...columns.map((field) => widths[before.indexOf(field) + 1 || -1])];
}

/** The columns with one moved to the place of another. */
export function movedColumn(
  columns: readonly string[],
  field: string,
  target: string,
): readonly string[] {
  const [from, to] = [columns.indexOf(field), columns.indexOf(target)];
  return from < 0 || to < 0 ? columns : columns.toSpliced(from, 1).toSpliced(to, 0, field);
}
