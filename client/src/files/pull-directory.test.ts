import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import files, { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import os, { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, test } from "node:test";
import { PullDirectory } from "./pull-directory.ts";

const real = { rename: files.rename, rm: files.rm };
const pin = { artifact: "a/b", version: "1", committed: "now", rangeBytes: 10 };
const none = () => ({ ...pin, ranges: ["0"], whole: [false] });

describe("a pull that is interrupted while its directory becomes the target", () => {
  let directory: string;
  let target: string;
  let hidden: string;

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), "lossless-pull-directory-"));
    target = join(directory, "out");
    hidden = join(directory, ".out.lossless-pull");
  });

  afterEach(async () => {
    planted({});
    await rm(directory, { recursive: true });
  });

  /** Replaces functions of the file system by these. */
  function planted(functions: Partial<typeof real>): void {
    Object.assign(files, real, functions);
    syncBuiltinESMExports();
  }

  async function fetched(content: string): Promise<PullDirectory> {
    const own = new PullDirectory(target);
    await own.putBack();
    await own.checkTarget(true);
    const state = await own.begin(none());
    if (state.whole[0] !== true) {
      await using file = await own.openFile("a");
      await file.writeFile(content);
      [state.ranges, state.whole] = [["1"], [true]];
    }
    own.flush();
    return own;
  }

  async function pulledAnew(): Promise<void> {
    planted({});
    const next = await fetched("next");
    await next.finish(true);
    assert.equal(await readFile(join(target, "a"), "utf8"), "next");
    assert.deepEqual(await readdir(directory), ["out"]);
  }

  /** Simulates a signal handler that saves the progress and ends the process after this rename. */
  async function stoppedBehindRenameTo(path: string, own: PullDirectory): Promise<void> {
    const stopped = Promise.withResolvers<void>();
    planted({
      rename: async (before, after) => {
        await real.rename(before, after);
        if (after !== path) return;
        own.flush();
        stopped.resolve();
        await new Promise(() => {});
      },
    });
    void own.finish(true);
    await stopped.promise;
  }

  test("a signal behind the rename into an absent target", async () => {
    await stoppedBehindRenameTo(target, await fetched("new"));
    assert.equal(await readFile(join(target, "a"), "utf8"), "new");
    await pulledAnew();
  });

  test("a signal behind both renames", async () => {
    await mkdir(target);
    await writeFile(join(target, "old"), "");
    await stoppedBehindRenameTo(target, await fetched("new"));
    assert.deepEqual(await readdir(target), ["a"]);
    await pulledAnew();
  });

  test("a signal between the renames", async () => {
    await mkdir(target);
    await writeFile(join(target, "old"), "precious");
    await stoppedBehindRenameTo(join(hidden, "replaced"), await fetched("new"));
    assert.equal(existsSync(target), false);
    await new PullDirectory(target).putBack();
    assert.equal(await readFile(join(target, "old"), "utf8"), "precious");
    await pulledAnew();
  });

  test("a rename that fails leaves what has arrived for the next pull", async () => {
    const own = await fetched("new");
    planted({ rename: () => Promise.reject(new Error("denied")) });
    await assert.rejects(own.finish(true), /denied/);
    own.release();
    planted({});
    await (await fetched("not fetched")).finish(true);
    assert.equal(await readFile(join(target, "a"), "utf8"), "new");
  });

  test("without the content nothing has arrived", async () => {
    const own = await fetched("new");
    own.release();
    await rm(join(hidden, "content"), { recursive: true });
    await pulledAnew();
  });

  test("a kill while what was replaced is removed", async () => {
    await mkdir(target);
    await writeFile(join(target, "old"), "");
    const own = await fetched("new");
    planted({
      rm: async (path, options) => {
        // The order is not fixed: here only the state is removed.
        if (path !== hidden) return real.rm(path, options);
        await real.rm(join(hidden, "state.json"));
        throw new Error("killed");
      },
    });
    await assert.rejects(own.finish(true), /killed/);
    assert.deepEqual(await readdir(target), ["a"]);
    await pulledAnew();
  });

  test("a kill while what has arrived of another version is removed", async () => {
    (await fetched("new")).release();
    planted({
      rm: async (path, options) => {
        const doomed = join(String(path), "a");
        if (existsSync(doomed)) {
          await real.rm(doomed);
          throw new Error("killed");
        }
        return real.rm(path, options);
      },
    });
    await assert.rejects(new PullDirectory(target).begin({ ...none(), version: "2" }), /killed/);
    await pulledAnew();
  });

  test("a directory of somebody else is left alone", async () => {
    await mkdir(hidden, { mode: 0o700 });
    await writeFile(join(hidden, "mine"), "");
    await assert.rejects(fetched("new"), /not made by a pull/);
    await rm(join(hidden, "mine"));
    await pulledAnew();
  });
});

test("no home is replaced as a whole, whether HOME or the system calls it so", async (t) => {
  const directory = await mkdtemp(join(tmpdir(), "lossless-homes-"));
  const before = process.env["HOME"];
  t.after(async () => {
    t.mock.restoreAll();
    syncBuiltinESMExports();
    if (before === undefined) delete process.env["HOME"];
    else process.env["HOME"] = before;
    await rm(directory, { recursive: true });
  });
  const [named, known] = [join(directory, "named"), join(directory, "known")];
  for (const home of [named, known]) {
    await mkdir(home);
    await writeFile(join(home, "precious"), "");
  }
  const whole = (target: string) => new PullDirectory(target).checkTarget(true);
  let system = () => known;
  t.mock.method(os, "userInfo", () => ({ homedir: system() }));
  syncBuiltinESMExports();
  process.env["HOME"] = named;
  for (const target of [named, known, directory])
    await assert.rejects(whole(target), /cannot be replaced as a whole: it contains/);
  process.env["HOME"] = "";
  for (const target of [known, directory])
    await assert.rejects(whole(target), new RegExp(`as a whole: it contains ${known}$`));
  await whole(named);
  system = () => {
    throw new Error("no such user");
  };
  await whole(known);
});
