/** Where in the table one was: what a step of the browser's history remembers of it. */
export interface KeptPlace {
  top: number;
  row: number;
  column: number;
  /** The table had the keyboard. */
  isFocused: boolean;
}

/** A step may remember anything, or nothing. */
export function readKeptPlace(kept: unknown): KeptPlace | undefined {
  const { top, row, column, isFocused } = ((kept as { table?: unknown } | null)?.table ??
    {}) as Partial<Record<keyof KeptPlace, unknown>>;
  if (typeof top !== "number" || typeof row !== "number" || typeof column !== "number")
    return undefined;
  return { top, row, column, isFocused: isFocused === true };
}

export function keptPlace(place: KeptPlace): { table: KeptPlace } {
  return { table: place };
}
