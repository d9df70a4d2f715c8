import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { ConsoleLines } from "./console-lines.ts";

test("a console of ten million lines is read where somebody looks, a page at a time, and forgotten", async () => {
  const service = new Service(10_000_000);
  const lines = new ConsoleLines(service.ask, {});
  await lines.look();
  await settled(service);
  assert.equal(lines.window.isLast, true);
  assert.equal(lines.window.lines.at(-1)?.line, 9_999_999);
  assert.equal(service.asked, 1);
  for (let jump = 0; jump < 200; jump++) {
    lines.show(jump * 50_000);
    await settled(service);
    assert.ok(lines.window.lines.some(({ line }) => line === jump * 50_000));
  }
  assert.ok(service.asked <= 201, String(service.asked));
  assert.ok(lines.kept <= 10_000, String(lines.kept));
  assert.equal(service.atOnceMax, 1);
});

test("many places while a reply is on its way are one more request", async () => {
  const service = new Service(1_000_000);
  const lines = new ConsoleLines(service.ask, {});
  await lines.look();
  await settled(service);
  const before = service.asked;
  for (let place = 0; place < 500; place++) lines.show(100_000 + 1_000 * place);
  await settled(service);
  assert.ok(service.asked - before <= 2, String(service.asked - before));
  assert.ok(lines.window.lines.some(({ line }) => line === 599_000));
});

test("new lines at the end are one request, and elsewhere only their number is asked", async () => {
  const service = new Service(1_000);
  const lines = new ConsoleLines(service.ask, {});
  await lines.look();
  await settled(service);
  service.total = 1_050;
  const before = service.asked;
  await lines.look();
  await settled(service);
  assert.equal(service.asked - before, 1);
  assert.equal(lines.window.lines.at(-1)?.line, 1_049);
  lines.show(0);
  await settled(service);
  service.total = 90_000;
  const known = service.lines;
  await lines.look();
  await settled(service);
  assert.equal(lines.total.value, 90_000);
  assert.equal(service.lines - known, 1);
});

test("a failed read is told to who follows, and a page is read again", async () => {
  const service = new Service(1_000);
  const lines = new ConsoleLines(service.ask, {});
  service.failures = 1;
  await assert.rejects(lines.look(), /away/);
  await lines.look();
  await settled(service);
  assert.equal(lines.window.lines.length, 260);
});

/** Answers like the service. */
class Service {
  total: number;
  asked = 0;
  lines = 0;
  failures = 0;
  atOnceMax = 0;
  open = 0;

  constructor(total: number) {
    this.total = total;
  }

  readonly ask: ConstructorParameters<typeof ConsoleLines>[0] = async (body) => {
    this.asked++;
    this.open++;
    this.atOnceMax = Math.max(this.atOnceMax, this.open);
    await setImmediate();
    this.open--;
    if (this.failures-- > 0) throw new Error("away");
    const { limit = 200 } = body;
    const end = Math.min(this.total, body.before ?? this.total);
    const first = Math.min(this.total, body.first ?? Math.max(0, end - limit));
    const next = body.first === undefined ? end : Math.min(this.total, first + limit);
    const lines = Array.from({ length: next - first }, (_, at) => ({
      line: first + at,
      source: 0,
      timestampMs: 0,
      stream: "stdout" as const,
      text: "",
    }));
    this.lines += lines.length;
    return { lines, first, next, total: this.total, sources: [] };
  };
}

async function settled(service: Service): Promise<void> {
  for (let quiet = 0; quiet < 5; quiet = service.open === 0 ? quiet + 1 : 0) await setImmediate();
}
