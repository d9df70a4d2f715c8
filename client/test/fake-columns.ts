import { crc32 } from "node:zlib";

export interface Envelope {
  messageId: string;
  event: string;
  data: Record<string, unknown>;
}

export interface EventReply {
  event: string;
  data: Record<string, unknown>;
}

interface Head {
  partitions: { metricName: string; meta: unknown }[];
  prefixes: string[];
}

/** The points of a body of columns as the events that they stand for; docs/columns.md. */
export function eventsOfColumns(body: Buffer, experimentId: string): Envelope[] {
  if (crc32(body.subarray(0, -4)) !== body.readUInt32LE(body.length - 4)) throw new Error("CRC");
  const [magic, version, count, headBytes, runs, texts, textBytes, zero] = Array.from(
    { length: 8 },
    (_, at) => body.readUInt32LE(4 * at),
  );
  const stepAt = 32 + headBytes;
  const runsAt = stepAt + 24 * count;
  const partitionAt = runsAt + 16 * runs;
  const lengthsAt = partitionAt + 4 * count;
  let textAt = lengthsAt + 2 * texts;
  const isRight = body.length === textAt + textBytes + 4 && zero === 0 && headBytes % 8 === 0;
  if (magic !== 0x6c6f434c || version !== 1 || !isRight) throw new Error("these are no columns");
  const { partitions, prefixes } = JSON.parse(body.toString("utf8", 32, stepAt)) as Head;
  const ids: string[] = [];
  for (let run = 0, text = 0; run < runs; run++) {
    const first = body.readDoubleLE(runsAt + 16 * run);
    const points = body.readUInt32LE(runsAt + 16 * run + 8);
    const prefix = body.readUInt32LE(runsAt + 16 * run + 12);
    for (let at = 0; at < points; at++) {
      if (prefix !== 0xffff_ffff) ids.push(`${prefixes[prefix]}-${first + at}`);
      else {
        const end = textAt + body.readUInt16LE(lengthsAt + 2 * text++);
        ids.push(body.toString("utf8", textAt, end));
        textAt = end;
      }
    }
  }
  if (ids.length !== count) throw new Error("there are other ids than points");
  return ids.map((messageId, at) => {
    const number = (column: number): number =>
      body.readDoubleLE(stepAt + 8 * (column * count + at));
    const { metricName, meta } = partitions[body.readUInt32LE(partitionAt + 4 * at)];
    const data = { experimentId, timestampMs: number(1), step: number(0), metricName };
    return {
      messageId,
      event: "svc.v2.experiment.metric",
      data: { ...data, metricValue: number(2), meta },
    };
  });
}

/** The answer to columns whose points had these replies. */
export function columnsReply(replies: readonly EventReply[]): object {
  const refused = replies.flatMap(({ event, data }, at) =>
    event === "svc.v2.error" ? [{ ...data, points: [at] }] : [],
  );
  const deduplicated = replies.filter(({ data }) => data["deduplicated"] === true).length;
  const points = replies.length;
  return { points, stored: points - deduplicated - refused.length, deduplicated, refused };
}
