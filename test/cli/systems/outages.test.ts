import assert from "node:assert/strict";
import type { ChildProcess } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { before, suite, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { freePort } from "../../free-port.ts";
import { Service } from "../../service.ts";
import { suiteDirectory } from "../../suite-service.ts";
import { FaultProxy } from "../../stores/fault-proxy.ts";
import { finished, start } from "../command-line.ts";

const directory = suiteDirectory("outages");
let file: string;

before(async () => {
  file = join(directory, "weights.bin");
  await writeFile(file, new Uint8Array(24 * 1_048_576).fill(7));
});

function begin(baseUrl: string, ...words: string[]): ChildProcess {
  return start(baseUrl, words, { XDG_STATE_HOME: join(directory, "state") });
}

async function until(child: ChildProcess, isTrue: () => boolean): Promise<void> {
  while (!isTrue()) {
    assert.equal(child.exitCode, null, "it ended early");
    await sleep(50);
  }
}

suite("what push and pull tell of outages", { concurrency: true }, () => {
  test("a service that never answers is told at once, and given up in 30 seconds", async () => {
    const words = ["push", file, "runs/a", "--json"];
    const child = begin(`http://127.0.0.1:${await freePort()}`, ...words);
    const { code, stdout, stderr } = await finished(child);
    assert.deepEqual([code, stdout], [1, ""]);
    const lines = stderr.trim().split("\n");
    const [{ notice }, { error, message }] = lines.map((line) => JSON.parse(line)) as [
      { notice: string },
      { error: string; message: string },
    ];
    const address = /http:\/\/127\.0\.0\.1:\d+/.source;
    const unreachable = `cannot reach the service at ${address} \\(ECONNREFUSED\\)`;
    assert.match(notice, new RegExp(`^${unreachable}: trying again for \\d+ s$`));
    assert.deepEqual([lines.length, error], [2, "unreachable"], stderr);
    assert.match(message, new RegExp(`^${unreachable}; is the service running there`));
  });

  test("a service that goes away is told, and that it is back", async () => {
    const port = await freePort();
    await using line = await FaultProxy.start(`http://127.0.0.1:${port}`);
    const flags = ["--port", `${port}`, "--base-url", line.endpoint];
    await using service = await Service.start({ flags });
    line.toServer = { bytesPerSecond: 2_000_000 };
    const child = begin(line.endpoint, "push", file, "runs/b", "--json");
    const end = finished(child);
    let errors = "";
    child.stderr!.on("data", (chunk: Buffer | string) => (errors += String(chunk)));
    // An upload has begun, so the service has answered.
    const records = join(directory, "state", "lossless", "uploads");
    await until(child, () => existsSync(records) && readdirSync(records).length > 0);
    await service.kill();
    await until(child, () => /cannot reach .*: trying again until \d\d:\d\d"/.test(errors));
    line.toServer = {};
    await service.start();
    const { code, stdout, stderr } = await end;
    assert.equal(code, 0, stderr);
    assert.match(stderr, /the service answers again/);
    assert.equal((JSON.parse(stdout) as { artifact: string }).artifact, "runs/b");
  });
});
