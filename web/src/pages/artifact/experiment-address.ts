/** The zoomed range extends this share of the step on either side, or at least so many steps. */
const shownBesides = 0.1;
const stepsBesidesMin = 50;

/** The page of an experiment; with a step, its charts are zoomed to where a version was written. */
export function experimentAddress(experimentId: string, step?: number): string {
  const address = `/experiments/${encodeURIComponent(experimentId)}`;
  if (step === undefined) return address;
  const besides = Math.max(stepsBesidesMin, Math.round(step * shownBesides));
  const range = `${Math.max(0, step - besides)}~${step + besides}`;
  return `${address}?${new URLSearchParams({ r: range }).toString()}`;
}
