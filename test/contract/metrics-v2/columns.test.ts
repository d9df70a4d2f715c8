import assert from "node:assert/strict";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import type { RecordColumnsReply } from "@lossless/protocol";
import { columnParts, columnsBody, type SentPoint, summed } from "../../columns-body.ts";
import { type HttpReply, ok } from "../../http.ts";
import { setQuota } from "../../quota.ts";
import { Random } from "../../random.ts";
import {
  eventError,
  type ExperimentCaller,
  observed,
  refused,
  type ReplyEvent,
  repliesTo,
  requestError,
} from "../callers.ts";
import { topic } from "../topic.ts";

const good: SentPoint = {
  messageId: "p-0",
  metricName: "loss",
  meta: {},
  step: 0,
  timestampMs: 1,
  metricValue: 1,
};

function postColumns(
  experiment: ExperimentCaller,
  body: Buffer,
  headers: Record<string, string> = {},
): Promise<HttpReply> {
  const { target, experimentId, token: credential } = experiment;
  const path = `/api/v2/experiments/${experimentId}/columns`;
  return observed(target, { method: "POST", path, credential, body, headers });
}

async function sendColumns(
  experiment: ExperimentCaller,
  points: readonly SentPoint[],
): Promise<RecordColumnsReply> {
  return ok(await postColumns(experiment, columnsBody(columnParts(points))));
}

/** For each point: whether it is stored now or was before, or all that is said of its refusal. */
type Said = "stored" | "deduplicated" | object;

function saidInEvents(replies: readonly ReplyEvent[]): Said[] {
  return replies.map((reply) => {
    if (reply.event === "svc.v2.error") return eventError(reply);
    return reply.data.deduplicated === true ? "deduplicated" : "stored";
  });
}

/** Holds the answer to columns against what the events of the same points are told. */
function assertSame(reply: RecordColumnsReply, events: readonly Said[]): void {
  const { points, stored, deduplicated, refused: reasons } = reply;
  const said = new Array<Said | "accepted">(points).fill("accepted");
  for (const { points: places, ...error } of reasons) {
    assert.deepEqual(
      places,
      places.toSorted((left, right) => left - right),
    );
    for (const place of places) {
      assert.equal(said[place], "accepted", "a point is refused once");
      said[place] = error;
    }
  }
  const expected = events.map((one) => (typeof one === "string" ? "accepted" : one));
  assert.deepEqual(said, expected);
  assert.equal(stored, events.filter((one) => one === "stored").length);
  assert.equal(deduplicated, events.filter((one) => one === "deduplicated").length);
}

async function sendEvents(
  experiment: ExperimentCaller,
  points: readonly SentPoint[],
): Promise<HttpReply> {
  return experiment.post(eventsOf(experiment, points));
}

const eventsOf = (experiment: ExperimentCaller, points: readonly SentPoint[]) =>
  points.map(({ messageId, ...data }) => experiment.metric({ ...data }, messageId));

/** Sends the same points both ways, and requires the same answers. Whether they were accepted. */
async function sendBoth(
  byColumns: ExperimentCaller,
  byEvents: ExperimentCaller,
  points: readonly SentPoint[],
): Promise<boolean> {
  const events = await sendEvents(byEvents, points);
  const columns = await postColumns(byColumns, columnsBody(columnParts(points)));
  assert.equal(columns.status, events.status, columns.text.slice(0, 500));
  if (events.status === 200) {
    const said = saidInEvents(repliesTo(eventsOf(byEvents, points), events));
    assertSame(ok(columns), said);
    return true;
  }
  assert.equal(requestError(columns).code, requestError(events).code);
  return false;
}

function randomPoint(random: Random): SentPoint {
  const rarely = <Value>(usual: Value, ...rare: Value[]): Value =>
    random.chance(0.002) ? random.pick(rare) : usual;
  const id = random.chance(0.1)
    ? `text ${random.below(200)}`
    : `${random.pick(["a", "b", "ö"])}-${random.below(400)}`;
  return {
    messageId: rarely(id, "", "x".repeat(201)),
    metricName: rarely(random.pick(["loss", "accuracy", "lr"]), "", "é"),
    meta: random.pick([{}, {}, { rank: "0" }, { rank: "1", host: "ü" }]),
    step: rarely(random.below(50), -1, 0.5),
    timestampMs: rarely(random.below(50), 2 ** 53),
    metricValue: rarely(random.below(20) / 8 - 1, NaN, Infinity),
  };
}

/** A batch of points, each id once but for one batch in twenty; some repeat those of before. */
function randomBatch(random: Random, before: SentPoint[]): SentPoint[] {
  const batch = new Map<string, SentPoint>();
  const size = 1 + random.below(120);
  while (batch.size < size) {
    const isAgain = before.length > 0 && random.chance(0.4);
    const point = isAgain ? random.pick(before) : randomPoint(random);
    batch.set(point.messageId, point);
  }
  const points = [...batch.values()];
  if (random.chance(0.05)) points.push({ ...points[0] });
  // Counters that follow each other, as clients send them.
  if (random.chance(0.5)) points.sort((left, right) => (left.messageId < right.messageId ? -1 : 1));
  before.push(...points);
  return points;
}

