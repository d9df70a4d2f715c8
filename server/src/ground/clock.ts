/**
 * Server time of one operation, taken once. The clock may repeat or go back: it orders nothing
 * (M43).
 */
export interface Moment {
  /** Unix milliseconds. */
  nowMs: number;
}

/** A time as the interfaces write it: ISO 8601, UTC, milliseconds. */
export function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}

export function isoTimeOrNull(ms: number | null): string | null {
  return ms === null ? null : isoTime(ms);
}

export function systemClock(): number {
  return Date.now();
}
