import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { mkdtempDisposable } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite, test } from "node:test";
import { pathToFileURL } from "node:url";
import { Service } from "./service.ts";

/** Most of a start is loading: it stays short while nothing is loaded that is not used. */
suite("what a start on SQLite, without stores, loads", async () => {
  const threads = await loadedByThread();
  const mainThread = threads.get(0)!;
  const isOf = (modules: string[], file: string) =>
    modules.some((url) => url.endsWith(`/server/src/${file}`));

  for (const name of ["writer", "reader", "background"]) {
    test(`${name} thread: no package at all, and nothing of HTTP or stores`, () => {
      const modules = [...threads.values()].find((one) => isOf(one, `storage/${name}-thread.ts`));
      assert.ok(modules !== undefined, `no ${name} thread has started`);
      assert.deepEqual(packagesOf(modules), []);
      const ofOthers =
        /\/server\/src\/(http|wire|clouds|versions|stores|sweeping)\/|\/issuer\/[^/]+\.ts|\/buckets\/(s3\/|segments\/s3)|^node:https?$/;
      assert.deepEqual(
        modules.filter((url) => ofOthers.test(url)),
        [],
      );
    });
  }

  test("main thread: no driver of a store or of PostgreSQL, no tracing, no builders of TypeBox, no ajv, no undici", () => {
    const packages = packagesOf(mainThread);
    assert.ok(packages.includes("fastify"), "the main thread was not seen");
    const unused = packages.filter((name) =>
      /^(@aws-sdk\/|@azure\/|@smithy\/|@opentelemetry\/|pg$|ajv$)/.test(name),
    );
    assert.deepEqual(unused, []);
    assert.ok(mainThread.includes("node:http"), "Node's own modules were not seen");
    const undici = mainThread.filter((url) => url.includes("undici"));
    assert.deepEqual(
      undici,
      [],
      "an import of node:http as a value? See server/src/ground/node-http.ts",
    );
    assert.deepEqual(
      mainThread.filter((url) => /\/typebox\/build\/(type|value|compile)\//.test(url)),
      [],
    );
  });

  test("the service is loaded once, though the process begins anew for its allocator", () => {
    const times = mainThread.filter((url) => url.endsWith("/server/src/service.ts")).length;
    assert.equal(times, 1);
  });
});

/** Each thread loaded modules of these URLs until the service was ready; 0 is the main thread. */
async function loadedByThread(): Promise<Map<number, string[]>> {
  await using directory = await mkdtempDisposable(join(tmpdir(), "lossless-start-"));
  const file = join(directory.path, "modules");
  const hooks = pathToFileURL(join(import.meta.dirname, "loaded-modules.ts"));
  const unset = ["-u", "MALLOC_MMAP_THRESHOLD_", "-u", "MALLOC_TRIM_THRESHOLD_"];
  await using service = await Service.start({
    nodeFlags: ["--import", hooks.href],
    environment: { LOADED_MODULES: file },
    wrapper: ["env", ...unset],
  });
  await service.stop();
  const threads = new Map<number, string[]>();
  for (const line of readFileSync(file, "utf8").trim().split("\n")) {
    const [thread = "", url = ""] = line.split(" ");
    threads.set(Number(thread), [...(threads.get(Number(thread)) ?? []), url]);
  }
  return threads;
}

/** Those from outside of this repository, once each. */
function packagesOf(modules: string[]): string[] {
  const names = modules.map(
    (url) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(url)?.[1] ?? "",
  );
  return [...new Set(names)].filter((name) => name !== "" && !name.startsWith("@lossless/"));
}
