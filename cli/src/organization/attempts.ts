import { type Attempt, type LosslessClient, type Recorder, RequestError } from "@lossless/client";

/** The attempts of an experiment that exists; none where the service is older than attempts. */
export async function attemptsOf(client: LosslessClient, experimentId: string): Promise<Attempt[]> {
  try {
    return (await client.attempts.read({ experimentId })).attempts;
  } catch (error) {
    if (error instanceof RequestError && error.status === 404) return [];
    throw error;
  }
}

/** Reports attempts of another service as they were. Those that are there already stay. */
export async function importAttempts(
  recorder: Recorder,
  attempts: readonly Attempt[],
): Promise<void> {
  const ago = (ms: number) => Math.max(0, Date.now() - ms);
  for (const { id: attempt, processes } of attempts)
    for (const { state: _, beganAtMs, beatAtMs, toStep, end, ...process } of processes) {
      const { atMs, ...ending } = end ?? { atMs: 0 };
      await recorder.reportAttempt({
        attempt,
        process,
        beganAgoMs: ago(beganAtMs),
        beatAgoMs: ago(beatAtMs),
        ...(toStep !== undefined && { toStep }),
        ...("how" in ending && { end: { agoMs: ago(atMs), ...ending } }),
      });
    }
}
