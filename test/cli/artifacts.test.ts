import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import type { ChildProcess } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, suite, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { ArtifactCaller, sendPart } from "../contract/artifact-caller.ts";
import { Writer } from "../contract/writer.ts";
import { freePort } from "../free-port.ts";
import { organizations, Service } from "../service.ts";
import { FaultProxy } from "../stores/fault-proxy.ts";
import { finished, type Finished, start } from "./command-line.ts";

const mebibyte = 1_048_576;
let service: Service;
let line: FaultProxy;
let directory: string;
let checkpoint: string;

before(async () => {
  directory = await mkdtemp(join(tmpdir(), "lossless-artifacts-"));
  const port = await freePort();
  line = await FaultProxy.start(`http://127.0.0.1:${port}`);
  // The same address before and after the service is killed, by a line that can be slow.
  service = await Service.start({ flags: ["--port", `${port}`, "--base-url", line.endpoint] });
  checkpoint = await makeCheckpoint(join(directory, "checkpoint"));
});
after(async () => {
  await line[Symbol.asyncDispose]();
  await service[Symbol.asyncDispose]();
  await rm(directory, { recursive: true });
});

/** 40 files of 57 MiB in 3 directories have 0 or 1 byte, exactly or about a part, or several. */
async function makeCheckpoint(path: string): Promise<string> {
  const names = [
    "config.json",
    ".hidden",
    "Größe 1%.txt",
    "模型/权重 😀.bin",
    "a b+c&d=e?f#g;h'i\"j.txt",
    "模型/e\u0301 is two code points",
  ];
  const sizes = [0, 1, 100, 8 * mebibyte, 8 * mebibyte + 1, 8 * mebibyte - 1, 32 * mebibyte];
  for (let index = 0; index < 40; index++) {
    const name = names[index] ?? `shards/model-${String(index).padStart(5, "0")}.safetensors`;
    const file = join(path, name);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, randomBytes(sizes[index] ?? index));
  }
  return path;
}

function begin(words: readonly string[], user = "state") {
  return start(line.endpoint, words, { XDG_STATE_HOME: join(directory, user) });
}

function run(...words: string[]): Promise<Finished> {
  return finished(begin(words));
}

async function done(...words: string[]): Promise<Record<string, unknown>> {
  const { code, stdout, stderr } = await run(...words, "--json");
  assert.equal(code, 0, stderr);
  return JSON.parse(stdout) as Record<string, unknown>;
}

/** Resolves when this process has written down that so many parts are there. */
async function partsSent(pusher: ChildProcess, count: number, user = "state"): Promise<void> {
  const records = join(directory, user, "lossless", "uploads");
  const isOwn = (text: string) => {
    const { host, id } = processIn(text);
    return host === hostname() && id === pusher.pid;
  };
  for (;;) {
    const names = existsSync(records) ? readdirSync(records) : [];
    const [name] = names.filter((one) => one.endsWith(".json"));
    const text = name === undefined ? "" : readFileSync(join(records, name), "utf8");
    if (text !== "" && isOwn(text) && text.split('"etag"').length > count) return;
    assert.equal(pusher.exitCode, null, "the push ended early");
    await sleep(50);
  }
}

/** Who has written this record. */
function processIn(text: string): { host: string; id: number } {
  return (JSON.parse(text) as { process: { host: string; id: number } }).process;
}

async function assertSame(left: string, right: string): Promise<void> {
  const list = async (path: string) => {
    const entries = await readdir(path, { recursive: true, withFileTypes: true });
    const files = entries.filter((entry) => entry.isFile());
    return files.map((entry) => join(entry.parentPath, entry.name).slice(path.length + 1)).sort();
  };
  const names = await list(left);
  assert.deepEqual(await list(right), names);
  for (const name of names) {
    const [ours, theirs] = [await readFile(join(left, name)), await readFile(join(right, name))];
    assert.ok(ours.equals(theirs), name);
  }
}

