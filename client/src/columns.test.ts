import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { crc32 as crc32OfZlib } from "node:zlib";
import { eventsOfColumns } from "../test/fake-columns.ts";
import { FakeService, type Fault, type Request } from "../test/fake-service.ts";
import { columnsOutcome } from "./column-delivery.ts";
import { columnsBody } from "./columns.ts";
import { crc32, crc32InScript } from "./crc32.ts";
import { type ClientOptions, LosslessClient, type RecorderOptions } from "./index.ts";
import type { Point } from "./point.ts";

const point = (messageId: string, more: Partial<Point> = {}): Point => {
  const numbers = { metricValue: 1, step: 0, timestampMs: 1 };
  return { messageId, metricName: "loss", metaJson: "{}", ...numbers, ...more };
};

suite("the bytes of columns", () => {
  test("golden bytes, those that the service's own test has", () => {
    const numbers = { step: 2 ** 53 - 2, timestampMs: 0, metricValue: 5e-324 };
    const first = { step: 0, timestampMs: 1_700_000_000_000, metricValue: 0.1 };
    const second = { step: 1, timestampMs: 1_700_000_000_001, metricValue: -0, metricName: "a" };
    const points = [point("p-7", first), point("p-8", second), point("é-x-", numbers)];
    const expected =
      "4c436f6c01000000030000006000000002000000010000000500000000000000" +
      Buffer.from(
        '{"partitions":[{"metricName":"loss","meta":{}},{"metricName":"a","meta":{}}],"prefixes":["p"]}  ',
      ).toString("hex") +
      "0000000000000000000000000000f03ffeffffffffff3f43" +
      "00008056febc784200108056febc78420000000000000000" +
      "9a9999999999b93f00000000000000800100000000000000" +
      "0000000000001c40020000000000000000000000000000000" +
      "1000000ffffffff0000000001000000000000000500c3a92d782d14324e64";
    assert.equal(Buffer.from(columnsBody(points)!).toString("hex"), expected);
  });

  test("ids of every form are read back, and partitions by their metas", () => {
    const ids = ["a-0", "a-1", "a-3", "b-4", "a-4", "a-05", "-7", "9", "ü-8", "ü-9", "a-b-1"];
    ids.push("a-999999999999999", "a-1000000000000000", "x", "a-", "😀-1");
    const points = ids.map((id, at) =>
      point(id, { step: at, metaJson: at % 2 === 0 ? "{}" : '{"k":"ü"}' }),
    );
    const events = eventsOfColumns(Buffer.from(columnsBody(points)!), "e");
    const read = events.map(({ messageId, data }) => [messageId, data["step"], data["meta"]]);
    const sent = points.map((one) => [one.messageId, one.step, JSON.parse(one.metaJson)]);
    assert.deepEqual(read, sent);
  });

  test("what one body cannot have is left to events", () => {
    const long = (at: number) => point(`p-${at}`, { metricName: `${at}${"x".repeat(240)}` });
    assert.equal(columnsBody(Array.from({ length: 600 }, (_, at) => long(at))), undefined);
    const texts = Array.from({ length: 30_000 }, (_, at) => point(`${"x".repeat(190)}${at}`));
    assert.equal(columnsBody(texts), undefined);
    assert.equal(columnsBody([]), undefined);
  });

  test("the checksum is that of zlib", () => {
    const bytes = Uint8Array.from({ length: 1_000 }, (_, at) => (at * 7919) % 251);
    for (const length of [0, 1, 9, 1_000]) {
      const some = bytes.subarray(0, length);
      assert.equal(crc32(some), crc32OfZlib(some));
    }
  });

  test("another answer than that of the service is no acknowledgement", () => {
    const good = { points: 3, stored: 1, deduplicated: 1, refused: [{ code: "x", points: [2] }] };
    assert.equal(columnsOutcome(JSON.stringify(good), 3).refused.get(2)?.code, "x");
    for (const more of [
      { points: 4 },
      { stored: 2 },
      { refused: [] },
      { refused: [{ points: [7] }] },
    ]) {
      assert.throws(() => columnsOutcome(JSON.stringify({ ...good, ...more }), 3), /malformed/);
    }
    assert.throws(() => columnsOutcome("<html>", 3), /not JSON/);
    assert.throws(() => columnsOutcome("[]", 3), /malformed/);
  });
});

