const dayMs = 24 * 60 * 60 * 1_000;

/** UTC days since 1970-01-01. */
export function dayNumberOf(ms: number): number {
  return Math.floor(ms / dayMs);
}

/** The day as YYYY-MM-DD. */
export function dayText(dayNumber: number): string {
  return new Date(dayNumber * dayMs).toISOString().slice(0, 10);
}
