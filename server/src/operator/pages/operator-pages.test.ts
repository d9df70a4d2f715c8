import assert from "node:assert/strict";
import { tmpdir } from "node:os";
import { test } from "node:test";
import type { Readiness } from "../../http/readiness.ts";
import { ServiceState } from "../../http/service-state.ts";
import { testService } from "../../http/storage.fixture.ts";
import { configOf } from "../../settings/config.ts";
import type { OpenStorage } from "../../storage/threaded-storage.ts";
import { startAdminServer } from "./admin-server.ts";
import { serveOperatorPages } from "./operator-pages.ts";

test("/readyz gives one word, that of the first reason, and says beside it what it knows", async () => {
  const service = testService();
  const config = configOf({ data: tmpdir() });
  await using server = await startAdminServer({ host: "127.0.0.1", port: 0 });
  const ready = async () => {
    const reply = await fetch(`${server.url}/readyz`);
    const { diskFreeBytes, ...told } = (await reply.json()) as Record<string, unknown>;
    return [reply.status, told, typeof diskFreeBytes];
  };
  // Before there is anything to show, it is not known what the disk has.
  assert.deepEqual(await ready(), [503, { status: "starting" }, "undefined"]);

  using _pages = serveOperatorPages(server, config, service.context, {} as OpenStorage);
  const answers = (reads: boolean, writes: boolean) =>
    Object.assign(service.context, { probe: async (): Promise<Readiness> => ({ reads, writes }) });
  const shown = (status: string, storageReady: boolean) => [
    status === "ok" ? 200 : 503,
    { status, storageReady },
    "number",
  ];
  answers(true, true);
  assert.deepEqual(await ready(), shown("ok", true));
  // A full disk, and a storage that does not answer.
  answers(true, false);
  assert.deepEqual(await ready(), shown("unavailable", false));
  answers(false, false);
  assert.deepEqual(await ready(), shown("unavailable", false));
  // Who stops is asked no more whether they could.
  service.state.drain();
  assert.deepEqual(await ready(), shown("stopping", false));
  answers(true, true);
  assert.deepEqual(await ready(), shown("stopping", true));
  service.state.stop();
  assert.deepEqual(await ready(), shown("stopping", true));
  Object.assign(service.context, { state: new ServiceState() });
  assert.deepEqual(await ready(), shown("starting", true));
});
