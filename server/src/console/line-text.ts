import type { ConsoleStream } from "@lossless/protocol/console-streams";
import type { Stretch } from "./stretches.ts";

/** Sources and streams whose lines are wanted; undefined: all. */
export interface LineChoice {
  sources?: readonly number[];
  streams?: readonly ConsoleStream[];
}

export function chosen({ sources, streams }: LineChoice, stretch: Stretch, at: number): boolean {
  return (
    (sources === undefined || sources.includes(stretch.lines.source[at])) &&
    (streams === undefined || streams.includes(stretch.lines.stream(at)))
  );
}

/** Returns the JSON of a ConsoleLine. */
export function lineText(stretch: Stretch, at: number): string {
  const { spans, ...line } = stretch.lines.line(at);
  const known = JSON.stringify({ line: stretch.first + at, ...line });
  return spans === "" ? known : `${known.slice(0, -1)},"spans":${spans}}`;
}
