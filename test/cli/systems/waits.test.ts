import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";
import { LosslessClient } from "@lossless/client";
import { Figures } from "../../figures.ts";
import { freePort } from "../../free-port.ts";
import { organizations, Service } from "../../service.ts";
import { until } from "../../web/until.ts";
import { finished, start } from "../command-line.ts";

test("who waits for a condition waits on while the service stops, and while it is killed", async () => {
  const figures = await Figures.onFreePort();
  const flags = ["--port", `${await freePort()}`, ...figures.flags];
  await using service = await Service.start({ flags });
  const { baseUrl } = service;
  const failures = new EventTarget();
  const client = new LosslessClient({
    baseUrl,
    apiKey: organizations.acme.key,
    retry: {
      // Anything else would be given up at once.
      retryForMs: 0,
      observer: {
        mayRetry: () => failures.dispatchEvent(new Event("failure")),
        succeeded() {},
      },
    },
  });
  const recorder = await client.record({ slug: "team/run" });
  const { experimentId } = recorder;
  const condition = "loss < 1";
  const program = client.waitUntil({ experimentId }, condition);
  const child = start(baseUrl, ["wait", "team/run", "--until", condition]);
  const command = finished(child);
  let told = "";
  child.stderr!.on("data", (part: Buffer | string) => (told += String(part)));
  const bothWait = () =>
    until(async () => assert.equal(await figures.value("lossless_waits"), 2, told));
  const tells = (sentence: RegExp, times: number) =>
    until(async () => assert.equal(told.split(sentence).length - 1, times, told));

  await bothWait();
  for (const [times, end] of [() => service.stop(), () => service.kill()].entries()) {
    const failed = once(failures, "failure");
    await end();
    await failed;
    await tells(/cannot reach the service .*: trying again until it does/, times + 1);
    await service.start();
    await bothWait();
    await tells(/the service answers again/, times + 1);
  }
  recorder.record("loss", 0.5, 1);
  await recorder.finish();
  assert.equal((await program).outcome, "holds");
  const { code, stdout } = await command;
  assert.deepEqual([code, stdout.split(" (")[0]], [0, "team/run: loss < 1"]);
});
