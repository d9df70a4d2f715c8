import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, renameSync, writeFileSync } from "node:fs";
import files, {
  chmod,
  chown,
  link,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, suite, test } from "node:test";
import {
  type Call,
  FakeArtifactService,
  type StoreFault,
} from "../../test/fake-artifact-service.ts";
import { FileNameError, IntegrityError, LosslessClient, StoreError } from "../index.ts";
import { preparedBytes } from "./content.ts";
import { openArtifact, pull, type PullOptions } from "./index.ts";
import { PullDirectory, type PullState } from "./pull-directory.ts";

const retry = { firstDelayMs: 1, longestDelayMs: 5, retryForMs: 60_000 };
const rangeBytes = 64 * 1_024;
let service: FakeArtifactService;
let directory: string;
let target: string;

// In a suite, because hooks outside of one would run around every test of the process.
suite("a pull", () => {
  beforeEach(async () => {
    service = await FakeArtifactService.start();
    directory = await mkdtemp(join(tmpdir(), "lossless-pull-"));
    target = join(directory, "out");
  });
  afterEach(async () => {
    await service[Symbol.asyncDispose]();
    await rm(directory, { recursive: true, force: true });
  });

  function client(): LosslessClient {
    return new LosslessClient({ baseUrl: service.url, apiKey: "ak_test", retry });
  }

  async function pushed(contents: Record<string, Buffer>): Promise<void> {
    const files = Object.entries(contents).map(([name, bytes]) => preparedBytes(name, bytes));
    const writer = await openArtifact(client(), "a/b");
    await writer.write(undefined, files);
    service.calls.length = 0;
  }

  function pullOf(options: Partial<PullOptions> = {}) {
    return pull(client(), { artifact: "a/b", directory: target, rangeBytes, retry, ...options });
  }

  async function contents(path: string): Promise<Record<string, Buffer>> {
    const found: Record<string, Buffer> = {};
    for (const entry of await readdir(path, { recursive: true, withFileTypes: true })) {
      const file = join(entry.parentPath, entry.name);
      if (entry.isFile()) found[file.slice(path.length + 1)] = await readFile(file);
    }
    return found;
  }

  const isGet = (call: Call): boolean => call.method === "GET" && call.part !== undefined;
  const large = randomBytes(2.5 * rangeBytes);
  const some = {
    "large.bin": large,
    "sub/ünï 😀.txt": Buffer.from("x"),
    "sub/empty": Buffer.alloc(0),
    ".hidden": Buffer.from("h"),
  };

  suite("pull", () => {
    test("the directory is what was pushed, and nothing else is left", async () => {
      await pushed(some);
      const bytes: number[] = [];
      const result = await pullOf({ onProgress: (progress) => bytes.push(progress.bytes) });
      assert.deepEqual(await contents(target), some);
      assert.deepEqual(
        [result.version, result.files, result.bytes, result.verified, result.resumed],
        ["000000000001", 4, large.length + 2, true, false],
      );
      assert.deepEqual(await readdir(directory), ["out"]);
      assert.equal(bytes.at(-1), large.length + 2);
      assert.equal((await stat(join(target, "large.bin"))).mode & 0o133, 0);
      assert.equal(service.calls.filter(isGet).length, 3 + 2);
    });

    test("a list of checksums is used and not written", async () => {
      const many = Object.fromEntries(
        Array.from({ length: 700 }, (_, index) => [
          `weights-${index}-${"x".repeat(20)}`,
          Buffer.from(`${index}`),
        ]),
      );
      await pushed(many);
      const result = await pullOf({ parallel: 32 });
      assert.deepEqual([result.files, result.verified], [700, true]);
      assert.deepEqual(await contents(target), many);
      await rm(target, { recursive: true });
      service.fault = (call) =>
        isGet(call) && call.part!.file === 700 ? { kind: "corrupt" } : undefined;
      await assert.rejects(pullOf(), IntegrityError);
    });

    test("ranges are fetched again after errors, cuts and silence, from where they broke", async () => {
      await pushed(some);
      const faults: StoreFault[] = [
        { kind: "status", status: 500 },
        { kind: "cut", bytes: 20_000 },
        { kind: "drop" },
        { kind: "silence" },
        { kind: "whole" },
        { kind: "status", status: 503 },
      ];
      service.fault = (call) => (isGet(call) ? faults.shift() : undefined);
      await pullOf({ idleTimeoutMs: 200, parallel: 1 });
      assert.deepEqual(await contents(target), some);
      const starts = service.calls
        .filter(isGet)
        .map(({ range }) => Number(range!.match(/\d+/)![0]));
      assert.ok(starts.some((start) => start % rangeBytes !== 0));
    });

    test("addresses that are refused are signed again, for the same version", async () => {
      await pushed(some);
      let got = 0;
      service.fault = (call) => {
        if (!isGet(call) || ++got !== 2) return undefined;
        service.refusedBelow = Number(call.path.split("/").at(-1)) + 1;
        const latest = service.artifacts.get("a/b")!.versions;
        latest.push({ ...latest[0], version: "9", files: [] });
        return undefined;
      };
      await pullOf();
      const reads = service.of("/api/v1/versions/read").map(({ query }) => query["version"]);
      assert.deepEqual([...new Set(reads)], ["latest", "000000000001"]);
      assert.deepEqual(await contents(target), some);
      service.refusedBelow = Infinity;
      await rm(target, { recursive: true });
      await assert.rejects(
        pullOf({ version: "000000000001" }),
        (error) => error instanceof StoreError && error.status === 403,
      );
    });

    test("an interruption right before a file is checked is told as such", async () => {
      await pushed({ a: Buffer.from("x") });
      const stop = new AbortController();
      const { open } = files;
      files.open = async (...words) => {
        const handle = await open(...words);
        const sync = handle.sync.bind(handle);
        handle.sync = async () => {
          await sync();
          stop.abort(new Error("Ctrl-C"));
        };
        return handle;
      };
      syncBuiltinESMExports();
      try {
        await assert.rejects(pullOf({ signal: stop.signal }), /Ctrl-C/);
        // An unhandled rejection would be reported by now.
        await new Promise((done) => setImmediate(done));
      } finally {
        files.open = open;
        syncBuiltinESMExports();
      }
      assert.equal(existsSync(target), false);
    });

    test("an interrupted pull goes on where it was", async () => {
      await pushed(some);
      const stop = new AbortController();
      service.fault = (call) => {
        if (isGet(call) && call.range?.startsWith(`bytes=${2 * rangeBytes}`)) {
          stop.abort(new Error("Ctrl-C"));
        }
        return undefined;
      };
      await assert.rejects(pullOf({ parallel: 1, signal: stop.signal }), /Ctrl-C/);
      assert.equal(existsSync(target), false);
      service.fault = () => undefined;
      service.calls.length = 0;
      const { resumed } = await pullOf({ parallel: 1 });
      assert.equal(resumed, true);
      assert.ok(service.calls.filter(isGet).length <= 3);
      assert.deepEqual(await contents(target), some);
    });

    test("what an interrupted pull of another version has left is not mixed in", async () => {
      await pushed(some);
      const stop = new AbortController();
      service.fault = (call) => {
        if (isGet(call) && call.range?.startsWith(`bytes=${2 * rangeBytes}`)) {
          stop.abort(new Error("Ctrl-C"));
        }
        return undefined;
      };
      await assert.rejects(pullOf({ parallel: 1, signal: stop.signal }), /Ctrl-C/);
      service.fault = () => undefined;
      await pushed({ "large.bin": randomBytes(2.5 * rangeBytes) });
      const { resumed, version } = await pullOf();
      assert.deepEqual([resumed, version], [false, "000000000002"]);
      assert.deepEqual(Object.keys(await contents(target)), ["large.bin"]);
    });

    test("wrong bytes are fetched once more, and then refused", async () => {
      await pushed({ a: Buffer.from("abcdef"), b: Buffer.from("fine") });
      let faults = 1;
      service.fault = (call) =>
        isGet(call) && call.part!.file === 0 && faults-- > 0 ? { kind: "corrupt" } : undefined;
      await pullOf();
      assert.equal((await contents(target))["a"].toString(), "abcdef");
      await rm(target, { recursive: true });
      faults = Infinity;
      await assert.rejects(pullOf(), (error) => {
        return (
          error instanceof IntegrityError &&
          error.message.startsWith("a differs from the pushed file")
        );
      });
      assert.equal(existsSync(target), false);
      await pullOf({ verify: false });
      assert.equal((await contents(target))["a"].toString(), "`bcdef");
    });

    test("a version without checksums is pulled with a notice", async () => {
      await pushed({ a: Buffer.from("abc") });
      service.committed[0].meta = {};
      const notices: string[] = [];
      const { verified } = await pullOf({ onNotice: (notice) => notices.push(notice) });
      assert.equal(verified, false);
      assert.match(notices.join(), /no checksums of this version/);
    });

    test("a directory that exists stays, unless it is empty or to be replaced", async () => {
      await pushed({ a: Buffer.from("new") });
      await mkdir(target);
      await pullOf();
      assert.deepEqual(Object.keys(await contents(target)), ["a"]);
      await writeFile(join(target, "mine"), "mine");
      await assert.rejects(pullOf(), /exists and is not empty/);
      assert.deepEqual(Object.keys(await contents(target)).sort(), ["a", "mine"]);
      await pullOf({ replace: true });
      assert.deepEqual(Object.keys(await contents(target)), ["a"]);
      assert.deepEqual(await readdir(directory), ["out"]);
      await symlink("out", join(directory, "link"));
      await assert.rejects(
        pullOf({ directory: join(directory, "link"), replace: true }),
        /not a directory/,
      );
      await assert.rejects(
        pullOf({ directory: process.cwd(), replace: true }),
        /cannot be replaced/,
      );
      await assert.rejects(pullOf({ directory: "/", replace: true }), /cannot pull into/);
    });

    test("what was replaced is never gone, and what was taken away is fetched again", async () => {
      await pushed(some);
      await mkdir(target);
      await writeFile(join(target, "old"), "precious");
      const stop = new AbortController();
      service.fault = (call) => {
        if (isGet(call) && call.range?.startsWith(`bytes=${2 * rangeBytes}`)) {
          stop.abort(new Error("Ctrl-C"));
        }
        return undefined;
      };
      const replacing = { parallel: 1, replace: true };
      await assert.rejects(pullOf({ ...replacing, signal: stop.signal }), /Ctrl-C/);
      service.fault = () => undefined;
      const hidden = join(directory, ".out.lossless-pull");
      // As after a kill between the two renames.
      await rename(target, join(hidden, "replaced"));
      await assert.rejects(pullOf(), /exists and is not empty/);
      assert.equal(await readFile(join(target, "old"), "utf8"), "precious");
      await rename(target, join(hidden, "replaced"));
      await mkdir(target);
      await assert.rejects(pullOf(replacing), /move it away/);
      await rm(target, { recursive: true });
      assert.equal((await pullOf(replacing)).resumed, true);
      assert.deepEqual(await contents(target), some);
      // As after a kill following the second rename, which leaves the replaced directory.
      service.fault = (call) => {
        if (isGet(call) && call.range?.startsWith(`bytes=${2 * rangeBytes}`)) again.abort();
        return undefined;
      };
      const again = new AbortController();
      await assert.rejects(pullOf({ ...replacing, signal: again.signal }));
      service.fault = () => undefined;
      await rename(join(hidden, "content"), join(hidden, "replaced"));
      const path = join(hidden, "state.json");
      const left = JSON.parse(await readFile(path, "utf8")) as PullState;
      const ranges = left.ranges.map(({ length }) => "0".repeat(length));
      const whole = left.whole.map(() => false);
      await writeFile(path, JSON.stringify({ ...left, ranges, whole }));
      await pullOf(replacing);
      assert.deepEqual(await contents(target), some);
      assert.deepEqual(await contents(target), some);
      assert.deepEqual(await readdir(directory), ["out"]);
    });

    test("from the first rename on the state promises nothing", async () => {
      const own = new PullDirectory(target);
      const fresh = { artifact: "a/b", version: "1", committed: "now", rangeBytes };
      const state = await own.begin({ ...fresh, ranges: ["00"], whole: [false] });
      await (await own.openFile("a")).close();
      [state.ranges, state.whole] = [["11"], [true]];
      own.flush();
      const hidden = join(directory, ".out.lossless-pull");
      const written = async (): Promise<PullState> =>
        JSON.parse(await readFile(join(hidden, "state.json"), "utf8")) as PullState;
      // The rename fails because of what is in its way.
      await mkdir(join(hidden, "replaced", "x"), { recursive: true });
      await mkdir(target);
      await writeFile(join(target, "old"), "precious");
      await assert.rejects(own.finish(true));
      const between = await written();
      assert.deepEqual([between.ranges, between.whole], [["00"], [false]]);
      own.release();
      const after = await written();
      assert.deepEqual([after.ranges, after.whole], [["11"], [true]]);
    });

    test("names that lead out of the directory are refused before anything is written", async () => {
      await pushed({ a: Buffer.from("x"), b: Buffer.from("y") });
      const { files } = service.committed[0];
      const wrong = [
        "../evil",
        "/etc/evil",
        "sub/../../evil",
        "..\\evil",
        "C:/evil",
        "c:evil",
        "a\0b",
        "a/",
        "a//b",
        "./a",
        "b",
        "b/c",
        "",
        "..",
        "x".repeat(256),
        "\ud800",
      ];
      for (const name of wrong) {
        files[0].name = name;
        await assert.rejects(pullOf(), FileNameError, JSON.stringify(name));
      }
      assert.deepEqual(await readdir(directory), []);
      assert.equal(service.calls.filter(isGet).length, 0);
    });

    test("another directory of the hidden name is not touched", async () => {
      await pushed({ a: Buffer.from("x") });
      const hidden = join(directory, ".out.lossless-pull");
      await mkdir(hidden, { mode: 0o700 });
      await writeFile(join(hidden, "own"), "precious");
      await assert.rejects(pullOf(), /was not made by a pull/);
      assert.deepEqual(await readdir(hidden), ["own"]);
    });

    suite("beside what somebody else has prepared", () => {
      const evil = Buffer.from("EVIL!");
      const right = Buffer.from("right");
      let hidden: string;

      /** Prepares the state of a complete pull of this version, with other bytes. */
      async function prepare(): Promise<void> {
        hidden = join(directory, ".out.lossless-pull");
        await pushed({ "sub/a.bin": right });
        const stop = new AbortController();
        service.fault = (call) => {
          if (isGet(call)) stop.abort(new Error("Ctrl-C"));
          return undefined;
        };
        await assert.rejects(pullOf({ signal: stop.signal }), /Ctrl-C/);
        service.fault = () => undefined;
        service.calls.length = 0;
        const path = join(hidden, "state.json");
        const state = JSON.parse(await readFile(path, "utf8")) as PullState;
        state.ranges = state.ranges.map(({ length }) => "1".repeat(length));
        state.whole = state.whole.map(() => true);
        await writeFile(path, JSON.stringify(state));
        await mkdir(join(hidden, "content", "sub"), { recursive: true });
        await writeFile(join(hidden, "content", "sub", "a.bin"), evil);
      }

      /** Without root a directory cannot be given away, but it can be opened to others. */
      async function giveAway(path: string): Promise<void> {
        if (process.getuid?.() === 0) await chown(path, 12_345, 12_345);
        else await chmod(path, 0o777);
      }

      test("its bytes count, not what the state says of them", async () => {
        await prepare();
        assert.equal((await pullOf()).resumed, true);
        assert.deepEqual(await contents(target), { "sub/a.bin": right });
        assert.deepEqual(await readdir(directory), ["out"]);
      });

      for (const [what, give] of [
        ["of another user", giveAway],
        ["that others may write to", (path: string) => chmod(path, 0o777)],
      ] as const) {
        test(`a directory ${what} is not looked at`, async () => {
          await prepare();
          await mkdir(join(hidden, "replaced"));
          await give(hidden);
          const pulled = await pullOf({ verify: false });
          assert.equal(pulled.resumed, false);
          assert.deepEqual(await contents(target), { "sub/a.bin": right });
          assert.deepEqual((await readdir(directory)).sort(), [".out.lossless-pull", "out"]);
          assert.deepEqual(await readFile(join(hidden, "content", "sub", "a.bin")), evil);
        });
      }

      test("its own work is found again beside it", async () => {
        await prepare();
        await giveAway(hidden);
        await pushed({ large });
        const stop = new AbortController();
        service.fault = (call) => {
          if (isGet(call) && call.range?.startsWith(`bytes=${2 * rangeBytes}`)) stop.abort();
          return undefined;
        };
        await assert.rejects(pullOf({ parallel: 1, signal: stop.signal }));
        service.fault = () => undefined;
        assert.equal((await readdir(directory)).length, 2);
        assert.equal((await pullOf()).resumed, true);
        assert.deepEqual(await contents(target), { large });
        assert.deepEqual((await readdir(directory)).sort(), [".out.lossless-pull", "out"]);
      });

      test("a link to a directory is none", async () => {
        await prepare();
        const elsewhere = join(directory, "elsewhere");
        await rename(hidden, elsewhere);
        await symlink("elsewhere", hidden);
        assert.equal((await pullOf({ verify: false })).resumed, false);
        assert.deepEqual(await contents(target), { "sub/a.bin": right });
        assert.deepEqual(await readFile(join(elsewhere, "content", "sub", "a.bin")), evil);
      });

      test("a state that is a link, or that others may write, is none", async () => {
        for (const spoil of [
          async (path: string) => {
            await rename(path, join(directory, "state"));
            await symlink("../state", path);
          },
          (path: string) => link(path, join(directory, "linked")),
          (path: string) => chmod(path, 0o666),
          giveAway,
        ]) {
          await prepare();
          await spoil(join(hidden, "state.json"));
          await assert.rejects(pullOf(), /was not made by a pull; remove it/);
          await rm(hidden, { recursive: true });
        }
      });

      test("links in what has arrived are not followed", async () => {
        for (const [what, isLinked] of [
          [".", symlink],
          ["sub", symlink],
          ["sub/a.bin", symlink],
          ["sub/a.bin", link],
        ] as const) {
          await prepare();
          const path = join(hidden, "content", what);
          const elsewhere = join(directory, "elsewhere");
          await rename(path, elsewhere);
          await isLinked(elsewhere, path);
          assert.equal((await pullOf({ verify: false })).resumed, false, what);
          assert.deepEqual(await contents(target), { "sub/a.bin": right }, what);
          const own = what.endsWith("bin")
            ? elsewhere
            : join(elsewhere, what === "." ? "sub/a.bin" : "a.bin");
          assert.deepEqual(await readFile(own), evil, what);
          assert.equal((await lstat(join(target, "sub"))).isDirectory(), true);
          await rm(elsewhere, { recursive: true });
          await rm(target, { recursive: true });
        }
      });

      test("a directory that is replaced while it is filled does not become the target", async () => {
        await prepare();
        await rm(hidden, { recursive: true });
        service.fault = (call) => {
          if (!isGet(call) || existsSync(join(directory, "moved"))) return undefined;
          renameSync(hidden, join(directory, "moved"));
          mkdirSync(join(hidden, "content", "sub"), { recursive: true });
          writeFileSync(join(hidden, "content", "sub", "a.bin"), right);
          return undefined;
        };
        await assert.rejects(pullOf(), /was moved away/);
        assert.equal(existsSync(target), false);
      });
    });
  });
});
