import { mix } from "../random.ts";

/** A point made of the seed, its experiment and its number: all that journal and checker share. */
export interface Point {
  messageId: string;
  metricName: string;
  meta: Record<string, string>;
  step: number;
  timestampMs: number;
  metricValue: number;
}

const metricNames = ["train/loss", "accuracy", "lr", "grad norm"];
const metas = [{}, { rank: "0" }, { rank: "1", host: "é" }];
const firstTimestampMs = 1_700_000_000_000;

export function pointOf(seed: number, experiment: number, number: number): Point {
  const high = mix(seed ^ mix(experiment ^ mix(number)));
  const low = mix(high ^ 0x5bd1_e995);
  return {
    messageId: messageIdOf(high, low, number),
    metricName: metricNames[high % metricNames.length],
    meta: metas[low % metas.length],
    // Steps repeat and go back a little, so that sorting and its ties are at work.
    step: Math.floor(number / 16) + (low % 3),
    timestampMs: firstTimestampMs + number,
    metricValue: valueOf(high, low),
  };
}

/** It gives the number of the point sent at this timestamp: each in an experiment has its own. */
export function numberOf(timestampMs: number): number {
  return timestampMs - firstTimestampMs;
}

/** Every other point has a counter id, as a recorder gives them; the rest have random ones. */
function messageIdOf(high: number, low: number, number: number): string {
  if (number % 2 === 0) return `recorder-${number / 2}`;
  return `${hex(high)}-${hex(low)}-${hex(mix(low))}`;
}

function hex(bits: number): string {
  return bits.toString(16).padStart(8, "0");
}

/** Full-mantissa doubles, widened floats and short decimals: each way that a chunk holds values. */
function valueOf(high: number, low: number): number {
  const fraction = (high * 2 ** 21 + (low >>> 11)) / 2 ** 53;
  switch (low % 4) {
    case 0:
      return fraction - 0.5;
    case 1:
      return Math.fround(fraction * 1e-3);
    case 2:
      return Math.round(fraction * 1e4) / 1e4;
    default:
      return fraction * 10 ** ((high % 600) - 300);
  }
}
