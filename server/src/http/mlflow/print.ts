declare global {
  interface JSON {
    /** Not yet in the compiler's libraries. */
    rawJSON(text: string): object;
  }
}

/**
 * Prints JSON as protobuf prints it for MLflow's clients: 64-bit integers with all their digits,
 * doubles that are not finite as words, and undefined members not at all.
 */
export function printMessage(message: object): Buffer {
  const members: string[] = [];
  for (const [name, value] of Object.entries(message)) {
    const text = value instanceof Printed ? value.text : printed(value);
    if (text !== undefined) members.push(`${JSON.stringify(name)}:${text}`);
  }
  return Buffer.from(`{${members.join(",")}}`);
}

/** A member of a message that is printed JSON already. */
class Printed {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** Values of a metric, of one run or several. */
export interface PrintedPoints {
  runId?: string;
  value: Float64Array;
  timestamp: BigInt64Array;
  step: BigInt64Array;
}

/** Metrics printed into one text at once: long-lived objects cost the garbage collector more. */
const blockMetrics = 512;

/**
 * Prints a list of metrics, without an object for each of thousands; undefined where it is empty.
 */
export function printPoints(key: string, runs: readonly PrintedPoints[]): Printed | undefined {
  const start = `{"key":${JSON.stringify(key)},"value":`;
  const blocks: string[] = [];
  let metrics: string[] = [];
  for (const { runId, value, timestamp, step } of runs) {
    const end = runId === undefined ? "}" : `,"run_id":${JSON.stringify(runId)}}`;
    for (const [at, one] of value.entries()) {
      const number = Number.isFinite(one) ? `${one}` : `"${one}"`;
      const place = `,"timestamp":${timestamp[at]},"step":${step[at]}`;
      metrics.push(start + number + place + end);
      if (metrics.length < blockMetrics) continue;
      blocks.push(metrics.join(","));
      metrics = [];
    }
  }
  if (metrics.length > 0) blocks.push(metrics.join(","));
  return blocks.length > 0 ? new Printed(`[${blocks.join(",")}]`) : undefined;
}

function printed(value: unknown): string | undefined {
  return JSON.stringify(value, (_, own: unknown) => {
    if (typeof own === "bigint") return JSON.rawJSON(`${own}`);
    return typeof own === "number" && !Number.isFinite(own) ? `${own}` : own;
  });
}
