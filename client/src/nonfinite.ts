import type { Point } from "./point.ts";

export interface NonfiniteNote {
  annotation: string;
  meta: { kind: "nonfinite"; metricName: string; step: number; value: string; count?: number };
}

interface Overflow {
  metricName: string;
  step: number;
  value: string;
  count: number;
}

/** A run that has diverged writes NaN with every step; more than this many annotations would help nobody. */
const notesMax = 10_000;

/**
 * JSON has no NaN and no Infinity, and a point with one would sink its whole batch, so a non-finite value
 * is kept as an annotation instead. After 10,000 of them the rest is counted, and one annotation for each
 * metric says at the end how many there were since which step.
 */
export class NonfiniteNotes {
  #notes = 0;
  readonly #overflow = new Map<string, Overflow>();

  /** The annotation to send for this point, or undefined when it was only counted. */
  note(point: Point): NonfiniteNote | undefined {
    const { metricName, step } = point;
    const value = String(point.metricValue);
    if (this.#notes < notesMax) {
      this.#notes++;
      const annotation = `${metricName} is ${value} at step ${step}`;
      return { annotation, meta: { kind: "nonfinite", metricName, step, value } };
    }
    const overflow = this.#overflow.get(metricName);
    if (overflow === undefined)
      this.#overflow.set(metricName, { metricName, step, value, count: 1 });
    else overflow.count++;
    return undefined;
  }

  /** What was only counted since the last call, as one note for each metric. */
  takeSummaries(): NonfiniteNote[] {
    const summaries = [...this.#overflow.values()].map(({ metricName, step, value, count }) => ({
      annotation: `${metricName} is not finite ${count} more times from step ${step} on`,
      meta: { kind: "nonfinite" as const, metricName, step, value, count },
    }));
    this.#overflow.clear();
    return summaries;
  }
}
