import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, suite, test } from "node:test";
import { exitCodeOf, exitCodeOfCommand } from "./ground/exit-codes.ts";

const root = mkdtempSync(join(tmpdir(), "lossless-main-"));
const children = new Set<ChildProcess>();
after(() => {
  for (const child of children) child.kill("SIGKILL");
  rmSync(root, { recursive: true, force: true });
});

class Run {
  readonly child: ChildProcess;
  readonly ended: Promise<number>;
  output = "";
  errors = "";

  constructor(...flags: string[]) {
    const main = join(import.meta.dirname, "main.ts");
    this.child = spawn(process.execPath, [main, "--port", "0", ...flags], {
      env: { ...process.env, NODE_OPTIONS: "" },
    });
    children.add(this.child);
    this.child.stdout?.setEncoding("utf8").on("data", (text: string) => (this.output += text));
    this.child.stderr?.setEncoding("utf8").on("data", (text: string) => (this.errors += text));
    this.ended = once(this.child, "close").then(([code]) => {
      children.delete(this.child);
      return code as number;
    });
  }

  async ready(): Promise<string> {
    while (!/^Lossless is ready at \S+\n/m.test(this.output)) {
      await Promise.race([once(this.child.stdout!, "data"), this.ended]);
      if (this.child.exitCode !== null)
        throw new Error(`ended with ${this.child.exitCode}: ${this.errors}`);
    }
    return /^Lossless is ready at (\S+)\n/m.exec(this.output)![1];
  }
}