topic("points as columns", (system) => {
  test("the same random batches, good and bad, are stored, refused and answered as JSON", async () => {
    const random = new Random(20_261_129);
    for (let round = 0; round < 4; round++) {
      const [byColumns, byEvents] = [await system.acme.open(), await system.acme.open()];
      const before: SentPoint[] = [];
      const accepted = new Set<boolean>();
      for (let number = 0; number < 40; number++) {
        accepted.add(await sendBoth(byColumns, byEvents, randomBatch(random, before)));
      }
      assert.equal(accepted.size, 2, "some batches are accepted, and some are refused");
      const [columns, events] = [byColumns, byEvents].map(async ({ experimentId }) => {
        return (await system.acme.series(experimentId)).partitions;
      });
      assert.deepEqual(await columns, await events);
      const [ofColumns, ofEvents] = await Promise.all(
        [byColumns, byEvents].map(({ experimentId }) =>
          system.acme.ask("query.catalog", { experimentId }),
        ),
      );
      assert.deepEqual(ofColumns.series, ofEvents.series);
    }
  });

  test("a point that was sent one way is recognised the other way", async () => {
    const experiment = await system.acme.open();
    const points = ["p-1", "p-2", "text"].map((messageId, step) => ({ ...good, messageId, step }));
    await sendEvents(experiment, points);
    const again = await sendColumns(experiment, points);
    assert.deepEqual(again, { points: 3, stored: 0, deduplicated: 3, refused: [] });
    const others = ["p-3", "other"].map((messageId) => ({ ...good, messageId }));
    assert.equal((await sendColumns(experiment, others)).stored, 2);
    const replies = await experiment.send(...eventsOf(experiment, others));
    assert.deepEqual(saidInEvents(replies), ["deduplicated", "deduplicated"]);
    const changed = { ...others[0], metricValue: 2 };
    const [conflict] = (await sendColumns(experiment, [points[0], changed])).refused;
    assert.deepEqual(
      [conflict.code, conflict.status, conflict.points],
      ["message_id_conflict", 409, [1]],
    );
  });

  test("partitions that are named twice, or by no point, make no series of their own", async () => {
    const experiment = await system.acme.open();
    const parts = columnParts([good, { ...good, messageId: "p-1", metricName: "lr" }]);
    const names = ["unused", "loss", "loss", "lr", "never"];
    const partitions = names.map((metricName) => ({ metricName, meta: {} }));
    const head = JSON.stringify({ partitions, prefixes: ["p"] });
    const body = columnsBody({ ...parts, head, partition: [2, 3] });
    const { stored } = ok<RecordColumnsReply>(await postColumns(experiment, body));
    assert.equal(stored, 2);
    const { experimentId } = experiment;
    const { series } = await system.acme.ask("query.catalog", { experimentId });
    assert.deepEqual(
      (series as { seriesName: string }[]).map(({ seriesName }) => seriesName),
      ["loss", "lr"],
    );
  });

  test("65,536 points in one request, and again; one more is refused", async () => {
    const experiment = await system.acme.open();
    const points = Array.from({ length: 65_536 }, (_, step) => ({
      ...good,
      messageId: `p-${step}`,
      metricName: `metric_${step % 10}`,
      step,
      metricValue: step / 3,
    }));
    const all = { points: 65_536, stored: 65_536, deduplicated: 0, refused: [] };
    assert.deepEqual(await sendColumns(experiment, points), all);
    const again = await sendColumns(experiment, points);
    assert.deepEqual(again, { ...all, stored: 0, deduplicated: 65_536 });
    const { partitions } = await system.acme.oneSeries(experiment.experimentId, "metric_3");
    assert.deepEqual(
      partitions[0].value,
      points.filter(({ metricName }) => metricName === "metric_3").map((one) => one.metricValue),
    );
    const more = columnsBody(columnParts([...points, { ...good, messageId: "q-0" }]));
    await refused(postColumns(experiment, more), 400, "validation_failed");
  });

  test("an experiment that has ended takes points; one in the trash, and its series, do not", async () => {
    const experiment = await system.acme.open();
    await experiment.tell("done");
    assert.equal((await sendColumns(experiment, [good])).stored, 1);
    assert.equal((await system.acme.record(experiment.experimentId)).status, "done");
    const { target, credential } = system.acme;
    const { experimentId } = experiment;
    const series = { experimentId, seriesNames: ["loss"] };
    ok(await observed(target, { path: "/api/trash/v1/series", credential, body: series }));
    const points = [
      good,
      { ...good, messageId: "p-1" },
      { ...good, messageId: "p-2", metricName: "b" },
    ];
    const reply = await sendColumns(experiment, points);
    assert.deepEqual([reply.stored, reply.deduplicated], [1, 1]);
    assertSame(reply, [
      "deduplicated",
      ...saidInEvents(await experiment.send(experiment.metric({}, "p-1"))),
      "stored",
    ]);
  });

  test("a request that is wrong as a whole stores nothing and says why", async () => {
    const experiment = await system.acme.open();
    const body = columnsBody(columnParts([good, { ...good, messageId: "p-1" }]));
    const says = async (sent: Buffer, code: string, pattern: RegExp): Promise<void> => {
      const { message } = await refused(postColumns(experiment, sent), 400, code);
      assert.match(message, pattern);
    };
    const changed = (change: (copy: Buffer) => void): Buffer => {
      const copy = Buffer.from(body);
      change(copy);
      return copy;
    };
    await says(
      changed((copy) => (copy[60] ^= 1)),
      "checksum_mismatch",
      /changed on their way/,
    );
    await says(body.subarray(0, -1), "validation_failed", /counts say \d+ bytes, it has \d+/);
    await says(Buffer.concat([body, body]), "validation_failed", /counts say/);
    const version = changed((copy) => copy.writeUInt32LE(2, 4));
    await says(summed(version), "validation_failed", /version 2; this service reads version 1/);
    const count = changed((copy) => copy.writeUInt32LE(60_000, 8));
    await says(summed(count), "validation_failed", /counts say \d+ bytes/);
    await says(Buffer.from("[]"), "validation_failed", /it has 2 bytes/);
    await says(Buffer.alloc(0), "validation_failed", /it has 0 bytes/);
    await says(Buffer.alloc(100), "validation_failed", /LCol/);
    const twice = columnsBody(columnParts([good, good]));
    await says(twice, "duplicate_message_id", /points 0 and 1/);
    const nan = columnsBody(columnParts([good, { ...good, messageId: "p-1", metricValue: NaN }]));
    await says(nan, "validation_failed", /metricValue\[1\] must be a finite number/);
    const { partitions } = await system.acme.series(experiment.experimentId);
    assert.deepEqual(partitions, []);
  });

  test("gzip is unpacked within the same limits; any other encoding is refused", async () => {
    const experiment = await system.acme.open();
    const body = columnsBody(columnParts([good]));
    const gzip = { "content-encoding": "gzip" };
    assert.equal(
      ok<RecordColumnsReply>(await postColumns(experiment, gzipSync(body), gzip)).stored,
      1,
    );
    await refused(postColumns(experiment, body, gzip), 400, "malformed_json");
    const large = Buffer.alloc(5 * 1_048_576 + 1);
    await refused(postColumns(experiment, gzipSync(large), gzip), 413, "payload_too_large");
    await refused(postColumns(experiment, large), 413, "payload_too_large");
    const brotli = { "content-encoding": "br" };
    const { message } = await refused(
      postColumns(experiment, body, brotli),
      415,
      "unsupported_media_type",
    );
    assert.match(message, /plain, or with content-encoding gzip/);
  });

  test("only a token of this very experiment is accepted", async () => {
    const [experiment, other] = [await system.acme.open(), await system.acme.open()];
    const body = columnsBody(columnParts([good]));
    for (const token of [other.token, system.acme.credential, "ik_none"]) {
      await refused(postColumns(experiment.withToken(token), body), 401, "unauthorized");
    }
    await experiment.tell("tokenRevoke");
    await refused(postColumns(experiment, body), 401, "unauthorized");
  });
});

