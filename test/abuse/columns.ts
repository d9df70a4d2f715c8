import { setTimeout as sleep } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { limits } from "@lossless/protocol";
import { columnParts, columnsBody, type SentPoint, summed } from "../columns-body.ts";
import { event } from "../contract/callers.ts";
import type { Abuse } from "./abuse.ts";
import { head, RawSockets } from "./raw-sockets.ts";

const { columnsBodyBytesMax: bodyBytesMax, columnsPointsMax: pointsMax } = limits;

/** Bodies whose first bytes announce all points that there may be, and of which no more comes. */
export const announcedColumns: Abuse = {
  name: "columns that are announced and do not come",
  isTimed: true,
  async prepare(scene) {
    const { id, token } = await scene.open();
    const request =
      head(`POST /api/v2/experiments/${id}/columns`, {
        Authorization: `Bearer ${token}`,
        "Content-Type": "application/octet-stream",
        "Content-Length": bodyBytesMax,
      }) + firstBytes(pointsMax, 0, pointsMax, pointsMax).toString("latin1");
    return async () => {
      using sockets = new RawSockets(scene.service.baseUrl, { reads: true });
      await sockets.openMany(scene.limits.queueBytes / bodyBytesMax + 8, request);
      for (let count = 0; count < 10; count++) {
        const { status } = await scene.post("/api/v2/events", event("foldertree.read", {}));
        scene.expect(status === 200, `their own organization was answered ${status}`);
        await sleep(100);
      }
      const isOver = await sockets.allClosed(scene.limits.requestTimeoutMs + 60_000);
      scene.expect(isOver, `${sockets.count - sockets.closed} of ${sockets.count} are still open`);
    };
  },
};

/** Bodies that announce much, are changed on their way, or are the most work for their bytes. */
export const costlyColumns: Abuse = {
  name: "columns that cost much to read",
  isTimed: true,
  async prepare(scene) {
    const { id, token } = await scene.open();
    const path = `/api/v2/experiments/${id}/columns`;
    const bodies = costly();
    return async () => {
      for (let round = 0; round < scene.amount(1, 10); round++) {
        for (const [what, body, refusal] of bodies) {
          const isGzip = body[0] === 0x1f;
          const headers = isGzip ? { "content-encoding": "gzip" } : {};
          const reply = await scene.post(path, body, token, headers);
          const isRight = refusal?.test(reply.text) ?? reply.status === 200;
          scene.expect(isRight, `${what} got ${reply.status}: ${reply.text.slice(0, 200)}`);
        }
      }
    };
  },
};

function costly(): [what: string, body: Buffer, refusal: RegExp | undefined][] {
  const invalid = /code=validation_failed/;
  const all = points((at) => `p-${at}`);
  const garbage = Buffer.from(all);
  garbage[garbage.length - 1] ^= 0xff;
  const counts = [
    firstBytes(pointsMax, 0, pointsMax, pointsMax),
    firstBytes(2 ** 32 - 1, 2 ** 32 - 8, 2 ** 32 - 1, 2 ** 32 - 1),
    firstBytes(1, 0, 1, 0, 2 ** 32 - 1),
  ].map((first) => summed(Buffer.concat([first, Buffer.alloc(60)])));
  const descending = columnParts(Array.from({ length: pointsMax }, (_, at) => point(`p-${at}`)));
  descending.runs = descending.step.map((at) => ({ prefix: 0, first: pointsMax - at, points: 1 }));
  descending.runs[0].first = 1;
  return [
    ...counts.map((body, at): [string, Buffer, RegExp] => [`huge counts ${at}`, body, invalid]),
    ["a garbage checksum", garbage, /code=checksum_mismatch/],
    ["spaces in gzip", gzipSync(Buffer.alloc(64 * 1_048_576, 32)), /code=payload_too_large/],
    ["a run for each point, the last twice", columnsBody(descending), /code=duplicate_message_id/],
    ["a text for each point", points((at) => `${at}-4f6a-a${at}`), undefined],
    ["long texts", points((at) => `${"é".repeat(20)}${at}x`), undefined],
    ["a head of many partitions", manyPartitions(), invalid],
  ];
}

const point = (messageId: string, step = 0): SentPoint => {
  return { messageId, metricName: "a", meta: {}, step, timestampMs: 1, metricValue: step };
};

function points(idOf: (at: number) => string): Buffer {
  return columnsBody(
    columnParts(Array.from({ length: pointsMax }, (_, at) => point(idOf(at), at))),
  );
}

/** The largest head, whose last partition is wrong. */
function manyPartitions(): Buffer {
  const parts = columnParts([point("p-0")]);
  const one = (at: number) => `{"metricName":"a","meta":{"${at}":"${"x".repeat(8)}"}}`;
  const partitions = Array.from({ length: 2_500 }, (_, at) => one(at));
  parts.head = `{"partitions":[${partitions.join()},{"metricName":"","meta":{}}],"prefixes":["p"]}`;
  parts.runs = [{ prefix: 0, first: 0, points: 1 }];
  return columnsBody(parts);
}

/** The first bytes of a body with these counts. */
function firstBytes(
  count: number,
  headBytes: number,
  runs: number,
  texts: number,
  textBytes = 0,
): Buffer {
  const bytes = Buffer.alloc(32);
  let at = bytes.write("LCol");
  for (const number of [1, count, headBytes, runs, texts, textBytes])
    at = bytes.writeUInt32LE(number, at);
  return bytes;
}
