/**
 * Thrown when the stored data of one experiment cannot be read, so nothing can be appended to it.
 * Other experiments are not affected.
 */
export class DamagedExperiment extends Error {
  override name = "DamagedExperiment";
  readonly experimentId: string;
  constructor(experimentId: string, cause: unknown) {
    super(`Points of experiment ${experimentId} cannot be read: ${String(cause)}`, { cause });
    this.experimentId = experimentId;
  }
}
