import { pause } from "./pause.ts";
import { messageOf } from "./words.ts";

const pauseMs = 1_000;
const pauseMsMax = 60_000;

/**
 * Repeats a read until it succeeds; undefined: it was stopped. For data that no later change would
 * read again, such as that of a finished experiment.
 */
export async function persistently<T>(
  read: (stopped: AbortSignal) => Promise<T>,
  stopped: AbortSignal,
  onProblem: (problem: string) => void = () => undefined,
): Promise<T | undefined> {
  for (let failures = 0; !stopped.aborted; failures++) {
    try {
      const found = await read(stopped);
      return stopped.aborted ? undefined : found;
    } catch (error) {
      if (stopped.aborted) return undefined;
      onProblem(messageOf(error));
    }
    await pause(Math.min(pauseMsMax, pauseMs * 2 ** failures), stopped);
  }
  return undefined;
}
