import { timeText } from "../../../parts/words.ts";
import type { ConsoleSource, ConsoleStream } from "./console-lines.ts";
import type { Times } from "./console-view.ts";

/** Words before lines, so that no stream is told by its colour alone. */
export const streamWords: Readonly<Record<ConsoleStream, string>> = {
  stdout: "",
  stderr: "err",
  debug: "debug",
  info: "info",
  warning: "warn",
  error: "error",
  critical: "crit",
};

/** The short name of a source: the rank of its process. */
export function sourceWord({ source, rank }: Pick<ConsoleSource, "source" | "rank">): string {
  return rank === undefined ? `#${source}` : `r${rank}`;
}

/** The name of a source with all that is known of its process. */
export function sourceName({ source, rank, host, processId, id }: ConsoleSource): string {
  const parts = [
    rank === undefined ? `process ${source}` : `rank ${rank}`,
    host,
    processId === undefined ? id : `pid ${processId}`,
  ];
  return parts.filter(Boolean).join(" · ");
}

/** The time before a line. */
export function lineTime(timestampMs: number, times: Times, beganMs: number): string {
  if (times === "off") return "";
  return times === "clock" ? timeText(timestampMs).slice(11) : sinceText(timestampMs - beganMs);
}

/** A length to a tenth of a second: `+1:02:03.4`. */
export function sinceText(ms: number): string {
  const tenths = Math.floor(Math.abs(ms) / 100);
  const seconds = Math.floor(tenths / 10);
  const two = (number: number) => String(number).padStart(2, "0");
  const clock = [
    Math.floor(seconds / 3_600),
    two(Math.floor(seconds / 60) % 60),
    two(seconds % 60),
  ];
  return `${ms < 0 ? "−" : "+"}${clock.join(":")}.${tenths % 10}`;
}

/** A time to the millisecond. */
export function exactTime(ms: number): string {
  return `${timeText(ms)}.${String(Math.floor(ms) % 1_000).padStart(3, "0")}`;
}
