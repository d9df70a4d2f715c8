import type { Point } from "./point.ts";

export interface NonfiniteNote {
  annotation: string;
  meta: {
    kind: "nonfinite";
    metricName: string;
    step: number;
    value: string;
    /** Time of recording; the first of several. */
    timestampMs: number;
    /** The point's meta, unless empty: distinguishes ranks and splits. */
    pointMeta?: Record<string, string>;
    count?: number;
    /** The last of several by step, and by time among those of one step. */
    lastStep?: number;
    lastTimestampMs?: number;
    lastValue?: string;
  };
}

interface Place {
  step: number;
  value: string;
  timestampMs: number;
}

interface Overflow {
  metricName: string;
  metaJson: string;
  first: Place;
  last: Place;
  count: number;
}

/**
 * Annotations of one recording: a diverged run writes NaN with every step, and more would not help.
 */
const notesMax = 10_000;

/**
 * JSON has no NaN and no Infinity, and a point with one would sink its whole batch, so a non-finite
 * value is kept as an annotation instead. After 10,000 of them the rest is counted, and one
 * annotation for each metric and meta says at the end how many there were since which step, and
 * which was the last.
 */
export class NonfiniteNotes {
  #notes = 0;
  readonly #overflow = new Map<string, Overflow>();

  /** Returns the annotation for this point, or undefined when it was only counted. */
  note(point: Point): NonfiniteNote | undefined {
    const { metricName, metaJson, step, timestampMs } = point;
    const value = String(point.metricValue);
    if (this.#notes < notesMax) {
      this.#notes++;
      const annotation = `${metricName} is ${value} at step ${step}`;
      const place = { metricName, step, value, timestampMs };
      const meta = { kind: "nonfinite" as const, ...place, ...pointMeta(metaJson) };
      return { annotation, meta };
    }
    // A name has no newline.
    const key = `${metricName}\n${metaJson}`;
    const overflow = this.#overflow.get(key);
    const place = { step, value, timestampMs };
    if (overflow === undefined) {
      this.#overflow.set(key, { metricName, metaJson, first: place, last: place, count: 1 });
      return undefined;
    }
    overflow.count++;
    if (!isBefore(place, overflow.last)) overflow.last = place;
    return undefined;
  }

  /** Returns the values counted since the last call, as one note for each metric and meta. */
  takeSummaries(): NonfiniteNote[] {
    const summaries = [...this.#overflow.values()].map(
      ({ metricName, metaJson, first, last, count }) => ({
        annotation: `${metricName} is not finite ${count} more times from step ${first.step}`,
        meta: {
          kind: "nonfinite" as const,
          metricName,
          ...first,
          ...pointMeta(metaJson),
          count,
          lastStep: last.step,
          lastTimestampMs: last.timestampMs,
          lastValue: last.value,
        },
      }),
    );
    this.#overflow.clear();
    return summaries;
  }
}

function isBefore(one: Place, other: Place): boolean {
  return one.step < other.step || (one.step === other.step && one.timestampMs < other.timestampMs);
}

function pointMeta(metaJson: string): { pointMeta?: Record<string, string> } {
  return metaJson === "{}" ? {} : { pointMeta: JSON.parse(metaJson) as Record<string, string> };
}
