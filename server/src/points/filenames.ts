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

/** Returns the common prefix of the keys of an experiment's objects. */
export function keysOf(experimentId: string): string {
  return `${experimentId}/`;
}
