/** A file, and the maximum wait for the client that takes it. */
export interface TimedChunks {
  chunks: AsyncGenerator<Uint8Array>;
  timeMs: number;
}

/** Maximum wait of a file without experiments, and its increase for each. */
const timeMs = 30_000;
const experimentMs = 2;

export function timedChunks(
  experimentIds: readonly string[],
  chunks: AsyncGenerator<Uint8Array>,
): TimedChunks {
  return { chunks, timeMs: timeMs + experimentIds.length * experimentMs };
}