suite("a recording as columns", () => {
  const retry = { firstDelayMs: 1, longestDelayMs: 5 };

  async function recording(
    service: FakeService,
    options: RecorderOptions = {},
    compression: ClientOptions["compression"] = "auto",
  ) {
    const connection = { baseUrl: service.url, apiKey: "ak_test", compression };
    const client = new LosslessClient({ ...connection, retry });
    return client.record({ slug: "run/1" }, { idPrefix: "p", retry, ...options });
  }

  const isColumns = ({ path }: Request): boolean => path.endsWith("/columns");
  const metrics = (service: FakeService): Request[] =>
    service.requests.filter(({ envelopes }) => envelopes[0]?.event.endsWith(".metric"));

  /** Records 2,500 points, and requires that each is stored once. The requests, `c` or `e` each. */
  async function recorded(
    service: FakeService,
    options: RecorderOptions = {},
    fault?: (request: Request) => Fault | undefined,
  ): Promise<string> {
    const recorder = await recording(service, options);
    if (fault !== undefined)
      service.fault = (request) => (isColumns(request) ? fault(request) : undefined);
    for (let step = 0; step < 2_500; step++) recorder.record("loss", step / 3, step);
    const { stored, deduplicated, rejected } = await recorder.finish();
    assert.deepEqual([stored + deduplicated, rejected], [2_500, 0]);
    const expected = Array.from({ length: 2_500 }, (_, at) => `p-${at + 1}`);
    assert.deepEqual([...service.only.points.keys()], expected);
    assert.equal(service.only.points.get("p-8")?.["metricValue"], 7 / 3);
    return metrics(service)
      .map((request) => (isColumns(request) ? "c" : "e"))
      .join("");
  }

  test("many points at once, in few requests, at a service that says that it takes them", async () => {
    await using service = await FakeService.start();
    service.takesColumns = true;
    assert.equal(await recorded(service), "c");
    const sizes = metrics(service).map(({ envelopes }) => envelopes.length);
    assert.deepEqual(sizes, [2_500]);
  });

  test("no more points a request than was asked for, and few points as events", async () => {
    await using service = await FakeService.start();
    service.takesColumns = true;
    assert.equal(await recorded(service, { pointsPerBatch: 600 }), "ccccc");
    await using other = await FakeService.start();
    other.takesColumns = true;
    assert.equal(await recorded(other, { pointsPerBatch: 50 }), "e".repeat(50));
  });

  test("compressed where events are", async () => {
    await using service = await FakeService.start();
    service.takesColumns = true;
    const recorder = await recording(service, {}, "always");
    for (let step = 0; step < 2_500; step++) recorder.record("loss", step, step);
    assert.equal((await recorder.finish()).stored, 2_500);
    assert.deepEqual(
      metrics(service).map((request) => [isColumns(request), request.gzip]),
      [[true, true]],
    );
  });

  test("nothing but events at a service that does not say so", async () => {
    await using service = await FakeService.start();
    assert.equal(await recorded(service), "eee");
  });

  for (const status of [400, 403, 404, 405, 411, 415]) {
    test(`events for good after a proxy's ${status}, and no point is lost`, async () => {
      await using service = await FakeService.start();
      service.takesColumns = true;
      const fault = () => ({ kind: "status", status, code: "unknown" }) as const;
      assert.equal(await recorded(service, { pointsPerBatch: 500 }, fault), "ceeeee");
    });
  }

  const unanswered: Fault[] = [
    { kind: "lost-request" },
    { kind: "lost-reply" },
    // The service has waited too long for a body over a slow line.
    { kind: "status", status: 408, code: "request_timeout" },
    // A proxy has changed the bytes, plain and as gzip.
    { kind: "status", status: 400, code: "checksum_mismatch" },
    { kind: "status", status: 400, code: "malformed_json" },
  ];
  for (const fault of unanswered) {
    const what = fault.kind === "status" ? fault.code : fault.kind;
    test(`events for good after three times a ${what}, whose points are stored once`, async () => {
      await using service = await FakeService.start();
      service.takesColumns = true;
      const sent = await recorded(service, { pointsPerBatch: 500 }, () => fault);
      assert.equal(sent, "cececeee");
    });
  }

  test("of batches in flight together each unanswered one counts", async () => {
    await using service = await FakeService.start();
    service.takesColumns = true;
    const recorder = await recording(service, { pointsPerBatch: 500, batchesInFlight: 3 });
    const three = Promise.withResolvers<void>();
    let columns = 0;
    service.fault = async (request) => {
      if (!isColumns(request)) {
        await three.promise;
        return undefined;
      }
      if (++columns === 3) three.resolve();
      return { kind: "lost-request" };
    };
    for (let step = 0; step < 10_000; step++) recorder.record("loss", step, step);
    assert.equal((await recorder.finish()).stored, 10_000);
    // Two more batches may begin before the third of these is answered as events.
    assert.ok(columns <= 5, `${columns} requests of columns`);
  });

  test("the time for retries begins again when a part of a batch has arrived as events", async () => {
    await using service = await FakeService.start();
    service.takesColumns = true;
    const brief = { ...retry, retryForMs: 200 };
    const recorder = await recording(service, { retry: brief });
    let events = 0;
    service.fault = async (request) => {
      if (isColumns(request)) return { kind: "lost-request" };
      if (++events !== 2) return undefined;
      await new Promise((resolve) => setTimeout(resolve, 250));
      return { kind: "lost-request" };
    };
    for (let step = 0; step < 2_500; step++) recorder.record("loss", step, step);
    assert.equal((await recorder.finish()).stored, 2_500);
  });

  test("columns again after one lost reply, and after the service asked to wait", async () => {
    await using service = await FakeService.start();
    service.takesColumns = true;
    const faults: (Fault | undefined)[] = [
      { kind: "lost-reply" },
      { kind: "status", status: 503, code: "overloaded" },
      { kind: "status", status: 429, code: "rate_limited" },
    ];
    const sent = await recorded(service, { pointsPerBatch: 500 }, () => faults.shift());
    assert.equal(sent, "cecccccc");
  });

  test("a batch that the service refuses for its content goes as events, which say of which point", async () => {
    await using service = await FakeService.start();
    service.takesColumns = true;
    const faults: Fault[] = [{ kind: "status", status: 400, code: "validation_failed" }];
    const sent = await recorded(service, { pointsPerBatch: 500 }, () => faults.shift());
    assert.equal(sent, "cecccc");
  });

  test("points that are refused are rejected, those that failed for now are sent again", async () => {
    await using service = await FakeService.start();
    service.takesColumns = true;
    const fails = ({ data }: { data: Record<string, unknown> }) => data["step"] === 7;
    const faults: Fault[] = [
      { kind: "partial", fails, code: "storage_full", status: 507 },
      { kind: "partial", fails: () => true, code: "limit_exceeded", status: 409 },
    ];
    const recorder = await recording(service, { pointsPerBatch: 150 });
    service.fault = ({ envelopes }) =>
      envelopes[0]?.event.endsWith(".metric") ? faults.shift() : undefined;
    for (let step = 0; step < 150; step++) recorder.record("loss", step, step);
    const { stored, rejected, rejectedPoints } = await recorder.finish();
    assert.deepEqual([stored, rejected, rejectedPoints[0].step], [149, 1, 7]);
  });
});

test("CRCs of Node and of the script are the same", () => {
  const bytes = Uint8Array.from({ length: 1_000 }, (_, at) => at * 7);
  for (const length of [0, 1, 9, 1_000])
    assert.equal(crc32(bytes.subarray(0, length)), crc32InScript(bytes.subarray(0, length)));
  assert.equal(crc32InScript(new TextEncoder().encode("123456789")), 0xcbf4_3926);
});
