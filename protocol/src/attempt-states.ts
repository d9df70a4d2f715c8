/**
 * How a process, an attempt, or a run by its newest attempt is. `running`: it was heard of lately.
 * `silent`: it has not ended, and is not heard of. `finished`: it said so itself. `exited`: it
 * ended with an exit code, or with an error of its own. `killed`: a signal ended it. `preempted`:
 * SIGTERM did, and the launcher started the next attempt. `gone`: it has ended, and how is not
 * known.
 */
export const attemptStates = [
  "running",
  "silent",
  "finished",
  "exited",
  "killed",
  "preempted",
  "gone",
] as const;
export type AttemptState = (typeof attemptStates)[number];

/** States of the newest attempt, which none has gone on after. */
export const newestStates = attemptStates.filter((state) => state !== "preempted");
