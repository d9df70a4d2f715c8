import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { mkdtempDisposable } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { suite, test } from "node:test";
import { pathToFileURL } from "node:url";
import { checkoutRoot, Service } from "./service.ts";

/** As docs/operating.md says. */
const settings = {
  MALLOC_MMAP_THRESHOLD_: "65536",
  MALLOC_TRIM_THRESHOLD_: "131072",
  MALLOC_ARENA_MAX: "2",
};
const young = "--max-semi-space-size=4";

/** Most of a start is loading: it stays short while nothing is loaded that is not used. */
suite("what a start on SQLite, without stores, loads", async () => {
  const { threads, environment } = await started();
  const mainThread = threads.get(0)!;
  const isOf = (modules: string[], file: string) =>
    modules.some((url) => url.endsWith(`/server/src/${file}`));

  for (const name of ["writer", "reader", "background"]) {
    test(`${name} thread: no package at all, and nothing of HTTP or stores`, () => {
      const modules = [...threads.values()].find((one) => isOf(one, `storage/${name}-thread.ts`));
      assert.ok(modules !== undefined, `no ${name} thread has started`);
      assert.deepEqual(packagesOf(modules), []);
      const ofOthers =
        /\/server\/src\/(http|wire|(artifacts|places|accounts)\/(?!rows\/))|\/buckets\/(s3\/|segments\/s3)|^node:https?$/;
      assert.deepEqual(
        modules.filter((url) => ofOthers.test(url)),
        [],
      );
    });
  }

  test("one reader thread, for short reads: others start with the first long read", () => {
    const readers = [...threads.values()].filter((one) => isOf(one, "storage/reader-thread.ts"));
    assert.equal(readers.length, 1);
  });

  test("main thread: no driver of a store or of PostgreSQL, no tracing, no builders of TypeBox, no ajv, no undici, nothing of agents", () => {
    const packages = packagesOf(mainThread);
    assert.ok(packages.includes("fastify"), "the main thread was not seen");
    const unused = packages.filter((name) =>
      /^(@aws-sdk\/|@azure\/|@smithy\/|@opentelemetry\/|@modelcontextprotocol\/|pg$|ajv$|zod$)/.test(
        name,
      ),
    );
    assert.deepEqual(unused, []);
    assert.deepEqual(
      mainThread.filter((url) => url.includes("/protocol/src/agents/")),
      [],
    );
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
    if (process.platform !== "linux") return;
    for (const [name, value] of Object.entries(settings))
      assert.equal(environment.get(name), value);
  });
});

test("an old Node hands the service over to the one that is there, with what it would set itself", async () => {
  await using directory = await mkdtempDisposable(join(tmpdir(), "lossless-start-"));
  const program = join(directory.path, "bin/lossless.js");
  const names = Object.keys(settings);
  const newer = join(directory.path, "node_modules/.bin/node");
  for (const path of [program, newer]) mkdirSync(dirname(path), { recursive: true });
  cpSync(join(checkoutRoot, "cli/bin/lossless.js"), program);
  writeFileSync(join(directory.path, "package.json"), '{ "type": "module" }');
  const values = names.map((name) => `"$${name}"`).join(" ");
  writeFileSync(newer, `#!/bin/sh\nprintf '%s\\n' ${values} "$@"\n`, { mode: 0o755 });
  const versions = { value: { node: "20.0.0" } };
  const code = `Object.defineProperty(process, "versions", ${JSON.stringify(versions)})`;
  const old = ["--import", `data:text/javascript,${encodeURIComponent(code)}`];
  /** The values of `names`, then what the newer Node is started with. */
  const handedOver = (word: string, own: Record<string, string> = {}) => {
    const options = { env: { PATH: process.env.PATH, ...own }, encoding: "utf8" } as const;
    const output = execFileSync(process.execPath, [...old, program, word, "--x"], options);
    return output.trimEnd().split("\n");
  };
  const [mmap, trim, arenas] = Object.values(settings);
  assert.deepEqual(handedOver("serve"), [mmap, trim, arenas, young, program, "serve", "--x"]);
  const own = { MALLOC_ARENA_MAX: "8", NODE_OPTIONS: "--max-semi-space-size=16" };
  assert.deepEqual(handedOver("serve", own), [mmap, trim, "8", program, "serve", "--x"]);
  const left = { MALLOC_TRIM_THRESHOLD_: "7" };
  assert.deepEqual(handedOver("serve", left), ["", "7", "", program, "serve", "--x"]);
  assert.deepEqual(handedOver("verify"), ["", "", "", program, "verify", "--x"]);
});

/** The environment of a service, and the modules that each of its threads has loaded. */
async function started() {
  await using directory = await mkdtempDisposable(join(tmpdir(), "lossless-start-"));
  const file = join(directory.path, "modules");
  const hooks = pathToFileURL(join(import.meta.dirname, "loaded-modules.ts"));
  const unset = Object.keys(settings).flatMap((name) => ["-u", name]);
  await using service = await Service.start({
    fromSources: true,
    nodeFlags: ["--import", hooks.href],
    environment: { LOADED_MODULES: file },
    wrapper: ["env", ...unset],
  });
  const environment = environmentOf(service.processId);
  await service.stop();
  const threads = new Map<number, string[]>();
  for (const line of readFileSync(file, "utf8").trim().split("\n")) {
    const [thread = "", url = ""] = line.split(" ");
    threads.set(Number(thread), [...(threads.get(Number(thread)) ?? []), url]);
  }
  return { threads, environment };
}

/** That with which a process began, as Linux shows it; empty elsewhere. */
function environmentOf(processId: number): Map<string, string> {
  if (process.platform !== "linux") return new Map();
  const rows = readFileSync(`/proc/${processId}/environ`, "utf8").split("\0");
  return new Map(rows.map((row) => row.split("=", 2) as [string, string]));
}

/** Those from outside of this repository, once each. */
function packagesOf(modules: string[]): string[] {
  const names = modules.map(
    (url) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(url)?.[1] ?? "",
  );
  return [...new Set(names)].filter((name) => name !== "" && !name.startsWith("@lossless/"));
}
