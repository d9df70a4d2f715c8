/**
 * Server time of one operation, taken once. The clock may repeat or step back, so nothing is
 * ordered by it (M43).
 */
export interface Moment {
  /** Unix milliseconds. */
  nowMs: number;
}

export function systemClock(): number {
  return Date.now();
}
