import { crc32 } from "./crc32.ts";
import type { Point } from "./point.ts";
import { limits } from "./wire.ts";

/** The version of the bytes that `columnsBody` writes. */
export const columnsVersion = 1;

/**
 * Writes points as columns, a binary body of about 30 bytes a point (docs/columns.md). Returns
 * undefined where the body would be larger than the service takes it: the points go as events.
 */
export function columnsBody(points: readonly Point[]): Uint8Array<ArrayBuffer> | undefined {
  const count = points.length;
  if (!isLittleEndian || count === 0 || count > limits.columnsPointsMax) return undefined;
  const ids = new Ids();
  const partitions = new Partitions();
  const partition = new Uint32Array(count);
  for (let index = 0; index < count; index++) {
    const { messageId, metricName, metaJson } = points[index];
    ids.add(messageId);
    partition[index] = partitions.number(metricName, metaJson);
  }
  const head = headBytes(partitions.texts, ids.prefixes);
  const texts = encoder.encode(ids.texts.join(""));
  const runsAt = 32 + head.length + 24 * count;
  const partitionAt = runsAt + 16 * ids.runs.length;
  const lengthsAt = partitionAt + 4 * count;
  const textsAt = lengthsAt + 2 * ids.texts.length;
  const sumAt = textsAt + texts.length;
  if (head.length > limits.columnsHeadBytesMax) return undefined;
  if (sumAt + 4 > limits.columnsBodyBytesMax) return undefined;
  const buffer = new ArrayBuffer(sumAt + 4);
  const body = new Uint8Array(buffer);
  const view = new DataView(buffer);
  const first = [magic, columnsVersion, count, head.length, ids.runs.length, ids.texts.length];
  for (const [at, number] of [...first, texts.length].entries())
    view.setUint32(4 * at, number, true);
  body.set(head, 32);
  copyNumbers(points, buffer, 32 + head.length);
  ids.runs.forEach(({ counter, points: length, prefix }, run) => {
    view.setFloat64(runsAt + 16 * run, counter, true);
    view.setUint32(runsAt + 16 * run + 8, length, true);
    view.setUint32(runsAt + 16 * run + 12, prefix, true);
  });
  new Uint32Array(buffer, partitionAt, count).set(partition);
  ids.texts.forEach((text, at) =>
    view.setUint16(lengthsAt + 2 * at, encoder.encode(text).length, true),
  );
  body.set(texts, textsAt);
  view.setUint32(sumAt, crc32(body.subarray(0, sumAt)), true);
  return body;
}

function copyNumbers(points: readonly Point[], buffer: ArrayBuffer, at: number): void {
  const count = points.length;
  const steps = new Float64Array(buffer, at, count);
  const times = new Float64Array(buffer, at + 8 * count, count);
  const values = new Float64Array(buffer, at + 16 * count, count);
  for (let index = 0; index < count; index++) {
    const { step, timestampMs, metricValue } = points[index];
    steps[index] = step;
    times[index] = timestampMs;
    values[index] = metricValue;
  }
}

/** Ids as runs of counters, or of texts. */
class Ids {
  readonly runs: { prefix: number; counter: number; points: number }[] = [];
  readonly prefixes: string[] = [];
  readonly texts: string[] = [];
  readonly #numbers = new Map<string, number>();

  add(id: string): void {
    const { runs } = this;
    const last = runs.at(-1);
    const start = counterStart(id);
    if (start === -1) {
      this.texts.push(id);
      if (last?.prefix === asTexts) last.points++;
      else runs.push({ prefix: asTexts, counter: 0, points: 1 });
      return;
    }
    const counter = Number(id.slice(start));
    const prefix = this.#number(id, start - 1);
    if (last?.prefix === prefix && last.counter + last.points === counter) last.points++;
    else runs.push({ prefix, counter, points: 1 });
  }

  #number(id: string, end: number): number {
    const last = this.prefixes.length - 1;
    if (last >= 0 && this.prefixes[last].length === end && id.startsWith(this.prefixes[last]))
      return last;
    const prefix = id.slice(0, end);
    const number = this.#numbers.get(prefix) ?? this.prefixes.push(prefix) - 1;
    this.#numbers.set(prefix, number);
    return number;
  }
}

/**
 * Returns where the counter of `<prefix>-<counter>` begins, -1 for any other id. A counter has no
 * leading zero, and here at most 15 digits: longer ones are sent as texts.
 */
function counterStart(id: string): number {
  const end = id.length;
  let at = end;
  while (at > 0 && end - at < 16 && isDigit(id.charCodeAt(at - 1))) at--;
  const digits = end - at;
  if (at < 2 || digits === 0 || digits > 15 || id[at - 1] !== "-") return -1;
  return id[at] === "0" && digits > 1 ? -1 : at;
}

const isDigit = (unit: number): boolean => unit >= 0x30 && unit <= 0x39;

/** Partitions by number, as the texts that the head has. */
class Partitions {
  readonly texts: string[] = [];
  readonly #numbers = new Map<string, Map<string, number>>();

  number(metricName: string, metaJson: string): number {
    let ofName = this.#numbers.get(metricName);
    if (ofName === undefined) this.#numbers.set(metricName, (ofName = new Map()));
    const known = ofName.get(metaJson);
    if (known !== undefined) return known;
    const text = `{"metricName":${JSON.stringify(metricName)},"meta":${metaJson}}`;
    const number = this.texts.push(text) - 1;
    ofName.set(metaJson, number);
    return number;
  }
}

function headBytes(partitions: readonly string[], prefixes: readonly string[]): Uint8Array {
  const text = `{"partitions":[${partitions.join(",")}],"prefixes":${JSON.stringify(prefixes)}}`;
  const bytes = encoder.encode(text);
  const padded = new Uint8Array(Math.ceil(bytes.length / 8) * 8).fill(0x20);
  padded.set(bytes);
  return padded;
}

const encoder = new TextEncoder();
/** "LCol" */
const magic = 0x6c6f_434c;
const asTexts = 0xffff_ffff;
const isLittleEndian = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1;
