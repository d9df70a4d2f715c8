import assert from "node:assert/strict";
import { mkdirSync, mkdtempDisposableSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";
import { ArtifactCaller, fetchBytes } from "../contract/artifact-caller.ts";
import { Checker } from "../crash/checker.ts";
import { Expectations } from "../crash/expectation.ts";
import { Journal, readJournal } from "../crash/journal.ts";
import { Load, type Target } from "../crash/load.ts";
import { openTarget } from "../crash/open-target.ts";
import { PatchedCheckout } from "../crash/patched-checkout.ts";
import { runVerify } from "../crash/verify-command.ts";
import { sharedPostgres } from "../postgres.ts";
import { Random } from "../random.ts";
import { organizations, Service } from "../service.ts";
import { Balancer } from "./balancer.ts";

const seed = 20_261_130;
const list = "server/src/database/migrations.ts";
const endOfList = "  ...shared,\n];";
const expansion = `{ kind: "expansion", statements: (type) => [
  \`ALTER TABLE head ADD COLUMN added \${type.integer} NOT NULL DEFAULT 0\`,
  \`ALTER TABLE log ADD COLUMN added \${type.integer}\`,
  \`ALTER TABLE annotation ADD COLUMN added \${type.text}\`,
  \`CREATE TABLE added (experiment \${type.text} PRIMARY KEY
    REFERENCES experiment (id) ON DELETE CASCADE)\`,
] }`;
const contraction = `{ kind: "contraction", leastFormat: alone.length + shared.length + 1, statements: () => [
  "ALTER TABLE head DROP COLUMN added",
] }`;

/** The version after ours: columns of the hottest tables more, one of which it writes. */
let next: PatchedCheckout;
/** The version after that, which ours cannot work beside. Its patience is shorter. */
let second: PatchedCheckout;
before(() => {
  next = new PatchedCheckout([
    { file: list, find: endOfList, replace: `  ...shared,\n${expansion},\n];` },
    {
      file: "server/src/experiments/annotate.ts",
      find: `(experiment, number, id, text, meta, created_at_ms, message_id)
     SELECT $1, coalesce(max(number), 0) + 1, $2, $3, $4, $5, $6 FROM`,
      replace: `(experiment, number, id, text, meta, created_at_ms, message_id, added)
     SELECT $1, coalesce(max(number), 0) + 1, $2, $3, $4, $5, $6, 'by the next' FROM`,
    },
  ]);
  const both = `  ...shared,\n${expansion},\n${contraction},\n];`;
  second = new PatchedCheckout([
    { file: list, find: endOfList, replace: both },
    {
      file: "server/src/database/migrate.ts",
      find: "patienceMs = seenLatelyMs + 15_000",
      replace: "patienceMs = 3_000",
    },
  ]);
});
after(() => {
  next[Symbol.dispose]();
  second[Symbol.dispose]();
});

test("two nodes under load are upgraded one after the other, and put back: nothing is lost, doubled, or refused twice", async (context) => {
  using directory = mkdtempDisposableSync(join(tmpdir(), "lossless-upgrade-"));
  using journal = new Journal(join(directory.path, "journal.ndjson"));
  await using balancer = await Balancer.start();
  const baseUrl = balancer.origin;
  const databaseUrl = await (await sharedPostgres()).createDatabase();
  const nodes = new Nodes(directory.path, balancer, databaseUrl);
  await using first = await nodes.start("first");
  await using other = await nodes.start("other");
  const violations: string[] = [];
  const targets = await Promise.all([0, 1, 2].map((one) => openTarget(baseUrl, journal, one)));
  const load = new Load(
    {
      baseUrl,
      seed,
      random: new Random(seed),
      journal,
      writers: 4,
      resends: true,
      resendsMax: 1,
      violations,
    },
    targets,
  );
  const running = load.run();
  const artifact = new Artifact(baseUrl);
  const writing = artifact.write();
  const current = { first, other };
  try {
    for (const [name, checkout] of [
      ["first", next.directory],
      ["other", next.directory],
      ["first", undefined],
      ["other", undefined],
    ] as const) {
      await acknowledgedMore(targets, 300);
      current[name] = await nodes.replace(current[name], name, checkout);
      await acknowledgedMore(targets, 300);
    }
  } finally {
    load.stop();
    artifact.stop();
    await Promise.all([running, writing]);
  }
  const expectations = new Expectations();
  for (const entry of readJournal(journal.path, 0).entries) expectations.add(entry);
  const checker = new Checker(baseUrl, seed);
  await checker.check(expectations);
  violations.push(...expectations.violations, ...checker.violations);
  await artifact.check();
  const { code, output } = await runVerify(current.other);
  assert.equal(code, 0, output.slice(-2_000));
  const { acknowledgedPoints, unknownRequests } = expectations;
  context.diagnostic(
    `${acknowledgedPoints} points acknowledged, ${artifact.versions} versions, ${unknownRequests} requests repeated`,
  );
  await Promise.all([current.first, current.other].map((node) => node[Symbol.asyncDispose]()));
  assert.deepEqual(violations.slice(0, 20), [], `${violations.length} violations`);
  assert.ok(acknowledgedPoints > 0 && artifact.versions > 0);
  // Both versions were at work.
  const rows = await query<{ added: string | null }>(
    databaseUrl,
    "SELECT DISTINCT added FROM annotation ORDER BY added",
  );
  assert.deepEqual(rows, [{ added: "by the next" }, { added: null }]);
});

test("a version that would stop a node at work does not start, and that node goes on", async () => {
  using directory = mkdtempDisposableSync(join(tmpdir(), "lossless-upgrade-"));
  await using balancer = await Balancer.start();
  const databaseUrl = await (await sharedPostgres()).createDatabase();
  const nodes = new Nodes(directory.path, balancer, databaseUrl);
  await using ours = await nodes.start("first");
  await using later = nodes.made("other", second.directory);
  later.spawn();
  assert.equal(await later.exited, 2, later.errors);
  assert.match(later.errors, /A node of version \S+ is at work on this database/);
  using journal = new Journal(join(directory.path, "journal.ndjson"));
  await openTarget(ours.baseUrl, journal, 0);
  assert.equal(await ours.stop(), 0);
  await later.start();
  await later.stop();
  ours.spawn();
  assert.equal(await ours.exited, 4);
  assert.match(ours.errors, /Nothing was changed; start a newer version/);
});

class Nodes {
  readonly #directory: string;
  readonly #balancer: Balancer;
  readonly #databaseUrl: string;
  readonly #flags: string[];

  constructor(directory: string, balancer: Balancer, databaseUrl: string) {
    this.#directory = directory;
    this.#balancer = balancer;
    this.#databaseUrl = databaseUrl;
    const key = join(directory, "master.key");
    writeFileSync(key, `${"7b".repeat(32)}\n`, { mode: 0o600 });
    this.#flags = ["--artifacts", join(directory, "artifacts"), "--master-key-file", key];
    this.#flags.push("--base-url", balancer.origin, "--drain-ms", "500");
    this.#flags.push("--seal-points", "400", "--seal-idle-ms", "100");
  }

  made(name: string, checkout?: string): Service {
    const directory = join(this.#directory, name);
    mkdirSync(directory, { recursive: true });
    const databaseUrl = this.#databaseUrl;
    const given = checkout === undefined ? {} : { checkout };
    return new Service({ directory, databaseUrl, flags: this.#flags, ...given });
  }

  async start(name: string, checkout?: string): Promise<Service> {
    const service = this.made(name, checkout);
    await service.start();
    this.#balancer.nodes.add(service.listenUrl);
    return service;
  }

  /** As an orchestrator does it: the old node leaves the rotation when it says that it ends. */
  async replace(before: Service, name: string, checkout?: string): Promise<Service> {
    this.#balancer.nodes.delete(before.listenUrl);
    assert.equal(await before.stop(), 0, before.errors);
    return this.start(name, checkout);
  }
}

/** One artifact that gets one version after the other. */
class Artifact {
  versions = 0;
  readonly #caller: ArtifactCaller;
  #isRunning = true;

  constructor(baseUrl: string) {
    this.#caller = new ArtifactCaller({ baseUrl, observe: () => {} }, organizations.acme.key);
  }

  stop(): void {
    this.#isRunning = false;
  }

  async write(): Promise<void> {
    const { epoch } = await this.#caller.open("runs/upgraded");
    while (this.#isRunning) {
      const name = versionName(this.versions + 1);
      await this.#caller.write("runs/upgraded", name, epoch, filesOf(name));
      this.versions++;
      await sleep(50);
    }
  }

  /** Every version is there, once, byte for byte. */
  async check(): Promise<void> {
    for (let number = 1; number <= this.versions; number++) {
      const name = versionName(number);
      const { files } = await this.#caller.read("runs/upgraded", name, { urls: "1" });
      for (const { name: file, url } of files)
        assert.ok(filesOf(name)[file]?.equals(await fetchBytes(url)), `${name}/${file}`);
    }
    const { versions } = await this.#caller.list("runs/upgraded", { limit: "200" });
    const names = Array.from({ length: this.versions }, (_, index) => versionName(index + 1));
    assert.deepEqual(
      versions.map(({ version }) => version),
      names.slice(-versions.length),
    );
  }
}

function versionName(number: number): string {
  return String(number).padStart(6, "0");
}

function filesOf(version: string): Record<string, Buffer> {
  return { small: Buffer.from(version), large: Buffer.alloc(100_000, version) };
}

async function acknowledgedMore(targets: readonly Target[], count: number): Promise<void> {
  const acknowledged = () => targets.reduce((sum, target) => sum + target.acknowledged.size, 0);
  const wanted = acknowledged() + count;
  while (acknowledged() < wanted) await sleep(10);
}

async function query<Row extends object>(databaseUrl: string, sql: string): Promise<Row[]> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    return (await client.query<Row>(sql)).rows;
  } finally {
    await client.end();
  }
}
