import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { UploadReply } from "@lossless/protocol";
import { ok } from "../http.ts";
import {
  ArtifactCaller,
  fetchBytes,
  type Files,
  sendParts,
  type SentFile,
} from "../contract/artifact-caller.ts";
import { locationBody } from "../contract/organization-setup.ts";
import { collectGarbageLater, type GarbageReport } from "../garbage.ts";
import { checkoutRoot, organizations, Service } from "../service.ts";
import { S3Double } from "../stores/s3-double.ts";
import { Random } from "../random.ts";

export interface FailpointCampaignOptions {
  /** How often the service dies at each point. */
  times: number;
  store: "built-in" | "s3";
  seed: number;
  databaseUrl?: string | undefined;
  progress?: (line: string) => void;
}

export interface FailpointCampaignReport {
  deaths: Record<string, number>;
  versions: number;
  /** Abandoned uploads that gc removed. */
  removed: number;
}

const bucket = "models";
const hourMs = 60 * 60_000;

const files: Files = {
  a: Buffer.from("first"),
  "b/ü c": Buffer.alloc(100_000, "xyz"),
  d: Buffer.alloc(0),
};

/**
 * R2: the service dies at every named point of open, begin and commit, each time with another
 * artifact. Then it starts once more, undisturbed: every version is whole or not there, every
 * request that was cut off succeeds when it is sent again, and nothing that nobody needs is left
 * when the garbage is collected. Throws what is wrong.
 */
export async function runFailpoints(
  options: FailpointCampaignOptions,
): Promise<FailpointCampaignReport> {
  const { times, progress } = options;
  const directory = mkdtempSync(join(tmpdir(), "lossless-failpoints-"));
  const report: FailpointCampaignReport = { deaths: {}, versions: 0, removed: 0 };
  let shiftMs = 0;
  await using store = await S3Double.start({
    buckets: [bucket],
    secretAccessKey: `secret${randomUUID().replaceAll("-", "")}`,
    clock: () => Date.now() + shiftMs,
  });
  const isS3 = options.store === "s3";
  const settings = {
    directory,
    databaseUrl: options.databaseUrl,
    allowPrivate: ["127.0.0.0/8"],
    ...(isS3 ? { locations: [locationBody(store, { path: "p", fallback: true })] } : {}),
  };
  try {
    for (let round = 1; round <= times; round++) {
      const random = new Random(options.seed + round);
      const runs: Run[] = [];
      for (const name of failpointNames()) {
        const run = new Run(`killed/${round}/${name}`, name);
        const environment = { LOSSLESS_TEST_FAILPOINT: `${name}:${passOf(name, random)}=kill` };
        await using dying = await Service.start({ ...settings, environment });
        await run.untilDeath(dying);
        report.deaths[name] = (report.deaths[name] ?? 0) + 1;
        runs.push(run);
      }
      await using service = await Service.start(settings);
      for (const run of runs) await run.finish(callerOf(service));
      report.versions += runs.length;
      // A begin that was cut off is given up after an hour; what it left goes ten minutes later.
      for (const laterMs of [2 * hourMs, 4 * hourMs]) {
        shiftMs = laterMs;
        report.removed += removedIn(await collectGarbageLater(service, laterMs));
      }
      requireClean(await collectGarbageLater(service, 6 * hourMs));
      shiftMs = 0;
      if (isS3) requireOnly(store, report.versions);
      for (const run of runs) await run.requireVersion(callerOf(service));
      progress?.(`${round} of ${times}: ${report.versions} versions, ${report.removed} removed`);
    }
    return report;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** The points as the service knows them, so that none is forgotten here. */
function failpointNames(): string[] {
  const source = readFileSync(
    join(checkoutRoot, "server/src/artifacts/versions/failpoints.ts"),
    "utf8",
  );
  const names = [...source.matchAll(/^ {2}"((?:open|begin|commit)\.\w+)",$/gm)].map(
    ([, name]) => name,
  );
  assert.ok(names.length >= 14, `found only ${names.join()}`);
  return names;
}

/** Some are passed once for each file. */
function passOf(name: string, random: Random): number {
  const isPerFile = name === "begin.afterStartUpload" || name === "commit.afterComplete";
  return isPerFile ? 1 + random.below(Object.keys(files).length) : 1;
}

function callerOf({ baseUrl }: Service): ArtifactCaller {
  return new ArtifactCaller({ baseUrl, observe: () => {} }, organizations.acme.key);
}

/** One writer that is cut off in one of its steps. */
class Run {
  readonly #artifact: string;
  readonly #name: string;
  readonly #killedIn: number;
  #epoch = 0;
  #upload: UploadReply | undefined;
  #sent: SentFile[] = [];

  constructor(artifact: string, name: string) {
    this.#artifact = artifact;
    this.#name = name;
    this.#killedIn = ["open", "begin", "", "commit"].indexOf(name.split(".", 1)[0]);
  }

  async untilDeath(service: Service): Promise<void> {
    const caller = callerOf(service);
    for (const step of this.#steps.slice(0, this.#killedIn)) await step(caller);
    await assert.rejects(this.#steps[this.#killedIn](caller), /ECONNRESET|socket hang up/);
    assert.equal(await service.exited, "SIGKILL", this.#name);
  }

  async finish(caller: ArtifactCaller): Promise<void> {
    const { versions } = await caller.list(this.#artifact);
    if (versions.length > 0) await this.requireVersion(caller);
    for (const step of this.#steps.slice(this.#killedIn)) await step(caller);
    // Once more, as after a lost reply.
    await this.#commit(caller);
    await this.requireVersion(caller);
  }

  async requireVersion(caller: ArtifactCaller): Promise<void> {
    const { versions } = await caller.list(this.#artifact);
    assert.deepEqual(
      versions.map(({ version }) => version),
      ["1"],
      this.#name,
    );
    const record = await caller.read(this.#artifact, "latest", { urls: "1" });
    assert.equal(record.files.length, Object.keys(files).length);
    for (const { name, url } of record.files) {
      assert.ok(files[name].equals(await fetchBytes(url)), `${this.#name}: ${name}`);
    }
  }

  get #steps(): ((caller: ArtifactCaller) => Promise<void>)[] {
    return [
      async (caller) => {
        this.#epoch = (await caller.open(this.#artifact)).epoch;
      },
      async (caller) => {
        this.#upload = await caller.begin(this.#artifact, "1", this.#epoch, files);
      },
      async () => {
        this.#sent = await sendParts(this.#upload!, files);
      },
      (caller) => this.#commit(caller),
    ];
  }

  async #commit(caller: ArtifactCaller): Promise<void> {
    const { upload } = this.#upload!;
    ok(await caller.commit(this.#artifact, upload, this.#epoch, this.#sent), 200);
  }
}

function removedIn({ removals }: GarbageReport): number {
  return removals.filter(({ state }) => state === "removed").length;
}

function requireClean({ removals, strays, objects, problems }: GarbageReport): void {
  assert.deepEqual(
    { removals, strays, objects, problems },
    { removals: [], strays: [], objects: [], problems: [] },
  );
}

/** The files of so many versions with their manifests, and no upload that is not ended. */
function requireOnly(store: S3Double, versions: number): void {
  const keys = [...store.objects(bucket).keys()];
  const expected = versions * (Object.keys(files).length + 1);
  assert.equal(keys.length, expected, keys.join("\n"));
  assert.deepEqual(
    store.uploads(bucket).map(({ key }) => key),
    [],
  );
}
