/**
 * Keys of the engine's objects. On disk they are file names below `segments/` in the data
 * directory.
 */
export function pointsKey(experimentId: string, unique: string): string {
  return `${experimentId}/${unique}.points`;
}

export function identifiersKey(experimentId: string, unique: string): string {
  return `${experimentId}/${unique}.identifiers`;
}

/** How the keys of all objects of an experiment begin. */
export function keysOf(experimentId: string): string {
  return `${experimentId}/`;
}
