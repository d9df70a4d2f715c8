/**
 * Server time of one operation, taken once. The clock may repeat or go back: it orders nothing
 * (M43).
 */
export interface Moment {
  /** Unix milliseconds. */
  nowMs: number;
}

export function systemClock(): number {
  return Date.now();
}
