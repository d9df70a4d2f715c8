import { crc32 } from "node:zlib";

/** A point as `experiment.metric` has it, without the experiment. */
export interface SentPoint {
  messageId: string;
  metricName: string;
  meta: Record<string, string>;
  step: number;
  timestampMs: number;
  metricValue: number;
}

/** A run of ids: counters, or as many texts. */
interface Run {
  prefix: number;
  first: number;
  points: number;
}

/** Parts of a body as they are sent, right or wrong. */
export interface ColumnParts {
  head: string;
  step: number[];
  timestampMs: number[];
  value: number[];
  runs: Run[];
  partition: number[];
  texts: Buffer[];
}

export const asTexts = 0xffff_ffff;

/** The parts for points: ids are runs of counters where `<prefix>-<counter>` follow each other. */
export function columnParts(points: readonly SentPoint[]): ColumnParts {
  const partitions: string[] = [];
  const prefixes: string[] = [];
  const runs: Run[] = [];
  const texts: Buffer[] = [];
  for (const { messageId } of points) {
    const last = runs.at(-1);
    const [, prefix, digits] = /^([^]+)-(0|[1-9]\d{0,14})$/.exec(messageId) ?? [];
    if (prefix === undefined) {
      texts.push(Buffer.from(messageId));
      if (last?.prefix === asTexts) last.points++;
      else runs.push({ prefix: asTexts, first: 0, points: 1 });
      continue;
    }
    const counter = Number(digits);
    const number = numberIn(prefixes, prefix);
    if (last?.prefix === number && last.first + last.points === counter) last.points++;
    else runs.push({ prefix: number, first: counter, points: 1 });
  }
  const partition = points.map(({ metricName, meta }) =>
    numberIn(partitions, JSON.stringify({ metricName, meta })),
  );
  return {
    head: `{"partitions":[${partitions.join()}],"prefixes":${JSON.stringify(prefixes)}}`,
    step: points.map(({ step }) => step),
    timestampMs: points.map(({ timestampMs }) => timestampMs),
    value: points.map(({ metricValue }) => metricValue),
    runs,
    partition,
    texts,
  };
}

/** The body that docs/columns.md describes; each number is written where it says. */
export function columnsBody(parts: ColumnParts): Buffer {
  const { step, runs, texts } = parts;
  const head = Buffer.from(parts.head);
  const headBytes = Math.ceil(head.length / 8) * 8;
  const ids = Buffer.concat(texts);
  const count = step.length;
  const sizeBytes = 36 + headBytes + 28 * count + 16 * runs.length + 2 * texts.length + ids.length;
  const body = Buffer.alloc(sizeBytes);
  let at = body.write("LCol");
  for (const number of [1, count, headBytes, runs.length, texts.length, ids.length, 0])
    at = body.writeUInt32LE(number, at);
  body.fill(" ", at, at + headBytes);
  head.copy(body, at);
  at += headBytes;
  for (const column of [step, parts.timestampMs, parts.value])
    for (const number of column) at = body.writeDoubleLE(number, at);
  for (const { first, points, prefix } of runs) {
    at = body.writeDoubleLE(first, at);
    at = body.writeUInt32LE(points, at);
    at = body.writeUInt32LE(prefix, at);
  }
  for (const number of parts.partition) at = body.writeUInt32LE(number, at);
  for (const { length } of texts) at = body.writeUInt16LE(length, at);
  ids.copy(body, at);
  return summed(body);
}

/** The body with the checksum of what stands before it. */
export function summed(body: Buffer): Buffer {
  body.writeUInt32LE(crc32(body.subarray(0, -4)), body.length - 4);
  return body;
}

function numberIn(list: string[], text: string): number {
  const known = list.indexOf(text);
  return known === -1 ? list.push(text) - 1 : known;
}
