import { isObject, numberOf } from "../plots/drawing.ts";

/** Order of a table: by a column, and whether from its end. */
export interface RowOrder {
  column: number;
  isDescending: boolean;
}

/** The next order when the head of a column is clicked: up, down, as it was logged. */
export function nextOrder(before: RowOrder | undefined, column: number): RowOrder | undefined {
  if (before?.column !== column) return { column, isDescending: false };
  return before.isDescending ? undefined : { column, isDescending: true };
}

/** The rows that contain a text, in an order; those that are equal stay as they were logged. */
export function foundRows(
  rows: readonly (readonly unknown[])[],
  search: string,
  order: RowOrder | undefined,
): (readonly unknown[])[] {
  const wanted = search.trim().toLowerCase();
  const found = rows.filter(
    (row) => wanted === "" || row.some((cell) => cellText(cell).toLowerCase().includes(wanted)),
  );
  if (order === undefined) return found;
  const { column, isDescending } = order;
  const [known, none] = [[], []] as [(readonly unknown[])[], (readonly unknown[])[]];
  for (const row of found) (isNothing(row[column]) ? none : known).push(row);
  const direction = isDescending ? -1 : 1;
  known.sort((one, other) => direction * compared(one[column], other[column]));
  // Rows without a value come last in either direction, as in other tables.
  return [...known, ...none];
}

/** Text of a cell: what was logged, and the words of numbers that are not finite. */
export function cellText(cell: unknown): string {
  if (typeof cell === "string") return cell;
  if (cell === null || cell === undefined) return "";
  if (isObject(cell)) {
    if (typeof cell["_number"] === "string") return cell["_number"];
    const media = mediaOf(cell);
    if (media !== undefined) return media.caption ?? media.path;
  }
  return JSON.stringify(cell);
}

export interface CellMedia {
  kind: string;
  path: string;
  caption?: string;
  /** The checksum of the file, where tables are compared and it is known. */
  sha256?: string;
}

/** A file in a cell, of the version of its table. */
export function mediaOf(cell: unknown): CellMedia | undefined {
  const media = isObject(cell) ? cell["_media"] : undefined;
  if (!isObject(media)) return undefined;
  const { kind, path, caption, sha256 } = media;
  if (typeof path !== "string") return undefined;
  return {
    kind: String(kind),
    path,
    ...(typeof caption === "string" && { caption }),
    ...(typeof sha256 === "string" && { sha256 }),
  };
}

function isNothing(cell: unknown): boolean {
  return cell === null || cell === undefined || (isNumber(cell) && Number.isNaN(numberOf(cell)));
}

function isNumber(cell: unknown): boolean {
  return typeof cell === "number" || (isObject(cell) && "_number" in cell);
}

/** Numbers come before texts. */
function compared(one: unknown, other: unknown): number {
  if (isNumber(one) && isNumber(other)) {
    const [left, right] = [numberOf(one), numberOf(other)];
    return left < right ? -1 : left > right ? 1 : 0;
  }
  if (isNumber(one) !== isNumber(other)) return isNumber(one) ? -1 : 1;
  return collator.compare(cellText(one), cellText(other));
}

const collator = new Intl.Collator("en", { numeric: true });
