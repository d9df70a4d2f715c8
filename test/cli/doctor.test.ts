import assert from "node:assert/strict";
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, suite, test } from "node:test";
import { answering, type LoopbackServer } from "../loopback.ts";
import { sharedPostgres } from "../postgres.ts";
import { signIn } from "../contract/people.ts";
import { IdentityProvider } from "../sign-on/identity-provider.ts";
import { setSignOn, signOnBody } from "../sign-on/sign-on-calls.ts";
import { S3Double } from "../stores/s3-double.ts";
import { makeWorkers } from "../workers.ts";
import { checkoutRoot, Service } from "../service.ts";
import { finished, run, start } from "./command-line.ts";

interface Finding {
  state: "ok" | "advice" | "problem";
  about: string;
  found: string;
  advice?: string;
}

suite("doctor", () => {
  let service: Service;
  let directory: string;

  before(async () => {
    // Temporary directories may be in memory, which it says of them.
    const cache = join(checkoutRoot, "node_modules/.cache");
    mkdirSync(cache, { recursive: true });
    directory = mkdtempSync(join(cache, "lossless-doctor-"));
    service = await Service.start({ directory });
  });

  after(async () => {
    await service[Symbol.asyncDispose]();
    rmSync(directory, { recursive: true });
  });

  test("a service that runs: its disk, its address, bodies of 8 MiB", async () => {
    const { findings, problems, code } = await examined("--base-url", service.baseUrl);
    const bad = findings.filter(({ state }) => state === "problem");
    assert.deepEqual([problems, code], [bad.length, bad.length === 0 ? 0 : 1]);
    for (const about of [
      "disk of the data directory",
      "access of the data directory",
      `address ${service.baseUrl}`,
      "bodies through the proxy",
      "clock of the service",
      "encryption",
    ]) {
      const finding = one(findings, about);
      assert.equal(finding.state, "ok", JSON.stringify(finding));
    }
    assert.match(one(findings, "disk of the data directory").found, /ms to sync 4 KiB/);
    for (const { state, advice } of findings) assert.equal(advice !== undefined, state !== "ok");
  });

  test("its words for people, and the exit code of a problem: nobody answers", async () => {
    const words = ["doctor", "--data", service.dataDirectory, "--base-url", "http://127.0.0.1:9"];
    const { code, stdout } = await finished(start(service.baseUrl, words));
    assert.equal(code, 1);
    assert.match(stdout, /^PROBLEM address http:\/\/127\.0\.0\.1:9: no answer: ECONNREFUSED$/m);
    assert.match(stdout, /^ {8}-> Is the service running/m);
    assert.match(stdout, /\d+ ok, \d+ advice, [1-9]\d* problems?$/m);
  });

  test("a proxy that refuses large bodies, and one that hides the name", async () => {
    await using narrow = await proxy(service.baseUrl, { bytesMax: 1_048_576 });
    const { findings } = await examined("--base-url", narrow.origin);
    assert.match(one(findings, "bodies through the proxy").found, /8 MiB are refused in front/);
    assert.equal(one(findings, `address ${narrow.origin}`).state, "ok");
    assert.equal(one(findings, "--trusted-proxies").state, "advice");
    await using nameless = await proxy(service.baseUrl, { host: "upstream.example" });
    const hidden = await examined("--base-url", nameless.origin);
    assert.match(one(hidden.findings, `address ${nameless.origin}`).found, /421/);
  });

  test("another program at the address", async () => {
    await using server = await answering((_request, response) => response.end("hello"));
    const url = server.origin;
    const { findings } = await examined("--base-url", url);
    assert.match(one(findings, `address ${url}`).found, /something else answers/);
  });

  test("a directory that others may read", async () => {
    chmodSync(service.dataDirectory, 0o755);
    const { findings } = await examined("--base-url", service.baseUrl);
    chmodSync(service.dataDirectory, 0o700);
    const { state, advice } = one(findings, "access of the data directory");
    assert.deepEqual([state, /chmod 700/.test(advice!)], ["problem", true]);
  });

  const isLinux = process.platform === "linux";
  test("a directory in memory", { skip: !isLinux && "only Linux has /dev/shm" }, async () => {
    const directory = mkdtempSync(join("/dev/shm", "lossless-doctor-"));
    const { findings } = await examined("--artifacts", directory, "--base-url", service.baseUrl);
    rmSync(directory, { recursive: true });
    assert.equal(one(findings, "file system of the directory of artifacts").state, "problem");
  });

  test("PostgreSQL: its settings, the bucket of --segments, and a server that is away", async () => {
    // The shared server of the tests has fsync off, which nobody else may have.
    const databaseUrl = await (await sharedPostgres()).createDatabase();
    await using node = await Service.start({ databaseUrl });
    const flags = ["--data", node.dataDirectory, "--base-url", node.baseUrl];
    const { findings, code } = await doctor(...flags, "--database-url", databaseUrl);
    assert.equal(code, 1);
    const durability = one(findings, "durability of PostgreSQL");
    assert.deepEqual(
      [durability.state, durability.found],
      ["problem", "fsync off, full_page_writes off"],
    );
    assert.equal(one(findings, "standbys").state, "advice");
    for (const about of ["clock of PostgreSQL", "autovacuum"])
      assert.equal(one(findings, about).state, "ok", about);
    // The bucket of --segments, which works, and then refuses.
    await using store = await S3Double.start({ buckets: ["segments"] });
    const credentials = {
      AWS_ACCESS_KEY_ID: store.accessKeyId,
      AWS_SECRET_ACCESS_KEY: store.secretAccessKey,
    };
    const bucket = async (): Promise<Finding> => {
      const given = ["--segments", `s3://segments/sealed?endpoint=${store.endpoint}`];
      const words = ["doctor", ...flags, "--database-url", databaseUrl, ...given, "--json"];
      const { stdout } = await finished(start("", words, credentials));
      const examined = JSON.parse(stdout) as { findings: Finding[] };
      return one(examined.findings, "bucket of --segments, s3://segments/sealed");
    };
    assert.equal((await bucket()).state, "ok");
    assert.equal(store.objects("segments").size, 0, "something was left");
    store.faults.add({ fault: "internalError", operation: "PutObject" });
    assert.equal((await bucket()).state, "problem");
    const away = await doctor(...flags, "--database-url", "postgres://u:secret@127.0.0.1:9/d");
    const { state, found } = one(away.findings, "PostgreSQL");
    assert.equal(state, "problem");
    assert.ok(!JSON.stringify(away.findings).includes("secret"), found);
  });

  test("workers: the settings of each, and one that is away", async () => {
    const postgres = await sharedPostgres();
    const databaseUrl = await postgres.createDatabase();
    await using workers = await makeWorkers(2, (url, at) =>
      at === 0 ? url : "postgres://u:secret@127.0.0.1:9/d",
    );
    const words = ["doctor", "--data", service.dataDirectory, "--database-url", databaseUrl];
    const { stdout } = await finished(start("", [...words, "--json"], workers.environment));
    const { findings } = JSON.parse(stdout) as { findings: Finding[] };
    const { host } = new URL(databaseUrl);
    assert.equal(one(findings, `autovacuum, worker ${host}`).state, "ok");
    assert.equal(one(findings, "PostgreSQL, worker 127.0.0.1:9").state, "problem");
    assert.equal(one(findings, "PostgreSQL").state, "ok");
    assert.ok(!stdout.includes("secret"), stdout);
  });

  test("a location that works, and one that does not answer", async () => {
    await using store = await S3Double.start({ buckets: ["works", "refuses"] });
    const { endpoint, region, accessKeyId, secretAccessKey } = store;
    const location = { kind: "s3", endpoint, path: "p", signingRegion: region, pathStyle: true };
    const access = { ...location, cloud: "aws", region: "eu", accessKeyId, secretAccessKey };
    await using node = await Service.start({
      allowPrivate: ["127.0.0.0/8"],
      locations: [
        { ...access, bucket: "works", fallback: true },
        { ...access, bucket: "refuses", region: "us", fallback: false },
      ],
    });
    store.faults.add({ fault: "lostRequest", when: ({ bucket }) => bucket === "refuses" });
    const flags = ["--data", node.dataDirectory, "--base-url", node.baseUrl];
    const { findings } = await doctor(...flags, "--provision", node.provisionFile);
    assert.equal(one(findings, "location works of acme").state, "ok");
    const refusing = one(findings, "location refuses of acme");
    assert.equal(refusing.state, "problem");
    assert.match(refusing.found, /at "put"/);
    assert.equal(store.objects("works").size, 0, "the probe left something");
  });

  test("an identity provider that answers, and one that is away; a backup", async () => {
    const provider = await IdentityProvider.start([]);
    await using node = await Service.start({ people: true, allowPrivate: ["127.0.0.0/8"] });
    const target = { baseUrl: node.baseUrl, observe: () => undefined };
    await setSignOn(target, await signIn(target, "ada"), signOnBody(provider.issuer));
    const flags = ["--data", node.dataDirectory, "--base-url", node.baseUrl];
    flags.push("--provision", node.provisionFile);
    const about = "identity provider the test's provider of acme";
    const { findings } = await doctor(...flags);
    assert.equal(one(findings, about).state, "ok", one(findings, about).found);
    assert.match(one(findings, "backup").found, /none was made/);
    await provider[Symbol.asyncDispose]();
    const place = mkdtempSync(join(tmpdir(), "lossless-doctor-backup-"));
    const words = ["backup", join(place, "all"), "--data", node.dataDirectory];
    assert.equal((await finished(start("", words))).code, 0);
    rmSync(place, { recursive: true });
    const later = await doctor(...flags);
    assert.equal(one(later.findings, about).state, "problem");
    assert.equal(one(later.findings, "backup").state, "ok");
  });

  test("it takes every option that the service has", async () => {
    const { stdout } = await run("", "serve", "--help");
    const options = [...stdout.matchAll(/^ {2}--([\w-]+) .*\(default: (.*)\)$/gm)];
    const given: Record<string, string> = {
      data: service.dataDirectory,
      artifacts: join(service.dataDirectory, "artifacts"),
      "base-url": service.baseUrl,
      "alt-base-url": "http://127.0.0.1:9",
      "issuer-url": "https://keys.example",
      "trusted-proxies": "10.0.0.0/8",
      provision: service.provisionFile,
      "master-key-file": join(service.dataDirectory, "master.key"),
      "admin-port": "18421",
      traces: "http://127.0.0.1:9/v1/traces",
      "drain-ms": "0",
    };
    // These are of another kind of service, and taken in other tests.
    const ofPostgres = ["database-url", "database-password-file", "segments", "workers-file"];
    const flags = options
      .filter(([, name]) => !ofPostgres.includes(name))
      .flatMap(([, name, shown]) => [`--${name}`, given[name] ?? shown]);
    assert.ok(flags.length > 60, stdout);
    const { findings } = await doctor(...flags);
    assert.equal(one(findings, `address ${service.baseUrl}`).state, "ok");
  });

  test("a wrong option is exit code 2, and changes nothing", async () => {
    const wrong = ["doctor", "--data", service.dataDirectory, "--base-url", "nowhere"];
    const { code, stderr } = await finished(start(service.baseUrl, wrong));
    assert.equal(code, 2, stderr);
  });

  function examined(...flags: string[]) {
    return doctor("--data", service.dataDirectory, ...flags);
  }

  async function doctor(...flags: string[]) {
    const { code, stdout, stderr } = await finished(
      start(service.baseUrl, ["doctor", ...flags, "--json"]),
    );
    assert.ok(code === 0 || code === 1, `${stdout}${stderr}`);
    return { code, ...(JSON.parse(stdout) as { findings: Finding[]; problems: number }) };
  }
});

function one(findings: readonly Finding[], about: string): Finding {
  const found = findings.filter((finding) => finding.about === about);
  assert.equal(found.length, 1, `${about} in ${findings.map((finding) => finding.about).join()}`);
  return found[0];
}

/** A proxy as people set them up; `host` is the name that it passes on instead of the client's. */
function proxy(
  target: string,
  { bytesMax = Infinity, host }: { bytesMax?: number; host?: string },
): Promise<LoopbackServer> {
  return answering((incoming, outgoing) => {
    outgoing.setHeader("server", "narrow");
    if (Number(incoming.headers["content-length"] ?? 0) > bytesMax) {
      return void outgoing.writeHead(413, { connection: "close" }).end();
    }
    const headers = { ...incoming.headers, host: host ?? new URL(target).host };
    const passed = request(new URL(incoming.url ?? "/", target), {
      method: incoming.method,
      headers,
    });
    passed.on("response", (response) => {
      outgoing.writeHead(response.statusCode!, response.headers);
      response.pipe(outgoing);
    });
    passed.on("error", () => outgoing.destroy());
    incoming.pipe(passed);
  });
}
