import type { AttributesResultData, ExperimentRecord } from "@lossless/client";

/** When the service was told that a run started, when it began, and when it ended. */
export interface RunTimes {
  startedAtMs: number;
  beganAtMs: number;
  /** Null: it is running. */
  endedAtMs: number | null;
}

/**
 * Until attributes are known these are the service's times, which differ for imported experiments.
 */
export function timesOf(
  { status, startedAtMs, createdAtMs, statusAtMs }: ExperimentRecord,
  attributes: Pick<AttributesResultData, "beganAtMs" | "endedAtMs"> | undefined,
): RunTimes {
  const toldAtMs = startedAtMs ?? createdAtMs;
  const endedAtMs = status === "running" ? null : (attributes?.endedAtMs ?? statusAtMs);
  return { startedAtMs: toldAtMs, beganAtMs: attributes?.beganAtMs ?? toldAtMs, endedAtMs };
}
