/** Milliseconds between two updates of a running experiment at least. */
const restMs = 500;
const restShare = 20;
/** Milliseconds from acknowledging a point to painting it. */
const drawnWithinMs = 1_000;

/**
 * The rest of a chart after a reply that took `tookMs`: longer for a slower one, but short enough
 * that points arriving just after a request are drawn within a second, by the next reply. Replies
 * too slow for that are followed by a rest as long as they took. The rate at which the page learns
 * of changes is decided by the service, which knows how busy it is.
 */
export function restAfter(tookMs: number): number {
  const latest = drawnWithinMs - 2 * tookMs;
  return Math.max(tookMs, Math.min(Math.max(restMs, restShare * tookMs), latest));
}
