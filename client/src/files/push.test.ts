import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import {
  mkdir,
  mkdtemp,
  readdir,
  rm,
  stat,
  symlink,
  truncate,
  utimes,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, suite, test } from "node:test";
import { promisify } from "node:util";
import {
  type Call,
  FakeArtifactService,
  type StoreFault,
} from "../../test/fake-artifact-service.ts";
import {
  FileChangedError,
  LosslessClient,
  RequestError,
  StoreError,
  SupersededError,
} from "../index.ts";
import { preparedBytes } from "./content.ts";
import { openArtifact, push, type PushOptions } from "./index.ts";

const retry = { firstDelayMs: 1, longestDelayMs: 5, retryForMs: 60_000 };
let service: FakeArtifactService;
let directory: string;

// In a suite, because hooks outside of one would run around every test of the process.
suite("a push", () => {
  beforeEach(async () => {
    service = await FakeArtifactService.start();
    service.partSize = 100_000;
    directory = await mkdtemp(join(tmpdir(), "lossless-push-"));
  });
  afterEach(async () => {
    await service[Symbol.asyncDispose]();
    await rm(directory, { recursive: true, force: true });
  });

  function client(): LosslessClient {
    return new LosslessClient({ baseUrl: service.url, apiKey: "ak_test", retry });
  }

  async function files(contents: Record<string, Buffer | string>): Promise<string> {
    const path = join(directory, "source");
    for (const [name, content] of Object.entries(contents)) {
      await mkdir(dirname(join(path, name)), { recursive: true });
      await writeFile(join(path, name), content);
    }
    return path;
  }

  function pushOf(path: string, options: Partial<PushOptions> = {}) {
    const recordDirectory = join(directory, "records");
    return push(client(), { artifact: "a/b", path, recordDirectory, retry, ...options });
  }

  /** Makes the first `count` matching requests fail. */
  function first(count: number, fits: (call: Call) => boolean, fault: StoreFault) {
    let left = count;
    return (call: Call): StoreFault | undefined => (fits(call) && left-- > 0 ? fault : undefined);
  }

  const isPart = (call: Call): boolean => call.method === "PUT" && call.part !== undefined;
  const sha256 = (content: Buffer): string => createHash("sha256").update(content).digest("hex");
  const large = randomBytes(450_000);

  suite("push", () => {
    test("a directory becomes a version, with its checksums, and the next one gets the next number", async () => {
      const empty = Buffer.alloc(0);
      const path = await files({ "big.bin": large, "sub/ünï 😀.txt": "x", ".hidden": empty });
      const progress: number[] = [];
      const meta = { step: 5 };
      const pushed = await pushOf(path, { meta, onProgress: ({ bytes }) => progress.push(bytes) });
      assert.deepEqual(
        [pushed.version, pushed.files, pushed.bytes, pushed.resumed],
        ["000000000001", 3, 450_001, false],
      );
      assert.deepEqual(service.content("a/b", "big.bin"), large);
      assert.equal(service.content("a/b", "sub/ünï 😀.txt").toString(), "x");
      assert.equal(service.content("a/b", ".hidden").length, 0);
      assert.deepEqual(service.committed[0].meta, {
        step: 5,
        sha256: {
          ".hidden": sha256(empty),
          "big.bin": sha256(large),
          "sub/ünï 😀.txt": sha256(Buffer.from("x")),
        },
      });
      assert.equal(progress.at(-1), 450_001);
      assert.equal((await pushOf(path)).version, "000000000002");
      assert.deepEqual(await readdir(join(directory, "records")), []);
    });

    test("a store may answer 201, 204 and without ETags: the commit names empty ones", async () => {
      const path = await files({ a: large, b: "" });
      for (const status of [201, 204]) {
        service.partReply = { status, etag: false };
        service.fault = first(1, isPart, { kind: "lost-reply" });
        await pushOf(path);
        const commit = service.of("/api/v1/versions/commit").at(-1)!.body["files"];
        assert.deepEqual(commit, [
          { name: "a", etags: ["", "", "", "", ""] },
          { name: "b", etags: [""] },
        ]);
        assert.deepEqual(service.content("a/b", "a"), large);
      }
    });

    test("what was sent without an ETag is not sent again by the push that goes on", async () => {
      const path = await files({ a: large });
      service.partReply = { status: 201, etag: false };
      const stop = new AbortController();
      service.fault = (call) => {
        if (isPart(call) && call.part?.number === 3) stop.abort(new Error("Ctrl-C"));
        return undefined;
      };
      await assert.rejects(pushOf(path, { parallel: 1, signal: stop.signal }), /Ctrl-C/);
      service.fault = () => undefined;
      service.calls.length = 0;
      assert.equal((await pushOf(path)).resumed, true);
      assert.deepEqual(service.partsSent.map((call) => call.part!.number).sort(), [3, 4]);
      assert.deepEqual(service.content("a/b", "a"), large);
    });

    test("a file alone, and many parts at once", async () => {
      const path = await files({ "model.bin": large });
      const pushed = await pushOf(join(path, "model.bin"), { parallel: 3 });
      assert.equal(pushed.files, 1);
      assert.deepEqual(service.content("a/b", "model.bin"), large);
    });

    test("checksums that do not fit into the meta go into a file", async () => {
      const contents = Object.fromEntries(
        Array.from({ length: 700 }, (_, index) => [
          `weights-${index}-${"x".repeat(20)}`,
          `${index}`,
        ]),
      );
      const path = await files({ ...contents, SHA256SUMS: "of the user" });
      await pushOf(path, { parallel: 32 });
      const version = service.committed[0];
      const { sha256: sums } = version.meta as { sha256: Record<string, string> };
      assert.deepEqual(Object.keys(sums), ["SHA256SUMS.2"]);
      const text = service.content("a/b", "SHA256SUMS.2");
      assert.equal(sums["SHA256SUMS.2"], sha256(text));
      assert.equal(text.toString().split("\n").length, 702);
      assert.match(text.toString(), new RegExp(`^${sha256(Buffer.from("0"))}  weights-0-x+$`, "m"));
    });

    test("parts are sent again after 500, 503, dropped connections, lost replies and silence", async () => {
      const path = await files({ a: large });
      const faults: StoreFault[] = [
        { kind: "status", status: 500 },
        { kind: "drop" },
        { kind: "lost-reply" },
        { kind: "status", status: 503 },
        { kind: "silence" },
        { kind: "status", status: 429 },
      ];
      service.fault = (call) => (isPart(call) ? faults.shift() : undefined);
      // Long enough for silence only: a slow part would be sent again.
      await pushOf(path, { idleTimeoutMs: 3_000 });
      assert.deepEqual(service.content("a/b", "a"), large);
      assert.equal(service.partsSent.length, 5 + 6);
    });

    test("addresses that are refused are renewed once for all, and the parts that are there stay", async () => {
      const path = await files({ a: large });
      let sent = 0;
      service.fault = (call) => {
        if (isPart(call) && ++sent === 3) service.refusedBelow = 2;
        return undefined;
      };
      await pushOf(path, { parallel: 2 });
      assert.equal(service.of("/api/v1/versions/resign").length, 1);
      assert.deepEqual(service.content("a/b", "a"), large);
      assert.ok(service.partsSent.length <= 5 + 2);
    });

    test("fresh addresses that are refused too end the push", async () => {
      const path = await files({ a: large });
      service.refusedBelow = Infinity;
      await assert.rejects(pushOf(path), (error) => {
        return (
          error instanceof StoreError && error.status === 403 && /forbidden/.test(error.message)
        );
      });
      assert.equal(service.of("/api/v1/versions/resign").length, 1);
    });

    test("a proxy that refuses the size of parts is named, a store with a reason of its own is not", async () => {
      const path = await files({ a: large });
      service.fault = ({ part }) =>
        part === undefined ? undefined : { kind: "proxy", status: 413 };
      await assert.rejects(pushOf(path), (error) => {
        return error instanceof StoreError && /proxy .*client_max_body_size/.test(error.message);
      });
      service.fault = ({ part }) =>
        part === undefined ? undefined : { kind: "status", status: 413, code: "too_large" };
      await assert.rejects(pushOf(path), (error) => {
        return error instanceof StoreError && error.message.endsWith("HTTP 413 (too_large)");
      });
    });

    test("addresses are renewed before they end, by the service's clock", async () => {
      const path = await files({ a: large });
      service.clockOffsetMs = 86_400_000;
      service.addressLifetimeMs = 100;
      const silence = first(1, isPart, { kind: "silence" });
      service.fault = (call) => {
        // Only the first addresses expire soon.
        if (call.path === "/api/v1/versions/resign") service.addressLifetimeMs = 3_600_000;
        return silence(call);
      };
      await pushOf(path, { parallel: 1, idleTimeoutMs: 1_200 });
      assert.equal(service.of("/api/v1/versions/resign").length, 1);
      assert.deepEqual(service.content("a/b", "a"), large);
    });

    test("a location that fails is left for another one, with a notice", async () => {
      const path = await files({ a: large });
      service.locations = ["loc-1", "loc-2"];
      service.fault = (call) =>
        isPart(call) && call.part?.location === "loc-1"
          ? { kind: "status", status: 503 }
          : undefined;
      const notices: string[] = [];
      await pushOf(path, { onNotice: (notice) => notices.push(notice) });
      assert.equal(service.committed[0].location, "loc-2");
      assert.match(notices.join("\n"), /loc-2 is used in place of another/);
      assert.match(notices.join("\n"), /503.*sending everything again to another location/);
      assert.deepEqual(service.of("/api/v1/versions/begin")[1].body["exclude"], ["loc-1"]);
    });

    test("with nowhere else to go the location is tried on", async () => {
      const path = await files({ a: large });
      service.fault = first(90, isPart, { kind: "status", status: 503 });
      const notices: string[] = [];
      await pushOf(path, { onNotice: (notice) => notices.push(notice) });
      assert.match(notices.join("\n"), /there is no other location/);
      assert.deepEqual(service.content("a/b", "a"), large);
      assert.equal(service.of("/api/v1/versions/begin").length, 2);
    });

    test("superseded stops everything, wherever it is said, and the same push does not take over", async () => {
      const path = await files({ a: large });
      let sent = 0;
      service.fault = (call) => {
        if (isPart(call) && ++sent === 3) service.takeOver("a/b");
        return undefined;
      };
      await assert.rejects(pushOf(path, { parallel: 1 }), (error) => {
        return error instanceof SupersededError && error.epoch === 2;
      });
      const sentBefore = service.partsSent.length;
      assert.ok(sentBefore <= 3);
      await assert.rejects(pushOf(path), /Another writer has opened a\/b since this push began/);
      assert.equal(service.partsSent.length, sentBefore);
      assert.equal((await pushOf(path, { takeOver: true })).version, "000000000001");
    });

    test("superseded at commit", async () => {
      const path = await files({ a: "x" });
      service.fault = (call) => {
        if (call.path === "/api/v1/versions/commit") service.takeOver("a/b");
        return undefined;
      };
      await assert.rejects(pushOf(path), SupersededError);
      assert.equal(service.committed.length, 0);
    });

    test("an aborted push goes on where it was, without reading or sending again", async () => {
      const path = await files({ a: large, b: "small" });
      const stop = new AbortController();
      service.fault = (call) => {
        if (isPart(call) && call.part?.number === 3) stop.abort(new Error("Ctrl-C"));
        return undefined;
      };
      await assert.rejects(pushOf(path, { parallel: 1, signal: stop.signal }), /Ctrl-C/);
      const [record] = await readdir(join(directory, "records"));
      assert.equal((await stat(join(directory, "records", record))).mode & 0o777, 0o600);
      service.fault = () => undefined;
      service.calls.length = 0;
      const phases = new Set<string>();
      const pushed = await pushOf(path, { onProgress: ({ phase }) => phases.add(phase) });
      assert.equal(pushed.resumed, true);
      assert.equal(service.of("/api/v1/artifacts/open").length, 0);
      assert.deepEqual(
        service.partsSent.map((call) => [call.part!.file, call.part!.number]).sort(),
        [
          [0, 3],
          [0, 4],
          [1, 0],
        ],
      );
      assert.ok(!phases.has("reading"));
      assert.deepEqual(service.content("a/b", "a"), large);
    });

    test("an expired upload is begun again with the same epoch; changed files are a new push", async () => {
      const path = await files({ a: large });
      const stopAt = (number: number): AbortSignal => {
        const stop = new AbortController();
        service.fault = (call) => {
          if (isPart(call) && call.part?.number === number) stop.abort(new Error("Ctrl-C"));
          return undefined;
        };
        return stop.signal;
      };
      await assert.rejects(pushOf(path, { parallel: 1, signal: stopAt(2) }), /Ctrl-C/);
      service.uploads.get("upload-1")!.state = "abandoned";
      await assert.rejects(pushOf(path, { parallel: 1, signal: stopAt(1) }), /Ctrl-C/);
      assert.equal(
        service.of("/api/v1/artifacts/open").filter(({ body }) => body["mode"] === "new").length,
        1,
      );
      assert.equal(service.uploads.size, 2);
      service.fault = () => undefined;
      await utimes(join(path, "a"), 1, 1);
      const pushed = await pushOf(path);
      assert.equal(pushed.resumed, false);
      assert.equal(service.uploads.size, 3);
    });

    test("lost replies to open, begin and commit end in one version", async () => {
      const path = await files({ a: large });
      const lost = new Set<string>();
      service.fault = (call) => {
        if (call.method !== "POST" || lost.has(call.path)) return undefined;
        lost.add(call.path);
        return { kind: "lost-reply" };
      };
      await pushOf(path);
      assert.equal(service.committed.length, 1);
      assert.ok(lost.has("/api/v1/versions/commit"));
    });

    test("a commit whose process died before its reply is found again", async () => {
      const path = await files({ a: "x" });
      const stop = new AbortController();
      service.fault = (call) => {
        if (call.path !== "/api/v1/versions/commit") return undefined;
        stop.abort(new Error("killed"));
        return { kind: "lost-reply" };
      };
      await assert.rejects(pushOf(path, { signal: stop.signal }), /killed/);
      while (service.committed.length === 0) await new Promise((done) => setTimeout(done, 5));
      service.fault = () => undefined;
      const pushed = await pushOf(path);
      assert.deepEqual([pushed.resumed, pushed.version], [true, "000000000001"]);
      assert.equal(service.committed.length, 1);
    });

    test("a file that changes between reading and sending is never committed", async () => {
      const path = await files({ a: large, b: "x" });
      service.fault = (call) => {
        const isBegun = call.path === "/api/v1/versions/begin";
        if (isBegun) writeFileSync(join(path, "a"), randomBytes(450_000));
        return undefined;
      };
      await assert.rejects(pushOf(path), FileChangedError);
      assert.equal(service.committed.length, 0);
      assert.deepEqual(await readdir(join(directory, "records")), []);
    });

    test("a change that neither size nor time tells is seen by the checksum of what was sent", async () => {
      const bytes = Buffer.from(large);
      const writer = await openArtifact(client(), "a/b");
      service.fault = (call) => {
        if (isPart(call) && call.part?.number === 0) bytes[350_000] ^= 1;
        return undefined;
      };
      await assert.rejects(
        writer.write("1", [preparedBytes("a", bytes)], { parallel: 1 }),
        FileChangedError,
      );
      assert.equal(service.committed.length, 0);
    });

    test("names and things that cannot be pushed are refused before anything is opened", async () => {
      const path = await files({ "a\\b": "x" });
      await assert.rejects(pushOf(path), /has a backslash/);
      await rm(path, { recursive: true });
      await files({ "c:x": "x" });
      await assert.rejects(pushOf(path), /drive letter/);
      await rm(path, { recursive: true });
      await mkdir(path);
      await writeFile(Buffer.concat([Buffer.from(`${path}/`), Buffer.from([0xff])]), "x");
      await assert.rejects(pushOf(path), /not UTF-8/);
      await rm(path, { recursive: true });
      await mkdir(path);
      await assert.rejects(pushOf(path), /no files/);
      await symlink("nowhere", join(path, "link"));
      await assert.rejects(pushOf(path), /broken link/);
      await files({ "_manifest.json": "x" });
      await rm(join(path, "link"));
      await assert.rejects(pushOf(path), /reserved/);
      assert.equal(service.calls.length, 0);
    });

    test("links to files are followed, links to directories and empty directories are told", async () => {
      const path = await files({ "real/a": "x" });
      await symlink("real/a", join(path, "link"));
      await symlink("real", join(path, "loop"));
      await mkdir(join(path, "empty"));
      const { files: count, omissions } = await pushOf(path);
      assert.equal(count, 2);
      assert.match(omissions.join("\n"), /loop is a link to a directory/);
      assert.match(omissions.join("\n"), /empty is empty/);
    });

    test("a writer writes version after version, and fork starts from the source", async () => {
      const path = await files({ a: "x" });
      const found = [{ name: "a", path: join(path, "a") }];
      const writer = await openArtifact(client(), "run");
      assert.equal(writer.latest, undefined);
      await writer.write("000000000500", found);
      assert.equal((await writer.write(undefined, found)).version, "000000000501");
      await assert.rejects(writer.write("000000000007", found), (error) => {
        return error instanceof RequestError && error.code === "not_after_latest";
      });
      const fork = await openArtifact(client(), "fork", { mode: "fork", source: "run" });
      assert.equal(fork.latest?.version, "000000000501");
      assert.equal((await fork.write(undefined, found)).version, "000000000502");
      await openArtifact(client(), "run");
      await assert.rejects(writer.write(undefined, found), SupersededError);
      await assert.rejects(openArtifact(client(), "run", { mode: "new" }), /not_empty/);
    });

    test("the memory of a push does not grow with the files or the parts", async () => {
      const path = join(directory, "sparse.bin");
      await writeFile(path, "");
      await truncate(path, 512 * 1_048_576);
      service.partSize = 128 * 1_048_576;
      service.keepsBytes = false;
      const program = join(import.meta.dirname, "../../test/push-and-report.ts");
      const words = [program, service.url, path, join(directory, "records")];
      const { stdout } = await promisify(execFile)(process.execPath, words);
      assert.equal(service.committed.length, 1);
      // An idle node process has 50 to 100 MiB.
      assert.ok(Number(stdout) < 250 * 1_048_576, `${stdout} bytes`);
    });
  });
});