suite("artifacts on the command line", () => {
  test("push, pull, and what is told of them", async () => {
    const pushed = await done("push", checkpoint, "runs/a", "--meta", "step=5", "--meta", "by=ada");
    assert.deepEqual([pushed["version"], pushed["files"]], ["000000000001", 40]);
    const out = join(directory, "out");
    const pulled = await done("pull", "runs/a", out);
    assert.deepEqual([pulled["version"], pulled["verified"]], ["000000000001", true]);
    await assertSame(checkpoint, out);
    assert.match((await run("pull", "runs/a", out)).stderr, /exists and is not empty/);
    const numbered = await done("pull", "runs/a", `${out}-numbered`, "--version", "1");
    assert.equal(numbered["version"], "000000000001");
    assert.equal((await run("push", out, "runs/a", "--version", "000000000000")).code, 1);
    const again = await run("push", join(checkpoint, "config.json"), "runs/a");
    assert.match(
      again.stdout,
      /^runs\/a 000000000002: 1 file, 0 B, at built-in \(local\/local\)$/m,
    );

    const versions = await run("versions", "runs/a");
    assert.match(versions.stdout, /^000000000001 .* 40 .*\n000000000002 /m);
    const { stdout } = await run("versions", "runs/a", "--json");
    const [first] = JSON.parse(stdout) as { meta: Record<string, unknown> }[];
    assert.deepEqual([first.meta["step"], first.meta["by"]], [5, "ada"]);
    assert.match((await run("artifacts", "runs/")).stdout, /^runs\/a +2 .* 000000000002 /m);
    assert.equal((await run("artifacts", "other/")).stdout.trim().split("\n").length, 1);
    assert.match((await run("usage")).stdout, /write +local local +built-in +region +local/);
    assert.match((await run("locations", "list")).stdout, /^built-in .* fallback /m);
    assert.match((await run("org")).stdout, /artifacts can be stored/);
  });

  test("what is being pushed is shown with how much of it has come", async () => {
    const target = { baseUrl: line.endpoint, observe: () => undefined };
    const caller = new ArtifactCaller(target, organizations.acme.key);
    const writer = await Writer.open(caller, "runs/pending");
    const files = { rest: Buffer.alloc(1_000), sent: Buffer.from("7 bytes") };
    const upload = await writer.begin("000000000001", files);
    const [part] = upload.files.find(({ name }) => name === "sent")!.parts;
    assert.equal((await sendPart(part, files.sent)).status, 200);
    assert.match((await run("versions", "runs/pending")).stderr, /--uploads pending uploads/);
    const shown = await run("versions", "runs/pending", "--uploads");
    assert.match(shown.stdout, /^0{11}1 +pending +2 +1\.01 kB +7 B of 1\.01 kB .* test$/m);
    const read = async () => {
      const { stdout } = await run("versions", "runs/pending", "--uploads", "--json");
      return JSON.parse(stdout) as { sent: object | null }[];
    };
    const [{ sent }] = await read();
    assert.deepEqual(sent, { files: 2, filesSent: 1, bytes: 1_007, sentBytes: 7 });
    // Who opens it anew ends what was on its way.
    await caller.open("runs/pending");
    assert.deepEqual(await read(), []);
    assert.equal((await run("versions", "runs/none", "--uploads")).code, 1);
  });

  test("notes go in and out as they are", async () => {
    const bytes = randomBytes(1_000);
    const file = join(directory, "note");
    await writeFile(file, bytes);
    assert.equal((await run("note", "put", "runs/a", "n.bin", file)).code, 0);
    assert.equal((await run("note", "get", "runs/a", "n.bin", "--out", `${file}.back`)).code, 0);
    assert.deepEqual(await readFile(`${file}.back`), bytes);
    const { stdout } = await run("note", "get", "runs/a", "n.bin", "--json");
    assert.equal((JSON.parse(stdout) as { base64: string }).base64, bytes.toString("base64"));
    assert.equal((await run("note", "get", "runs/a", "none")).code, 1);
  });

  test("what an API key may not do is said, and mistakes are exit code 2", async () => {
    const renamed = await run("locations", "rename", "built-in", "disk");
    assert.equal(renamed.code, 1);
    assert.match(renamed.stderr, /lossless login/);
    for (const words of [
      ["push", checkpoint],
      ["push", checkpoint, "a", "--meta", "novalue"],
      ["push", checkpoint, "a", "--new", "--fork-from", "b"],
      ["pull"],
      ["pull", "a", "b", "c"],
      ["versions"],
      ["note", "get", "a"],
      ["usage", "--days", "0"],
      ["locations", "add", "--endpoint", "https://store.test"],
      ["keys", "list", "--data", directory, "--api-key", "ak_x"],
    ]) {
      const { code, stderr } = await run(...words);
      assert.equal(code, 2, `${words.join(" ")}: ${stderr}`);
    }
    const none = await run("pull", "runs/none", join(directory, "none"));
    assert.match(
      none.stderr,
      /^lossless: there is no artifact runs\/none with versions; lossless /,
    );
    assert.match((await run("versions", "a", "b")).stderr, /name one artifact: unexpected word: b/);
    assert.match(
      (await run("org", "b")).stderr,
      /unexpected word: b; this command takes only options/,
    );
  });

  test("hints tell how to go on, and --json makes errors JSON", async () => {
    const file = join(checkpoint, "config.json");
    await done("push", file, "runs/hints");
    const taken = await run("push", file, "runs/hints", "--new");
    assert.match(taken.stderr, /latest is 000000000001; leave out --new and --fork-from to/);
    const below = await run("push", file, "runs/hints", "--version", "000000000001");
    assert.match(below.stderr, /Leave out --version to use the next number/);
    const missing = await run("pull", "runs/hints", "--version", "9");
    assert.match(
      missing.stderr,
      /runs\/hints has no version 9; lossless versions runs\/hints lists/,
    );
    assert.match((await run("pull", "runs/hints", checkpoint)).stderr, /\(--force\)/);
    for (const [words, expected] of [
      [["pull", "runs/none", "--json"], "not_found"],
      [["push", join(directory, "nowhere"), "a", "--json"], "failed"],
      [["note", "get", "runs/hints", "--json"], "usage"],
      [["pull", "runs/hints", join(file, "below"), "--json"], "ENOTDIR"],
    ] as const) {
      const { stdout, stderr } = await run(...words);
      const { error, message } = JSON.parse(stderr) as { error: string; message: string };
      assert.deepEqual([stdout, error, message.length > 0], ["", expected, true], stderr);
    }
  });

  test("a user without a home pushes and pulls, and is told what to set", async () => {
    const homeless = { HOME: "", XDG_STATE_HOME: "", XDG_CONFIG_HOME: "" };
    const as = (...words: string[]) => finished(start(line.endpoint, words, homeless));
    const pushed = await as("push", join(checkpoint, "config.json"), "runs/homeless");
    assert.equal(pushed.code, 0, pushed.stderr);
    assert.match(pushed.stderr, /no home directory; set XDG_STATE_HOME/);
    const into = join(directory, "homeless");
    await mkdir(into);
    await writeFile(join(into, "before"), "");
    const pulled = await as("pull", "runs/homeless", into, "--force");
    assert.equal(pulled.code, 0, pulled.stderr);
    assert.deepEqual(await readdir(into), ["config.json"]);
    const { code, stderr } = await as("login");
    assert.deepEqual([code, /set HOME or XDG_CONFIG_HOME/.test(stderr)], [2, true]);
    const words = ["whoami", "--api-key", ""];
    assert.match(
      (await as(...words)).stderr,
      /sign-in is not possible, because this user has no home/,
    );
  });

  test("a push that is killed, interrupted, or loses its service goes on", async () => {
    line.toServer = { bytesPerSecond: 2_000_000 };
    const killed = begin(["push", checkpoint, "runs/b"]);
    await partsSent(killed, 2);
    killed.kill("SIGKILL");
    await finished(killed);

    const interrupted = begin(["push", checkpoint, "runs/b"]);
    const ending = finished(interrupted);
    await partsSent(interrupted, 10);
    interrupted.kill("SIGINT");
    const { code, stderr } = await ending;
    assert.deepEqual([code, /run the same command again/.test(stderr)], ["SIGINT", true]);

    const pusher = begin(["push", checkpoint, "runs/b", "--json"]);
    const last = finished(pusher);
    await partsSent(pusher, 20);
    await service.kill();
    line.toServer = {};
    await service.start();
    const pushed = await last;
    assert.equal(pushed.code, 0, pushed.stderr);
    const { resumed, version } = JSON.parse(pushed.stdout) as Record<string, unknown>;
    assert.deepEqual([resumed, version], [true, "000000000001"]);
    await done("pull", "runs/b", join(directory, "out-b"));
    await assertSame(checkpoint, join(directory, "out-b"));
  });

  test("a pull that is killed, or loses its service, goes on", async () => {
    await done("push", checkpoint, "runs/c");
    const out = join(directory, "out-c");
    line.toClient = { bytesPerSecond: 4_000_000 };
    const killed = begin(["pull", "runs/c", out]);
    const state = join(directory, ".out-c.lossless-pull", "state.json");
    while (!(existsSync(state) && readFileSync(state, "utf8").includes('"1'))) await sleep(50);
    killed.kill("SIGKILL");
    await finished(killed);
    assert.equal(existsSync(out), false);
    const again = begin(["pull", "runs/c", out, "--json"]);
    const ending = finished(again);
    // It goes on with what the first one has left, so the service has answered it.
    while (processIn(readFileSync(state, "utf8")).id !== again.pid) {
      assert.equal(again.exitCode, null, "the pull ended early");
      await sleep(50);
    }
    await service.kill();
    line.toClient = {};
    await service.start();
    const { code, stdout, stderr } = await ending;
    assert.equal(code, 0, stderr);
    assert.equal((JSON.parse(stdout) as { resumed: boolean }).resumed, true);
    await assertSame(checkpoint, out);
  });

  test("a second pusher takes over, and the first one stops", async () => {
    line.toServer = { bytesPerSecond: 500_000 };
    const pusher = begin(["push", checkpoint, "runs/d"], "first");
    const first = finished(pusher);
    await partsSent(pusher, 2, "first");
    const second = join(checkpoint, "config.json");
    await done("push", second, "runs/d");
    line.toServer = {};
    const { code, stderr } = await first;
    assert.deepEqual([code, /^lossless: superseded: /m.test(stderr)], [1, true]);
    const again = await finished(begin(["push", checkpoint, "runs/d"], "first"));
    assert.match(again.stderr, /Another writer has opened runs\/d since this push began/);
    const words = ["push", checkpoint, "runs/d", "--take-over", "--json"];
    const taken = await finished(begin(words, "first"));
    assert.equal((JSON.parse(taken.stdout) as { version: string }).version, "000000000002");
  });
});
