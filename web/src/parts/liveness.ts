import { attemptText, type ChangedExperiment } from "@lossless/client";
import { durationText, silentFromMs } from "./words.ts";

type Facts = Pick<ChangedExperiment, "status" | "statusAtMs" | "liveness"> & {
  appendedAtMs?: number;
};

/** Facts of a run beside its status, in words. */
export interface Life {
  text: string;
  /** Somebody should look. */
  isBad: boolean;
}

/**
 * Returns what the newest attempt's evidence says beyond the status; undefined: nothing. A run
 * whose process nobody reports is silent when it has no new points.
 */
export function lifeOf({ status, statusAtMs, appendedAtMs, liveness }: Facts, nowMs: number) {
  const life = (text: string, isBad: boolean): Life => ({ text, isBad });
  const quietMs = nowMs - (appendedAtMs ?? statusAtMs);
  if (liveness === undefined || liveness.state === "finished") {
    const isSilent = status === "running" && liveness === undefined && quietMs >= silentFromMs;
    return isSilent ? life(`silent ${durationText(quietMs)}`, true) : undefined;
  }
  if (liveness.state === "running") {
    const isQuiet = status === "running" && quietMs >= silentFromMs;
    return isQuiet ? life(`no points for ${durationText(quietMs)}`, false) : undefined;
  }
  if (liveness.state === "silent") {
    if (status !== "running") return undefined;
    return life(`silent ${durationText(nowMs - liveness.sinceMs)}`, true);
  }
  return status === "done" ? undefined : life(attemptText(liveness), true);
}
