import type { SentLine } from "@lossless/protocol";
import { consoleStreams } from "@lossless/protocol/console-streams";
import { mix } from "../random.ts";

/**
 * A line made of the seed, its experiment, its source and its number there: all that journal and
 * checker share.
 */
export function lineOf(
  seed: number,
  experiment: number,
  source: number,
  number: number,
): Required<SentLine> {
  const bits = mix(seed ^ mix(experiment ^ mix(source ^ mix(number))));
  const text = `${textOf(number, source)}${tails[bits % tails.length]}`;
  return {
    timestampMs: firstTimestampMs + number * 7 + (bits % 5),
    stream: consoleStreams[bits % consoleStreams.length],
    text,
    spans: bits % 3 === 0 ? [{ start: 0, end: text.length, style: "1;31" }] : [],
  };
}

/** How a line begins, and no other of its experiment. */
export function textOf(number: number, source: number): string {
  return `[${source}.${number}] `;
}

/** The id of a source. */
export function sourceIdOf(source: number): string {
  return `printer-${source}`;
}

const firstTimestampMs = 1_700_000_000_000;
const tails = ["", "loss 0.25", "Übung 🙂 ███▏", "x".repeat(3_000), '{"a":"\\u2028"}', "\t tab  "];
