import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdir, mkdtempDisposable, readFile, realpath, symlink, writeFile } from "node:fs/promises";
import { hostname, tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { suite, test } from "node:test";
import { promisify } from "node:util";
import { LosslessClient } from "@lossless/client";
import { pull } from "@lossless/client/files";
import { checkoutRoot, organizations, Service } from "./service.ts";

const run = promisify(execFile);
const key = `AKIA${"A".repeat(16)}`;

/** A program that records once, with what the test says. */
const program = `
import { writeFileSync } from "node:fs";
import { LosslessClient } from "@lossless/client";
import { startedHere } from "@lossless/client/origin";

const client = new LosslessClient({
  baseUrl: process.env.LOSSLESS_URL,
  apiKey: process.env.LOSSLESS_API_KEY,
});
const { slug, meta, choice, kept = "whole", gate } = JSON.parse(process.env.TEST_GIVEN);
const recorder = await client.record({ slug, meta }, { origin: startedHere(client, choice) });
recorder.record("loss", 1, 0);
if (gate !== undefined) writeFileSync(gate, "");
if (kept === "whole") await recorder.flush();
await recorder.finish();
`;

interface Given {
  slug: string;
  meta?: Record<string, unknown>;
  choice?: object;
  kept?: "whole" | "soon";
  /** A file that the program makes when it has recorded a point. */
  gate?: string;
}

suite("the origin of a recording of Node", () => {
  /** A repository with a changed file and a package, and the service. */
  async function started(body: (context: Awaited<ReturnType<typeof prepared>>) => Promise<void>) {
    await using service = await Service.start();
    await using temporary = await mkdtempDisposable(join(tmpdir(), "lossless-origin-"));
    await body(await prepared(service, await realpath(temporary.path)));
  }

  async function prepared(service: Service, directory: string) {
    const client = new LosslessClient({
      baseUrl: service.baseUrl,
      apiKey: organizations.acme.key,
    });
    const git = async (...words: string[]): Promise<string> => {
      const who = ["-c", "user.name=a", "-c", "user.email=a@b"];
      return (await run("git", [...who, ...words], { cwd: directory })).stdout.trim();
    };
    await mkdir(join(directory, "src"));
    await mkdir(join(directory, "node_modules/@lossless"), { recursive: true });
    const own = join(directory, "node_modules/@lossless/client");
    await symlink(join(checkoutRoot, "node_modules/@lossless/client"), own);
    const packages = {
      "": { name: "vision" },
      "node_modules/left-pad": { version: "1.3.0" },
      "node_modules/@scope/name": { version: "2.0.1" },
      "node_modules/left-pad/node_modules/inner": { version: "9.9.9" },
    };
    const lock = JSON.stringify({ lockfileVersion: 3, packages });
    await writeFile(join(directory, "package-lock.json"), lock);
    await writeFile(join(directory, "src/train.mjs"), program);
    await writeFile(join(directory, "data.txt"), "before\n");
    await writeFile(join(directory, ".gitignore"), "node_modules\n");
    await git("init", "-q", "-b", "main");
    await git("add", "-A");
    await git("commit", "-q", "-m", "first");
    await git("remote", "add", "origin", "https://ada:secret@example.com/acme/vision.git");
    await writeFile(join(directory, "data.txt"), `after ${key}\n`);
    const recorded = async (given: Given, variables: Record<string, string> = {}) => {
      const names = ["PATH", "HOME", "TMPDIR", "USER"];
      const inherited = names.map((name) => [name, process.env[name]] as const);
      await run(process.execPath, ["src/train.mjs", "--token", "abcdefgh1234"], {
        cwd: directory,
        env: {
          ...Object.fromEntries(inherited.filter(([, value]) => value !== undefined)),
          LOSSLESS_URL: service.baseUrl,
          LOSSLESS_API_KEY: organizations.acme.key,
          TEST_GIVEN: JSON.stringify(given),
          ...variables,
        },
      });
      return (await client.experiment({ experimentSlug: given.slug })).meta as Meta;
    };
    return { client, directory, git, recorded };
  }

  test("commit, command, machine, job and packages are in the meta, and the diff is stored", () =>
    started(async ({ client, directory, git, recorded }) => {
      const job = { SLURM_JOB_ID: "4711", SLURM_JOB_NAME: "sweep", SLURM_SECRET: "no" };
      const meta = await recorded({ slug: "v/1", meta: { lr: 0.1 } }, job);
      const { diff, ...source } = meta._source ?? {};
      assert.deepEqual(source, {
        remote: "https://example.com/acme/vision.git",
        commit: await git("rev-parse", "HEAD"),
        branch: "main",
        directory: ".",
        script: "src/train.mjs",
        command: `${process.execPath} ${join(directory, "src/train.mjs")} --token '********'`,
        isDirty: true,
      });
      const environment = meta._environment ?? {};
      assert.equal(environment["host"], hostname());
      assert.equal(environment["user"], userInfo().username);
      assert.equal(environment["node"], process.versions.node);
      assert.equal(environment["manager"], "npm");
      assert.equal(environment["lockFile"], "package-lock.json");
      assert.deepEqual(environment["packages"], { "@scope/name": "2.0.1", "left-pad": "1.3.0" });
      assert.deepEqual(environment["slurm"], { jobId: "4711", jobName: "sweep" });
      assert.equal(meta["lr"], 0.1);
      const { artifact, version, path } = diff as {
        artifact: string;
        version: string;
        path: string;
      };
      assert.equal(artifact, "v/1/source");
      const place = join(directory, "pulled");
      await pull(client, { artifact, version, directory: place });
      const text = await readFile(join(place, path), "utf8");
      assert.match(text, /^\+after \*{8}$/m);
      assert.ok(!text.includes(key));
      const again = await recorded({ slug: "v/1", meta: { lr: 0.2 } });
      assert.equal(versionOf(again), "000000000002");
    }));

  test("each kind has a switch, and a wrong word is refused", () =>
    started(async ({ recorded }) => {
      const off = { source: false, environment: false };
      const nothing = await recorded({ slug: "off", meta: { lr: 1 }, choice: off });
      assert.deepEqual(nothing, { lr: 1 });
      const choice = { source: "-diff,-command", environment: "user" };
      const some = await recorded({ slug: "some", choice });
      assert.deepEqual(Object.keys(some._source ?? {}), ["remote", "commit", "branch", "isDirty"]);
      assert.deepEqual(Object.keys(some._environment ?? {}), ["user"]);
      const variables = { LOSSLESS_SOURCE: "off", LOSSLESS_ENVIRONMENT: "host user" };
      const few = await recorded({ slug: "few" }, variables);
      assert.deepEqual(Object.keys(few), ["_environment"]);
      assert.deepEqual(Object.keys(few._environment ?? {}), ["host", "user"]);
      await assert.rejects(recorded({ slug: "no", choice: { source: "-git,diff" } }), /is on, off/);
    }));

  test("a git that hangs keeps nothing from ending", () =>
    started(async ({ directory, git, recorded }) => {
      const bin = join(directory, "bin");
      await mkdir(bin);
      await writeFile(join(bin, "git"), "#!/bin/sh\nexec sleep 600\n", { mode: 0o755 });
      const meta = await recorded(
        { slug: "hung", kept: "soon" },
        { PATH: `${bin}:${process.env["PATH"] ?? ""}` },
      );
      assert.equal(meta._source?.["commit"], await git("rev-parse", "HEAD"));
      assert.equal(meta._source?.["isDirty"], undefined);
    }));

  test("recording begins before git has answered, and the diff is there when it ends", () =>
    started(async ({ client, directory, recorded }) => {
      const [bin, gate] = [join(directory, "bin"), join(directory, "gate")];
      await mkdir(bin);
      const path = process.env["PATH"] ?? "";
      // This git answers nobody who waits for it before the first point.
      const script = `#!/bin/sh
        while [ ! -e ${gate} ]; do sleep 0.02; done
        PATH="${path}" exec git "$@"`;
      await writeFile(join(bin, "git"), script, { mode: 0o755 });
      const meta = await recorded({ slug: "gated", gate }, { PATH: `${bin}:${path}` });
      assert.equal(meta._source?.["isDirty"], true);
      const diff = meta._source?.["diff"] as { artifact: string; version: string } | undefined;
      assert.ok(diff !== undefined);
      const { artifact, version } = diff;
      const pulled = join(directory, "pulled");
      await pull(client, { artifact, version, directory: pulled });
      assert.match(await readFile(join(pulled, "changes.diff"), "utf8"), /^\+after \*{8}$/m);
    }));

  test("a config without room costs the packages, never the other way round", () =>
    started(async ({ recorded }) => {
      const config = { text: "x".repeat(65_000) };
      const meta = await recorded({ slug: "large", meta: config });
      assert.equal(meta["text"], config.text);
      assert.equal(meta._environment?.["packages"], undefined);
    }));
});

interface Meta extends Record<string, unknown> {
  _source?: Record<string, unknown>;
  _environment?: Record<string, unknown>;
}

function versionOf(meta: Meta): unknown {
  return (meta._source?.["diff"] as { version?: string } | undefined)?.version;
}
