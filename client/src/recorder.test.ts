import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { FakeService, type Fault, type Request } from "../test/fake-service.ts";
import {
  BufferFullError,
  EventError,
  InvalidPointError,
  LosslessClient,
  OutcomeUnknownError,
  type RecorderOptions,
  type RejectedPoint,
  RequestError,
  UnsentPointsError,
} from "./index.ts";

const retry = { firstDelayMs: 1, longestDelayMs: 5 };
const metric = "svc.v2.experiment.metric";
const storageDown: Fault = { kind: "status", status: 503, code: "storage_unavailable" };

async function recording(service: FakeService, options: RecorderOptions = {}) {
  const client = new LosslessClient({ baseUrl: service.url, apiKey: "ak_test", retry });
  const opening = { slug: "run/1", description: "a run", meta: { lr: 0.1 } };
  return client.record(opening, { idPrefix: "p", retry, ...options });
}

/** Applies the fault to the first `times` requests for which `matches` is true. */
function faultFor(matches: (request: Request) => boolean, fault: Fault, times = 1) {
  return (request: Request): Fault | undefined =>
    matches(request) && times-- > 0 ? fault : undefined;
}

function holds(event: string) {
  return (request: Request): boolean => request.envelopes.some((e) => e.event === event);
}

suite("recorder", () => {
  test("records every point once, in order, in batches of at most 1,000", async () => {
    await using service = await FakeService.start();
    const recorder = await recording(service);
    for (let step = 0; step < 2_500; step++) recorder.record("loss", 1 / (step + 1), step);
    const report = await recorder.finish();
    assert.deepEqual(
      { ...report },
      {
        recorded: 2_500,
        stored: 2_500,
        deduplicated: 0,
        nonfinite: 0,
        rejected: 0,
        rejectedPoints: [],
        lines: { recorded: 0, stored: 0, refused: 0, masked: 0 },
      },
    );
    const batches = service.requests.filter(holds(metric)).map((r) => r.envelopes.length);
    assert.deepEqual(batches, [1_000, 1_000, 500]);
    const ids = service.sent(metric).map((envelope) => envelope.messageId);
    assert.deepEqual(
      ids,
      Array.from({ length: 2_500 }, (_, index) => `p-${index + 1}`),
    );
    const stored = service.only.points.get("p-3");
    assert.equal(stored?.["metricValue"], 1 / 3);
    assert.deepEqual(stored?.["meta"], {});
  });

  test("starts, is done, and sends tokenRevoke alone as the last request", async () => {
    await using service = await FakeService.start();
    const recorder = await recording(service);
    recorder.record("loss", 1, 0, { timestampMs: 5, meta: { split: "train" }, messageId: "own" });
    await recorder.finish();
    const events = service.requests.map((r) => r.envelopes.map((e) => e.event.slice(7)).join());
    assert.deepEqual(events, [
      "experiment.open",
      "experiment.start",
      "experiment.metric",
      "experiment.done",
      "experiment.tokenRevoke",
    ]);
    assert.equal(service.only.status, "done");
    assert.equal(service.only.tokens.size, 0);
    assert.equal(service.only.points.get("own")?.["timestampMs"], 5);
  });

  test("finishes with an error when told so", async () => {
    await using service = await FakeService.start();
    const recorder = await recording(service);
    await recorder.finish({ error: "out of memory", errorMeta: { rank: 3 } });
    assert.equal(service.only.status, "error");
    assert.deepEqual(service.sent("svc.v2.experiment.error")[0]?.data["meta"], { rank: 3 });
  });

  for (const kind of ["lost-reply", "lost-request"] as const) {
    test(`sends metrics again with the same ids after a ${kind}`, async () => {
      await using service = await FakeService.start();
      const recorder = await recording(service);
      service.fault = faultFor(holds(metric), { kind }, 2);
      for (let step = 0; step < 10; step++) recorder.record("loss", step, step);
      const report = await recorder.finish();
      assert.equal(service.sent(metric).length, 30);
      assert.equal(service.only.points.size, 10);
      assert.equal(report.stored + report.deduplicated, 10);
      assert.equal(report.deduplicated, kind === "lost-reply" ? 10 : 0);
    });
  }

  test("waits for 503 and 429 to pass and keeps the order of batches", async () => {
    await using service = await FakeService.start();
    const recorder = await recording(service, { pointsPerBatch: 2 });
    let requests = 0;
    service.fault = (request) => {
      if (!holds(metric)(request)) return undefined;
      requests++;
      if (requests === 3) return { kind: "status", status: 429, code: "rate_limited" };
      return requests % 2 === 1 ? storageDown : undefined;
    };
    for (let step = 0; step < 9; step++) recorder.record("loss", step, step);
    await recorder.finish();
    assert.deepEqual([...service.only.points.keys()], idsTo(9));
  });

  test("sends only the failed metrics of a partly failed batch again", async () => {
    await using service = await FakeService.start();
    const recorder = await recording(service);
    const fails = (envelope: { messageId: string }) => ["p-2", "p-4"].includes(envelope.messageId);
    service.fault = faultFor(
      holds(metric),
      { kind: "partial", fails, code: "storage_unavailable", status: 503 },
      2,
    );
    for (let step = 0; step < 5; step++) recorder.record("loss", step, step);
    const report = await recorder.finish();
    assert.equal(report.stored, 5);
    const batches = service.requests.filter(holds(metric)).map((r) => r.envelopes.length);
    assert.deepEqual(batches, [5, 2, 2]);
  });

  test("reports a point that the service rejects, and stores the others", async () => {
    await using service = await FakeService.start();
    const told: RejectedPoint[] = [];
    const recorder = await recording(service, { onRejected: (point) => told.push(point) });
    recorder.record("loss", 1, 1, { messageId: "same", timestampMs: 1 });
    await recorder.flush();
    recorder.record("loss", 2, 2, { messageId: "same", timestampMs: 1 });
    recorder.record("loss", 3, 3);
    const report = await recorder.finish();
    assert.deepEqual([report.stored, report.rejected], [2, 1]);
    assert.deepEqual(report.rejectedPoints, told);
    const [rejected] = told;
    assert.ok(rejected?.error instanceof EventError);
    assert.deepEqual([rejected.error.code, rejected.step], ["message_id_conflict", 2]);
  });

  test("one id twice in one batch does not sink the batch", async () => {
    await using service = await FakeService.start();
    const recorder = await recording(service);
    recorder.record("loss", 1, 1, { messageId: "same", timestampMs: 1 });
    recorder.record("loss", 1, 1, { messageId: "same", timestampMs: 1 });
    recorder.record("loss", 3, 3);
    const report = await recorder.finish();
    assert.deepEqual([report.stored, report.deduplicated, report.rejected], [2, 1, 0]);
  });

  test("finds the one event that makes the service refuse the whole body", async () => {
    await using service = await FakeService.start();
    const recorder = await recording(service);
    service.fault = (request) =>
      request.envelopes.some((envelope) => envelope.messageId === "p-7")
        ? { kind: "status", status: 400, code: "validation_failed" }
        : undefined;
    for (let step = 0; step < 10; step++) recorder.record("loss", step, step);
    const report = await recorder.finish();
    assert.deepEqual([report.stored, report.rejected], [9, 1]);
    assert.deepEqual(report.rejectedPoints[0]?.messageId, "p-7");
    assert.deepEqual(
      [...service.only.points.keys()],
      idsTo(10).filter((id) => id !== "p-7"),
    );
  });

  test("a point that breaks a limit is reported and not sent", async () => {
    await using service = await FakeService.start();
    const recorder = await recording(service);
    const key = "k".repeat(129);
    recorder.record("", 1, 1);
    recorder.record(5 as unknown as string, 1, 1);
    recorder.record("\u00fcber", 1, 1, { meta: { a: "v".repeat(513) } });
    recorder.record("loss", 1, 1.5);
    recorder.record("loss", 1, -1);
    recorder.record("loss", 1, 2 ** 53 - 1);
    recorder.record("loss", 1, 1, { timestampMs: 2 ** 53 });
    recorder.record("loss", 1, 1, { meta: { [key]: "" } });
    recorder.record("loss", 1, 1, { meta: { a: "v".repeat(513) } });
    recorder.record("loss", 1, 1, { meta: { a: "\ud800" } });
    recorder.record("loss", 1, 1, { meta: Object.fromEntries(idsTo(33).map((id) => [id, ""])) });
    recorder.record("loss", 1, 1, {
      meta: Object.fromEntries(idsTo(9).map((id) => [id, "v".repeat(512)])),
    });
    recorder.record("loss", 1, 1, { messageId: "m".repeat(201) });
    recorder.record("n".repeat(256), 1, 2 ** 53 - 2, { timestampMs: 2 ** 53 - 1 });
    const report = await recorder.finish();
    assert.deepEqual([report.recorded, report.stored, report.rejected], [14, 1, 13]);
    for (const { error } of report.rejectedPoints) assert.ok(error instanceof InvalidPointError);
  });

  test("a name that is not printable ASCII, or too long, is written so, with the name in the meta", async () => {
    await using service = await FakeService.start();
    const recorder = await recording(service);
    recorder.record("\u00fcber", 1, 1, { meta: { rank: "1" } });
    recorder.record("n".repeat(257), 1, 1);
    recorder.record("\u00fc", NaN, 1);
    const report = await recorder.finish();
    assert.deepEqual([report.stored, report.nonfinite, report.rejected], [2, 1, 0]);
    const [first, second] = service.only.points.values();
    assert.deepEqual(
      [first.metricName, first.meta],
      ["%C3%BCber", { rank: "1", tag: "\u00fcber" }],
    );
    assert.deepEqual(
      [String(second.metricName).length, second.meta],
      [256, { tag: "n".repeat(257) }],
    );
    const [note] = service.only.annotations;
    const meta = note.meta as Record<string, unknown>;
    assert.deepEqual([meta["metricName"], meta["pointMeta"]], ["%C3%BC", { tag: "\u00fc" }]);
  });

  test("keeps NaN and Infinity as annotations, beside the finite points of the batch", async () => {
    await using service = await FakeService.start();
    const recorder = await recording(service);
    recorder.record("loss", 1, 1);
    recorder.record("loss", NaN, 2, { timestampMs: 1_000 });
    recorder.record("grad", -Infinity, 3, { timestampMs: 2_000, meta: { rank: "1" } });
    recorder.record("loss", 4, 4);
    const report = await recorder.finish();
    assert.deepEqual([report.stored, report.nonfinite, report.rejected], [2, 2, 0]);
    assert.deepEqual(
      service.only.annotations.map(({ meta }) => meta),
      [
        { kind: "nonfinite", metricName: "loss", step: 2, value: "NaN", timestampMs: 1_000 },
        {
          kind: "nonfinite",
          metricName: "grad",
          step: 3,
          value: "-Infinity",
          timestampMs: 2_000,
          pointMeta: { rank: "1" },
        },
      ],
    );
  });

  test("ten thousand NaN are annotations, the rest one summary", async () => {
    await using service = await FakeService.start();
    const recorder = await recording(service);
    for (let step = 0; step < 10_020; step++) {
      // The last one is not the one that came last.
      const value = step === 10_018 ? Infinity : NaN;
      recorder.record("loss", value, step === 10_019 ? 5 : step, { timestampMs: step });
    }
    const report = await recorder.finish();
    assert.equal(report.nonfinite, 10_020);
    assert.equal(service.only.annotations.length, 10_001);
    const last = service.only.annotations.at(-1)?.meta;
    assert.deepEqual(last, {
      kind: "nonfinite",
      metricName: "loss",
      step: 10_000,
      value: "NaN",
      timestampMs: 10_000,
      count: 20,
      lastStep: 10_018,
      lastTimestampMs: 10_018,
      lastValue: "Infinity",
    });
  });

  test("a later change of a meta object does not change recorded points", async () => {
    await using service = await FakeService.start();
    const recorder = await recording(service);
    const meta = { split: "train" };
    recorder.record("loss", 1, 1, { meta });
    meta.split = "validation";
    await recorder.finish();
    assert.deepEqual(service.only.points.get("p-1")?.["meta"], { split: "train" });
  });

  test("throws when too many points wait, and ready() makes room", async () => {
    await using service = await FakeService.start();
    const recorder = await recording(service, { waitingPointsMax: 100, pointsPerBatch: 10 });
    for (let step = 0; step < 100; step++) recorder.record("loss", step, step);
    assert.throws(() => recorder.record("loss", 1, 100), BufferFullError);
    await recorder.ready();
    assert.ok(recorder.waitingPoints < 50);
    recorder.record("loss", 1, 100);
    const report = await recorder.finish();
    assert.equal(report.stored, 101);
    assert.equal(
      service.only.points.get("p-101")?.["step"],
      100,
      "no id is lost by the refused call",
    );
  });

  test("sends an incomplete batch after a while by itself", async () => {
    await using service = await FakeService.start();
    const recorder = await recording(service, { flushIntervalMs: 5 });
    recorder.record("loss", 1, 1);
    while (recorder.waitingPoints > 0) await new Promise((resolve) => setTimeout(resolve, 2));
    assert.equal(service.only.points.size, 1);
    await recorder.finish();
  });

  test("several batches under way: flush waits for all of them", async () => {
    await using service = await FakeService.start();
    const recorder = await recording(service, { batchesInFlight: 4, pointsPerBatch: 10 });
    service.fault = faultFor(holds(metric), storageDown, 5);
    for (let step = 0; step < 200; step++) recorder.record("loss", step, step);
    await recorder.flush();
    assert.equal(service.only.points.size, 200);
    assert.equal(recorder.waitingPoints, 0);
    await recorder.finish();
  });

  test("refreshes the token in the second half of its life", async () => {
    await using service = await FakeService.start();
    service.tokenLifetimeMs = -10_000;
    const recorder = await recording(service);
    const refreshes = () => service.sent("svc.v2.experiment.tokenRefresh").length;
    assert.equal(refreshes(), 1, "before start");
    service.tokenLifetimeMs = 86_400_000;
    recorder.record("loss", 1, 1);
    await recorder.flush();
    recorder.record("loss", 2, 2);
    await recorder.finish();
    assert.equal(refreshes(), 2, "a fresh token is kept");
    assert.equal(service.sent("svc.v2.experiment.open").length, 1);
  });

  test("opens the slug again, with the same content, when the token has expired", async () => {
    await using service = await FakeService.start();
    const recorder = await recording(service);
    recorder.record("loss", 1, 1);
    await recorder.flush();
    service.only.tokens.clear();
    recorder.record("loss", 2, 2);
    await recorder.finish();
    assert.equal(service.only.points.size, 2);
    const [first, second] = service.sent("svc.v2.experiment.open");
    assert.deepEqual(first?.data, second?.data);
  });

  test("an outage longer than the client's patience while the slug is opened again loses nothing", async () => {
    await using service = await FakeService.start();
    const impatient = { ...retry, retryForMs: 10 };
    const client = new LosslessClient({
      baseUrl: service.url,
      apiKey: "ak_test",
      retry: impatient,
    });
    let failures = 0;
    const onRetry = (): number => failures++;
    const recorder = await client.record({ slug: "run/1" }, { idPrefix: "p", retry, onRetry });
    service.only.tokens.clear();
    service.fault = ({ path }) =>
      path === "/api/v2/events" && failures < 3
        ? { kind: "status", status: 502, code: "bad_gateway" }
        : undefined;
    for (let step = 0; step < 10; step++) recorder.record("loss", step, step);
    const report = await recorder.finish();
    assert.equal(report.stored, 10);
    assert.equal(service.only.points.size, 10);
    assert.equal(service.only.status, "done");
  });

  test("wrong options are refused before anything is opened", async () => {
    await using service = await FakeService.start();
    const wrong: [RecorderOptions, RegExp][] = [
      [{ idPrefix: "" }, /^idPrefix must have 1 to 180 characters/],
      [{ idPrefix: "a\nb" }, /control character/],
      [{ idPrefix: "p".repeat(181) }, /^idPrefix/],
      [{ pointsPerBatch: 0 }, /^pointsPerBatch must be/],
      [{ pointsPerBatch: 1_001 }, /^pointsPerBatch must be/],
      [{ flushIntervalMs: NaN }, /^flushIntervalMs must be/],
      [{ flushIntervalMs: Infinity }, /^flushIntervalMs must be/],
    ];
    for (const [options, message] of wrong) {
      await assert.rejects(recording(service, options), { name: "LosslessError", message });
    }
    assert.equal(service.requests.length, 0);
    const noKey = { baseUrl: service.url, apiKey: "" };
    assert.throws(() => new LosslessClient(noKey), /\(apiKey\) is missing or empty/);
    const quoted = { baseUrl: service.url, apiKey: "“ak_1”" };
    assert.throws(() => new LosslessClient(quoted), /characters that no key has/);
  });

  test("stops, and says so everywhere, when the key is no longer accepted", async () => {
    await using service = await FakeService.start();
    const recorder = await recording(service);
    service.fault = () => ({ kind: "status", status: 401, code: "unauthorized" });
    recorder.record("loss", 1, 1);
    await assert.rejects(recorder.flush(), RequestError);
    assert.throws(() => recorder.record("loss", 2, 2), RequestError);
    await assert.rejects(recorder.finish(), RequestError);
  });

  test("finish gives up at its deadline and says how many points are not acknowledged", async () => {
    await using service = await FakeService.start();
    const recorder = await recording(service);
    service.fault = (request) => (holds(metric)(request) ? storageDown : undefined);
    for (let step = 0; step < 3; step++) recorder.record("loss", step, step);
    await assert.rejects(
      recorder.finish({ deadlineMs: 30 }),
      (error) => error instanceof UnsentPointsError && error.unsentPoints === 3,
    );
  });

  test("a lost reply to done is not repeated when the record shows it", async () => {
    await using service = await FakeService.start();
    const recorder = await recording(service);
    service.fault = faultFor(holds("svc.v2.experiment.done"), { kind: "lost-reply" });
    await recorder.finish();
    assert.equal(service.sent("svc.v2.experiment.done").length, 1);
    assert.equal(service.sent("svc.v2.query.experiment").length, 1);
    assert.equal(service.only.status, "done");
  });

  test("a done that never arrived is sent again after reading the record", async () => {
    await using service = await FakeService.start();
    const recorder = await recording(service);
    service.fault = faultFor(holds("svc.v2.experiment.done"), { kind: "lost-request" });
    await recorder.finish();
    assert.equal(service.sent("svc.v2.experiment.done").length, 2);
    assert.equal(service.only.status, "done");
  });

  test("a lost reply to tokenRevoke ends well: the token is dead", async () => {
    await using service = await FakeService.start();
    const recorder = await recording(service);
    service.fault = faultFor(holds("svc.v2.experiment.tokenRevoke"), { kind: "lost-reply" });
    await recorder.finish();
    assert.equal(service.only.tokens.size, 0);
    assert.equal(service.sent("svc.v2.experiment.open").length, 1);
  });

  test("annotations are added once, although replies are lost", async () => {
    await using service = await FakeService.start();
    const recorder = await recording(service);
    const annotate = "svc.v2.experiment.annotate";
    service.fault = faultFor(holds(annotate), { kind: "lost-reply" });
    const first = await recorder.annotate("checkpoint", { path: "a" });
    service.fault = faultFor(holds(annotate), { kind: "lost-request" });
    const second = await recorder.annotate("checkpoint", { path: "a" });
    assert.notEqual(first.annotationId, second.annotationId);
    assert.equal(service.only.annotations.length, 2);
    await recorder.finish();
  });

  test("an annotation is not sent again when those read back may not hold it", async () => {
    await using service = await FakeService.start();
    const recorder = await recording(service);
    const annotate = "svc.v2.experiment.annotate";
    service.annotationsMax = 1;
    await recorder.annotate("first");
    service.fault = faultFor(holds(annotate), { kind: "lost-request" });
    await assert.rejects(recorder.annotate("second"), OutcomeUnknownError);
    assert.equal(service.sent(annotate).length, 2);
    await recorder.finish();
  });

  test("an annotation that the service refuses takes no other with it", async () => {
    await using service = await FakeService.start();
    const recorder = await recording(service);
    service.fault = (request) =>
      request.envelopes.some((envelope) => envelope.data["annotation"] === "bad")
        ? { kind: "status", status: 400, code: "validation_failed" }
        : undefined;
    const outcomes = await Promise.allSettled(
      ["one", "two", "bad", "three"].map((text) => recorder.annotate(text)),
    );
    assert.deepEqual(
      outcomes.map(({ status }) => status),
      ["fulfilled", "fulfilled", "rejected", "fulfilled"],
    );
    await recorder.finish();
  });
});

function idsTo(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `p-${index + 1}`);
}