suite("the process", () => {
  test("first start: a key, the ready line, then a clean end; the second start says nothing new", async () => {
    const data = join(root, "first");
    const run = new Run("--data", data);
    const url = await run.ready();
    const secret = /this API key.*: (ak_\w+)$/m.exec(run.output)?.[1];
    const status = await fetch(`${url}/api/v2/auth/status`, {
      headers: { authorization: `Bearer ${secret}` },
    });
    assert.equal(status.status, 200);
    const link = /Set the first password within an hour: (\S+)$/m.exec(run.output)?.[1] ?? "";
    assert.ok(link.startsWith(`${url}/join?token=in_`), run.output);
    const token = new URL(link).searchParams.get("token");
    const body = { token, email: "ada@acme.test", password: "correct horse" };
    const accept = () =>
      fetch(`${url}/api/v1/invitations/accept`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
      });
    assert.equal((await accept()).status, 201);
    assert.equal((await accept()).status, 401);
    assert.equal((await fetch(`${url}/readyz`)).status, 200);
    assert.equal(statSync(data).mode & 0o777, 0o700);
    assert.equal(statSync(join(data, "master.key")).mode & 0o777, 0o600);
    run.child.kill("SIGTERM");
    assert.equal(await run.ended, 0, run.errors);
    assert.ok(!run.errors.includes(secret ?? "ak_"));

    const again = new Run("--data", data);
    await again.ready();
    assert.equal(again.output.split("\n").length, 2);
    const rival = new Run("--data", data);
    assert.equal(await rival.ended, 3, rival.errors);
    assert.match(rival.errors, /^lossless: The data directory .* is in use/);
    const { port } = new URL(await again.ready());
    const twin = new Run("--data", data, "--port", port);
    assert.equal(await twin.ended, 3, "in use says more than the port is taken");
    const neighbour = new Run("--data", join(root, "other"), "--port", port);
    assert.equal(await neighbour.ended, 2);
    assert.match(neighbour.errors, /Cannot listen at 127\.0\.0\.1:\d+: EADDRINUSE/);
    const operators = new Run("--data", join(root, "other"), "--admin-port", port);
    assert.equal(await operators.ended, 2);
    assert.match(
      operators.errors,
      /^lossless: Cannot listen at 127\.0\.0\.1:\d+ \(--admin-port\): EADDRINUSE\.$/m,
    );
    assert.equal(operators.output, "", "no key is shown that nobody can see again");
    assert.ok(!existsSync(join(root, "other")));
    again.child.kill("SIGINT");
    assert.equal(await again.ended, 0);
  });

  test("exit code 2 for what is configured wrongly, before anything is written", async () => {
    const data = join(root, "never");
    const provision = join(root, "bad.json");
    writeFileSync(
      provision,
      '{"organizations":[{"name":"a","apiKeys":[{"name":"k","secret":"ak_x"}]}]}',
    );
    const runs = [["--nope", "1"], ["--provision", provision], ["--provision", join(root, "none")],
      ["--master-key-file", provision], ["--host", "203.0.113.1"]]; // prettier-ignore
    for (const flags of runs) {
      const run = new Run("--data", data, ...flags);
      assert.equal(await run.ended, 2, flags.join(" "));
      assert.match(run.errors, /^lossless: .+\.\n$/);
      assert.equal(run.output, "");
    }
    const keyFile = join(root, "made.key");
    const without = new Run("--data", data, "--master-key-file", keyFile);
    assert.equal(await without.ended, 2);
    const made = /openssl rand -hex 32 > (\S+)\)/.exec(without.errors);
    assert.equal(made?.[1], keyFile, without.errors);
    assert.ok(!existsSync(data));
  });

  test("a provision file that others can read is warned of at the start", async () => {
    const provision = join(root, "open.json");
    const apiKeys = [{ name: "ci", secret: `ak_${"x".repeat(40)}` }];
    writeFileSync(provision, JSON.stringify({ organizations: [{ name: "acme", apiKeys }] }));
    chmodSync(provision, 0o644);
    const run = new Run("--data", join(root, "open"), "--provision", provision);
    await run.ready();
    assert.match(run.errors, /"level":"warn".*chmod 600/);
    run.child.kill("SIGTERM");
    assert.equal(await run.ended, 0, run.errors);
  });

  test("what a full disk keeps from being applied is said in whole sentences", async () => {
    const provision = join(root, "full.json");
    const data = join(root, "full");
    const start = (organization: object, ...flags: string[]) => {
      writeFileSync(provision, JSON.stringify({ organizations: [organization] }), { mode: 0o600 });
      return new Run("--data", data, "--provision", provision, ...flags);
    };
    const acme = { name: "acme", apiKeys: [{ name: "ci", secret: `ak_${"x".repeat(40)}` }] };
    const store = { endpoint: "https://s3.example", bucket: "bucket", path: "", pathStyle: true };
    const keys = { accessKeyId: "a", secretAccessKey: "s", signingRegion: "us-east-1" };
    const location = { kind: "s3", cloud: "aws", region: "us-east-1", ...store, ...keys };
    const settings = { locations: [location], trashDays: 3, mlflowLocations: ["s3://b/m"] };
    const first = start(acme);
    await first.ready();
    first.child.kill("SIGTERM");
    assert.equal(await first.ended, 0, first.errors);
    const full = ["--disk-reserve-bytes", String(Number.MAX_SAFE_INTEGER)];
    const second = start({ ...acme, ...settings }, ...full);
    await second.ready();
    second.child.kill("SIGTERM");
    assert.equal(await second.ended, 0, second.errors);
    const logged = second.errors.trim().split("\n");
    const sentences = logged.map((line) => (JSON.parse(line) as { msg: string }).msg);
    assert.deepEqual(
      sentences.filter((sentence) => sentence.includes("provision file")),
      [
        "nothing is written, and the provision file was not applied.",
        "the provision file was not applied to the locations.",
        "the provision file was not applied to the days of the trash.",
        "the provision file was not applied to the artifact locations of MLflow.",
      ].map((sentence) => `The disk is nearly full: ${sentence}`),
    );
  });

  test("a signal during the start still ends cleanly", async () => {
    const run = new Run("--data", join(root, "early"), "--log-level", "debug");
    while (run.errors === "" && !existsSync(join(root, "early"))) {
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    run.child.kill("SIGTERM");
    assert.equal(await run.ended, 0, run.errors);
  });

  test("a second signal ends the process at once", async () => {
    const run = new Run("--data", join(root, "second"));
    const { hostname, port, host } = new URL(await run.ready());
    const secret = /this API key.*: (ak_\w+)$/m.exec(run.output)?.[1];
    // A request that never arrives completely keeps the first signal waiting.
    const socket = connect(Number(port), hostname);
    socket.on("error", () => {});
    socket.write(
      `POST /api/v2/events HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${secret}\r\n` +
        "Content-Type: application/json\r\nContent-Length: 10\r\nExpect: 100-continue\r\n\r\n{",
    );
    await once(socket, "data");
    run.child.kill("SIGTERM");
    while (!run.errors.includes("stopping")) await once(run.child.stderr!, "data");
    assert.equal((await fetch(`http://${host}/readyz`).catch(() => undefined))?.status ?? 503, 503);
    await new Promise((resolve) => setTimeout(resolve, 400));
    assert.equal(run.child.exitCode, null);
    run.child.kill("SIGTERM");
    assert.equal(await run.ended, 143);
  });

  test("exit codes of errors that lost their class on the way; a command's are the same, but of a refusal", () => {
    const named = (name: string, more: object = {}) =>
      Object.assign(new Error("x"), { name }, more);
    const errors = [
      named("ConfigError"), named("ProvisionConflict"), named("DirectoryForeign"), named("DirectoryInUse"),
      named("NewerFormat"), named("CorruptData"), named("DatabaseError", { kind: "corrupt" }),
      named("DatabaseError", { kind: "misconfigured" }), named("DatabaseError", { kind: "failed" }),
      named("ServiceError"), named("TypeError"), "text",
    ]; // prettier-ignore
    assert.deepEqual(errors.map(exitCodeOf), [2, 2, 2, 3, 4, 5, 5, 2, 6, 6, 1, 1]);
    const ofCommands = [2, 2, 2, 3, 4, 5, 5, 2, 6, 1, undefined, undefined];
    assert.deepEqual(errors.map(exitCodeOfCommand), ofCommands);
  });
});
