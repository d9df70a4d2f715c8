/** The place in the table, kept in a step of the browser's history. */
export interface KeptPlace {
  top: number;
  row: number;
  column: number;
  /** Whether the table had the focus. */
  isFocused: boolean;
}

/** Reads the place: a step's state may be anything. */
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
