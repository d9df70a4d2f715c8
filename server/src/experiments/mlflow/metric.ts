import { hash } from "node:crypto";

/** A value of a metric as MLflow clients log it; identical in all four, it is the same one. */
export interface RunMetric {
  key: string;
  /** The value, any double. */
  value: number;
  timestamp: bigint;
  step: bigint;
}

const safeMax = BigInt(Number.MAX_SAFE_INTEGER);

/** Whether the series engine can hold it, so that v2 reads it as any point. */
export function isRegular({ key, value, timestamp, step }: RunMetric): boolean {
  return (
    Number.isFinite(value) &&
    step >= 0n &&
    step < safeMax &&
    timestamp <= safeMax &&
    /^[\x20-\x7e]+$/.test(key)
  );
}

/**
 * The messageId of a point: it hashes the content, so a repeat is always recognised and no other
 * point can have it.
 */
export function contentId({ key, value, timestamp, step }: RunMetric): string {
  const text = `${timestamp} ${step} ${key}`;
  const content = Buffer.allocUnsafe(8 + Buffer.byteLength(text));
  content.writeDoubleBE(value + 0);
  content.write(text, 8);
  return `mlflow-${hash("sha256", content, "base64url").slice(0, 22)}`;
}

/** Where a value stands among others: MLflow's latest is the greatest by step, time and value. */
export function isLater(one: MetricPosition, other: MetricPosition): boolean {
  if (one.step !== other.step) return one.step > other.step;
  if (one.timestamp !== other.timestamp) return one.timestamp > other.timestamp;
  return compareValues(one.value, other.value) > 0;
}

export type MetricPosition = Pick<RunMetric, "value" | "timestamp" | "step">;

/** Compares values; NaN is below every number. */
export function compareValues(one: number, other: number): number {
  if (Number.isNaN(one)) return Number.isNaN(other) ? 0 : -1;
  if (Number.isNaN(other)) return 1;
  return one < other ? -1 : one > other ? 1 : 0;
}

/** The latest of each key. */
export function latestOf(metrics: readonly RunMetric[]): Map<string, RunMetric> {
  const latest = new Map<string, RunMetric>();
  for (const metric of metrics) {
    const known = latest.get(metric.key);
    if (known === undefined || isLater(metric, known)) latest.set(metric.key, metric);
  }
  return latest;
}

const int64Least = -(2n ** 63n);

/** A 64-bit integer as a column has it: texts that go as the integers do. */
export function storedInteger(integer: bigint): string {
  return (integer - int64Least).toString().padStart(20, "0");
}

export function integerOf(stored: string): bigint {
  return BigInt(stored) + int64Least;
}

/** Returns a value as stored; kinds are those of migration 019. */
export function storedValue(value: number): { kind: number; value: number } {
  if (Number.isNaN(value)) return { kind: 2, value: 0 };
  if (Number.isFinite(value)) return { kind: 0, value: value + 0 };
  return { kind: value > 0 ? 1 : -1, value: 0 };
}

export function valueOf(kind: number, value: number): number {
  if (kind === 0) return value;
  return kind === 2 ? NaN : kind * Infinity;
}
