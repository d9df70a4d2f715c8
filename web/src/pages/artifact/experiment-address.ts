/** A picture shows so much of the step before it and behind. */
const shownBesides = 0.1;
const stepsBesidesMin = 50;

/** The page of an experiment, whole or with its charts zoomed to where a version was written. */
export function experimentAddress(experimentId: string, step?: number): string {
  const address = `/experiments/${encodeURIComponent(experimentId)}`;
  if (step === undefined) return address;
  const besides = Math.max(stepsBesidesMin, Math.round(step * shownBesides));
  const range = `${Math.max(0, step - besides)}~${step + besides}`;
  return `${address}?${new URLSearchParams({ r: range }).toString()}`;
}