topic(
  "points as columns beyond limits",
  (system) => {
    test("series of one experiment, partitions and bytes of the organization, as for JSON", async () => {
      const [byColumns, byEvents] = [await system.acme.open(), await system.rival.open()];
      const points = ["a", "b", "a", "c", "d", "b"].map((metricName, step) => {
        return { ...good, messageId: `p-${step}`, metricName, step };
      });
      await sendBoth(byColumns, byEvents, points);
      const limits = await sendColumns(byColumns, points);
      assert.deepEqual(
        limits.refused.map(({ code, details, points: places }) => ({ code, details, places })),
        [
          {
            code: "limit_exceeded",
            details: { limit: "seriesPerExperiment", maximum: 3 },
            places: [4],
          },
        ],
      );
      const one = await system.acme.open();
      const { stored } = await setQuota(system.service);
      // The row of a partition, and three points.
      const maximum = stored.bytes + 128 + "loss{}".length + 3 * 44;
      await setQuota(system.service, "--bytes", String(maximum));
      const more = [0, 1, 2, 3, 4].map((step) => ({ ...good, messageId: `p-${step}`, step }));
      const reply = await sendColumns(one, more);
      assert.equal(reply.stored, 3);
      const said = saidInEvents(await one.send(...eventsOf(one, more)));
      assertSame({ ...reply, stored: 0, deduplicated: 3 }, said);
      assert.deepEqual(reply.refused[0].points, [3, 4]);
      assert.equal(reply.refused[0].details.limit, "bytesPerOrganization");
      await setQuota(system.service, "--bytes", "none");
    });
  },
  { without: "workers", flags: ["--series-limit", "3"] },
);
