import assert from "node:assert/strict";
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { Service } from "../service.ts";

const until = async (holds: () => boolean | Promise<boolean>): Promise<void> => {
  while (!(await holds())) await sleep(20);
};

test("SIGHUP applies the provision file again, a wrong one changes nothing, and systemd is told", async () => {
  const directory = mkdtempSync(join(tmpdir(), "lossless-reload-"));
  // It stands in for systemd's program, and writes down what it is to send.
  const told = join(directory, "told");
  const program = join(directory, "systemd-notify");
  writeFileSync(program, `#!/bin/sh\necho "$@" >> "$NOTIFY_SOCKET"\n`);
  chmodSync(program, 0o755);
  const environment = {
    NOTIFY_SOCKET: told,
    PATH: `${directory}${delimiter}${process.env.PATH}`,
  };
  const service = await Service.start({ environment });
  const lines = () => (existsSync(told) ? readFileSync(told, "utf8").trim().split("\n") : []);
  const known = async (secret: string) => {
    const headers = { authorization: `Bearer ${secret}` };
    return (await fetch(`${service.baseUrl}/api/v1/whoami`, { headers })).status === 200;
  };
  await until(() => lines().length === 1);
  const file = JSON.parse(readFileSync(service.provisionFile, "utf8"));
  const secret = `ak_${"n".repeat(44)}`;
  file.organizations[0].apiKeys.push({ name: "new", secret });
  const reload = (content: string) => {
    writeFileSync(service.provisionFile, content);
    process.kill(service.processId, "SIGHUP");
  };

  reload("{ this is wrong");
  await until(() => lines().length === 3);
  assert.match(service.errors, /"level":"error".*the reload failed.*provision\.json/);
  assert.equal(await known(secret), false);

  reload(JSON.stringify(file));
  await until(() => lines().length === 5);
  assert.equal(await known(secret), true);

  assert.equal(await service.stop(), 0);
  await until(() => lines().length === 6);
  const shapes = lines().map((line) => line.replace(/\d{4,}/, "N"));
  const reloading = "RELOADING=1 MONOTONIC_USEC=N";
  assert.deepEqual(shapes, ["READY=1", reloading, "READY=1", reloading, "READY=1", "STOPPING=1"]);
  await service[Symbol.asyncDispose]();
  rmSync(directory, { recursive: true });
});
