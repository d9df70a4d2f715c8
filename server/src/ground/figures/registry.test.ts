import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { startAdminServer } from "../../operator/pages/admin-server.ts";
import { labelText, Registry } from "./registry.ts";

suite("Prometheus text", () => {
  test("counters, gauges and histograms", () => {
    const registry = new Registry();
    const plain = registry.counter("plain_total", "Plain.");
    const labelled = registry.counter("labelled_total", "Labelled.", ["a", "b"]);
    registry.gauge("gauge", "Gauge.", () => 1.5);
    registry.gauge("absent", "Absent.", () => undefined);
    const seconds = registry.histogram("seconds", "Seconds.", [0.1, 1], ["route"]);
    plain.add(2);
    labelled.add(1, "x", 'y"\\\n');
    labelled.add(1, "x", 'y"\\\n');
    for (const value of [0.05, 0.1, 0.5, 7]) seconds.observe(value, "/r");
    assert.equal(
      registry.text(),
      [
        "# HELP plain_total Plain.", "# TYPE plain_total counter", "plain_total 2",
        "# HELP labelled_total Labelled.", "# TYPE labelled_total counter",
        'labelled_total{a="x",b="y\\"\\\\\\n"} 2',
        "# HELP gauge Gauge.", "# TYPE gauge gauge", "gauge 1.5",
        "# HELP absent Absent.", "# TYPE absent gauge",
        "# HELP seconds Seconds.", "# TYPE seconds histogram",
        'seconds_bucket{route="/r",le="0.1"} 2', 'seconds_bucket{route="/r",le="1"} 3',
        'seconds_bucket{route="/r",le="+Inf"} 4', 'seconds_sum{route="/r"} 7.65', 'seconds_count{route="/r"} 4',
        "",
      ].join("\n"),
    ); // prettier-ignore
    assert.throws(() => labelText(["a"], []), /BUG/);
  });
});

suite("admin server", () => {
  test("pages on loopback, refused under foreign names", async () => {
    await using server = await startAdminServer({ host: "127.0.0.1", port: 0 });
    assert.match(server.url, /^http:\/\/127\.0\.0\.1:\d+$/);
    const get = async (path: string, init: RequestInit = {}) => {
      const reply = await fetch(server.url + path, init);
      return [reply.status, await reply.text()];
    };
    assert.deepEqual(await get("/metrics"), [503, '{"status":"starting"}']);
    assert.deepEqual(await get("/healthz"), [200, '{"status":"ok"}']);
    server.serve({
      metrics: async () => "up 1\n",
      readiness: async () => ({ ready: false, details: { status: "starting" } }),
    });
    assert.deepEqual(await get("/metrics"), [200, "up 1\n"]);
    assert.deepEqual(await get("/healthz"), [200, '{"status":"ok"}']);
    assert.deepEqual(await get("/readyz"), [503, '{"status":"starting"}']);
    assert.equal((await get("/none"))[0], 404);
    assert.equal((await get("/metrics", { method: "POST" }))[0], 405);
    const { request } = await import("node:http");
    const status = await new Promise((resolve) => {
      request(`${server.url}/metrics`, { headers: { host: "evil.example" } }, (reply) => {
        reply.resume();
        resolve(reply.statusCode);
      }).end();
    });
    assert.equal(status, 421);
  });

  test("elsewhere than on loopback it answers under any name: whoever scrapes has one for it", async () => {
    await using server = await startAdminServer({ host: "0.0.0.0", port: 0 });
    const { request } = await import("node:http");
    const status = await new Promise((resolve) => {
      const headers = { host: "lossless.monitoring.example" };
      request(`http://127.0.0.1:${server.port}/healthz`, { headers }, (reply) => {
        reply.resume();
        resolve(reply.statusCode);
      }).end();
    });
    assert.equal(status, 200);
  });
});
