import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { FakeService, type Fault, type Request } from "../test/fake-service.ts";
import {
  BufferFullError,
  LosslessClient,
  LosslessError,
  type RecorderOptions,
  UnsentPointsError,
} from "./index.ts";
import { printedLines } from "./printed-text.ts";
import { masked } from "./secrets.ts";

const retry = { firstDelayMs: 1, longestDelayMs: 5 };
const isLines = ({ path }: Request): boolean => path.endsWith("/lines");

async function recording(service: FakeService, options: RecorderOptions = {}) {
  const client = new LosslessClient({ baseUrl: service.url, apiKey: "ak_test", retry });
  return client.record({ slug: "run/1" }, { retry, ...options });
}

function textsOf(service: FakeService): string[] {
  return [...service.only.lines.values()].flat().map(({ text }) => text);
}

suite("lines of a recorder", () => {
  test("are stored in order, each once, also when requests and replies are lost", async () => {
    await using service = await FakeService.start();
    const faults: Fault[] = [
      { kind: "lost-reply" },
      { kind: "status", status: 503, code: "storage_unavailable" },
      { kind: "lost-request" },
      { kind: "status", status: 429, code: "rate_limited" },
      { kind: "lost-reply" },
    ];
    service.fault = (request) => (isLines(request) ? faults.shift() : undefined);
    const recorder = await recording(service);
    const sent = Array.from({ length: 25_000 }, (_, number) => `line ${number}`);
    for (const text of sent.slice(0, 12_000)) recorder.line(text);
    await recorder.flush();
    for (const text of sent.slice(12_000)) recorder.line(text, { stream: "info" });
    const { lines } = await recorder.finish();
    assert.deepEqual(textsOf(service), sent);
    assert.equal(service.only.lines.size, 1);
    assert.deepEqual(lines, { recorded: 25_000, stored: 25_000, refused: 0, masked: 0 });
    assert.deepEqual(faults, []);
  });

  test("are sent after a while by themselves, and with the points", async () => {
    await using service = await FakeService.start();
    const recorder = await recording(service, { process: { rank: 3, host: "node-1" } });
    recorder.record("loss", 1, 1);
    recorder.line("hello");
    recorder.line("world");
    while (service.only.lines.size === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    const [{ envelopes }] = service.requests.filter(isLines);
    const { source, first } = envelopes[0] as unknown as { source: object; first: number };
    assert.deepEqual(
      { ...source, id: "" },
      { id: "", rank: 3, host: "node-1", processId: process.pid },
    );
    assert.equal(first, 0);
    await recorder.finish();
    assert.deepEqual(textsOf(service), ["hello", "world"]);
  });

  for (const [status, code] of [
    [409, "limit_exceeded"],
    [404, "not_found"],
  ] as const) {
    test(`refused with ${status}: said once, counted, and the points go on`, async () => {
      await using service = await FakeService.start();
      service.fault = (request) =>
        isLines(request) ? { kind: "status", status, code } : undefined;
      const told: LosslessError[] = [];
      const recorder = await recording(service, { onLinesRefused: (error) => told.push(error) });
      recorder.line("one\ntwo");
      await recorder.flush();
      recorder.line("three");
      recorder.record("loss", 1, 1);
      const report = await recorder.finish();
      assert.deepEqual(
        [report.stored, report.lines.recorded, report.lines.stored, report.lines.refused],
        [1, 3, 0, 3],
      );
      assert.equal(told.length, 1);
      assert.equal(report.lines.refusal, told[0]);
      assert.equal(service.only.status, "done");
    });
  }

  test("that the service has lost are not sent again under other numbers", async () => {
    await using service = await FakeService.start();
    const recorder = await recording(service);
    recorder.line("one");
    recorder.line("two");
    await recorder.flush();
    for (const lines of service.only.lines.values()) lines.pop();
    recorder.line("three");
    const { lines } = await recorder.finish();
    assert.match(lines.refusal!.message, /has 1 lines of this process, and not 2/);
    assert.deepEqual(textsOf(service), ["one"]);
  });

  test("a full buffer throws and drops nothing; ready() makes room", async () => {
    await using service = await FakeService.start();
    const recorder = await recording(service, { waitingLinesMax: 10 });
    for (let number = 0; number < 10; number++) recorder.line(String(number));
    assert.throws(() => recorder.line("one more"), BufferFullError);
    await recorder.ready();
    recorder.line("10");
    await recorder.finish();
    assert.deepEqual(
      textsOf(service),
      Array.from({ length: 11 }, (_, number) => String(number)),
    );
  });

  test("finish says how many lines were not acknowledged in time", async () => {
    await using service = await FakeService.start();
    const recorder = await recording(service);
    service.fault = (request) => (isLines(request) ? { kind: "lost-request" } : undefined);
    recorder.line("one");
    recorder.line("two");
    await assert.rejects(recorder.finish({ deadlineMs: 50 }), (error) => {
      assert.ok(error instanceof UnsentPointsError);
      assert.deepEqual([error.unsentPoints, error.unsentLines], [0, 2]);
      return true;
    });
  });

  test("a wrong stream or time throws at once", async () => {
    await using service = await FakeService.start();
    const recorder = await recording(service);
    assert.throws(() => recorder.line("a", { stream: "stdin" as "stdout" }), /none of stdout/);
    assert.throws(() => recorder.line("a", { timestampMs: 0.5 }), LosslessError);
    recorder.line("b");
    await recorder.finish();
    assert.deepEqual(textsOf(service), ["b"]);
  });
});

test("what is printed becomes lines as a terminal shows them", () => {
  const texts = (printed: string) => printedLines(printed).map(({ text }) => text);
  assert.deepEqual(texts("a\r\nb\n\nc"), ["a", "b", "", "c"]);
  assert.deepEqual(texts("a\n"), ["a"]);
  assert.deepEqual(texts(" 0%\r 50%\r100%   "), ["100%"]);
  const [line] = printedLines("\x1b[1m\x1b[31m🙂red\x1b[0m plain\x1b[K \x1b]8;;http://x\x07link");
  assert.equal(line.text, "🙂red plain link");
  assert.deepEqual(line.spans, [{ start: 0, end: 5, style: "1;31" }]);
  const parts = texts(`${"x".repeat(16_383)}🙂${"y".repeat(20_000)}`);
  assert.deepEqual(
    parts.map((part) => part.length),
    [16_383, 16_384, 3_618],
  );
  assert.deepEqual(texts("\ud800\0a"), ["\ufffda"]);
});

test("what looks like a key is masked, as in the Python client", () => {
  for (const key of [
    `ak_${"a".repeat(44)}`,
    `AKIA${"A".repeat(16)}`,
    `hf_${"b".repeat(34)}`,
    `sk-${"c".repeat(40)}`,
  ])
    assert.equal(masked(`key ${key}!`), "key ********!");
  assert.equal(masked("aws_secret_access_key = abc/def+ghi"), "aws_secret_access_key = ********");
  for (const plain of ["epoch 1: loss=0.25", "task_id: ak_47", "token count: 123456789"])
    assert.equal(masked(plain), plain);
});

test("a masked line is counted and has no colours", async () => {
  await using service = await FakeService.start();
  const recorder = await recording(service);
  recorder.line(`\x1b[31mpassword=hunter2hunter2\x1b[0m`);
  const { lines } = await recorder.finish();
  assert.equal(lines.masked, 1);
  const [[line]] = [...service.only.lines.values()];
  assert.deepEqual([line.text, "spans" in line], ["password=********", false]);
});
