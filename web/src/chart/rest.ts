/** A chart that follows a running experiment is drawn twice a second at most. */
const restMs = 500;
const restShare = 20;
/** From what is acknowledged to what is drawn. */
const drawnWithinMs = 1_000;

/**
 * How long a chart rests after an answer that took so long: the longer the longer it took, but only
 * so far that what comes just after it was asked is drawn within a second, by the next one. Answers
 * too slow for that follow each other with as much rest as they took. How often the page learns
 * that there is something new at all is the service's matter, which knows whether it is busy.
 */
export function restAfter(tookMs: number): number {
  const latest = drawnWithinMs - 2 * tookMs;
  return Math.max(tookMs, Math.min(Math.max(restMs, restShare * tookMs), latest));
}
