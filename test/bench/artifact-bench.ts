import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { organizations } from "../service.ts";
import { S3Double } from "../stores/s3-double.ts";
import type { S3Store } from "../stores/store.ts";
import { Child, load } from "./child.ts";
import { Connection } from "./connection.ts";
import { newFileSyncMs, syncsMs } from "./floors.ts";
import { cpuSeconds, median, percentile, residentMebibytes, restartPeak } from "./measure.ts";
import { partBytes, RawBucket, RawDirectory, type RawStore } from "./raw-store.ts";
import { linkFiles, makeFile } from "./source-files.ts";
import { StoreCalls } from "./store-calls.ts";
import { Subject } from "./subject.ts";
import { transferRows } from "./transfer-rows.ts";
import type { Push, Transferred } from "./transfers.ts";
import { type VersionLatency, VersionWriter } from "./version-writer.ts";
import { type Experiment, RequestWriter, workloads } from "./workload.ts";

export interface ArtifactBenchOptions {
  /** Counts the files that eight clients push; every other transfer takes a quarter of them. */
  mebibytes: number;
  /** A real store, to be measured too. */
  store: S3Store | undefined;
  set(name: string, value: number): void;
}

const rounds = 3;
/** The client adds one with their checksums: 5,000 are the limit of a version. */
const smallFiles = 4_999;
const versions = 200;
const warmUpVersions = 30;
const clients = 8;
const ingestEvents = 40_000;
/** A version of one file takes these fsyncs, its part's not counted: 2 in begin, 7 in commit. */
const builtInSyncs = 9;

const bucket = "bench";
const { key: apiKey } = organizations.acme;

/** Artifacts: transfers, signing, latencies, memory, beside the floors of the same run. */
export class ArtifactBench implements Disposable {
  readonly #options: ArtifactBenchOptions;
  readonly #generator: Child;
  readonly #transfers = new Child("transfers.ts");
  readonly #directory = mkdtempSync(join(tmpdir(), "lossless-bench-artifacts-"));

  private constructor(options: ArtifactBenchOptions, generator: Child) {
    this.#options = options;
    this.#generator = generator;
  }

  static async run(options: ArtifactBenchOptions, generator: Child): Promise<void> {
    using bench = new ArtifactBench(options, generator);
    bench.#makeSource();
    await bench.#builtIn();
    {
      await using double = await S3Double.start({ buckets: [bucket] });
      await using subject = await bench.#onStore(double);
      await bench.#signing(subject, "S3 ");
      await bench.#storeLatency(subject, double);
    }
    if (options.store !== undefined) await bench.#realStore(options.store);
  }

  [Symbol.dispose](): void {
    this.#transfers[Symbol.dispose]();
    rmSync(this.#directory, { recursive: true, force: true });
  }

  get #records(): string {
    return join(this.#directory, "records");
  }

  async #builtIn(): Promise<void> {
    await using subject = await Subject.start();
    await this.#memory(subject);
    await this.#signing(subject, "built-in ");
    await this.#latency(subject);
    await using raw = await RawDirectory.start(join(this.#directory, "raw"));
    await this.#transferred(subject, "", raw);
    await this.#manyFiles(subject, raw);
    await this.#ingestBeside(subject);
  }

  async #realStore(store: S3Store): Promise<void> {
    await store.createBucket(bucket);
    await using subject = await this.#onStore(store);
    await this.#storeLatency(subject, store);
    await using raw = new RawBucket(store, bucket);
    await this.#transferred(subject, `${store.name} `, raw);
  }

  #onStore(store: S3Store): Promise<Subject> {
    const { endpoint, region, pathStyle, accessKeyId, secretAccessKey } = store;
    const signing = { signingRegion: region, pathStyle, accessKeyId, secretAccessKey };
    const place = { cloud: "bench", region: "bench", fallback: true };
    const location = { kind: "s3", endpoint, bucket, path: "", ...signing, ...place };
    return Subject.start({ locations: [location], allowPrivate: ["127.0.0.0/8"] });
  }

  /** A directory with one file for each client. */
  #makeSource(): void {
    for (let number = 0; number < clients; number++) {
      mkdirSync(this.#sourceOf(number), { recursive: true });
      makeFile(join(this.#sourceOf(number), "model.bin"), this.#clientBytes);
    }
  }

  #sourceOf(client: number): string {
    return join(this.#directory, "source", `${client}`);
  }

  get #clientBytes(): number {
    return (this.#options.mebibytes / clients) * 2 ** 20;
  }

  /** A quarter of the source in each transfer: there are many of them. */
  async #transferred(
    { service: { baseUrl, processId } }: Subject,
    name: string,
    raw: RawStore,
  ): Promise<void> {
    const scratch = mkdtempSync(join(this.#directory, "scratch-"));
    const directory = join(scratch, "source");
    const paths = [0, 1].map((number) => join(this.#sourceOf(number), "model.bin"));
    const source = { directory, files: linkFiles(directory, paths, this.#clientBytes) };
    const account = { baseUrl, apiKey };
    const subject = { name, account, processId, raw, source, scratch, rounds };
    await transferRows(this.#transfers, subject, this.#options.set);
    rmSync(scratch, { recursive: true });
  }

  #transfer(order: Parameters<Child["send"]>[0]): Promise<Transferred> {
    this.#transfers.send(order);
    return this.#transfers.next<Transferred>();
  }

  #pushes(word: string): Push[] {
    return Array.from({ length: clients }, (_, number) => {
      return { artifact: `${word}/${number}`, path: this.#sourceOf(number) };
    });
  }

  /** Measures the memory that the first uploads add to a fresh service. */
  async #memory({ service: { baseUrl, processId } }: Subject): Promise<void> {
    const before = residentMebibytes(processId);
    restartPeak(processId);
    const account = { baseUrl, apiKey };
    const pushes = this.#pushes("memory");
    const recordDirectory = this.#records;
    const { seconds } = await this.#transfer({ kind: "push", account, pushes, recordDirectory });
    this.#options.set("8 clients MiB/s", this.#options.mebibytes / seconds);
    this.#options.set("8 clients RSS MiB", residentMebibytes(processId, "VmHWM") - before);
  }

  /** CPU of the service for 10,000 parts: nothing of them is ever sent. */
  async #signing({ service: { baseUrl, processId } }: Subject, name: string): Promise<void> {
    using writer = await VersionWriter.open(baseUrl, apiKey, "signing");
    const size = 1_000 * partBytes;
    const files = Array.from({ length: 10 }, (_, number) => ({ name: `${number}.bin`, size }));
    const { upload } = await writer.begin("0", files);
    const cpuMs = async (work: (round: number) => Promise<unknown>): Promise<number> => {
      const count = 5;
      const before = cpuSeconds(processId);
      for (let round = 1; round <= count; round++) await work(round);
      return ((cpuSeconds(processId) - before) / count) * 1_000;
    };
    const { set } = this.#options;
    set(`${name}resign CPU ms`, await cpuMs(() => writer.resign(upload)));
    set(`${name}begin CPU ms`, await cpuMs((round) => writer.begin(`${round}`, files)));
  }

  /** Versions of one part, and what their commits and syncs alone take. */
  async #latency(subject: Subject): Promise<void> {
    const place = mkdtempSync(join(this.#directory, "syncs-"));
    const syncs = async (version: string): Promise<number> => newFileSyncMs(join(place, version));
    const { versionMs, commitsMs, floorMs } = await this.#versions(subject, "", syncs);
    this.#options.set("sync of a new file p50 ms", floorMs);
    const leastMs = commitsMs + builtInSyncs * floorMs;
    this.#options.set("begin and commit / its floor", versionMs / leastMs);
  }

  /** The same on a store, beside the calls of a version made bare. */
  async #storeLatency(subject: Subject, store: S3Store): Promise<void> {
    const name = `${store.name} `;
    using calls = new StoreCalls(store, bucket);
    const bare = (version: string): Promise<number> => calls.versionMs(version);
    const { versionMs, commitsMs, floorMs } = await this.#versions(subject, name, bare);
    this.#options.set(`${name}bare calls of a version p50 ms`, floorMs);
    const ratio = versionMs / (commitsMs + floorMs);
    this.#options.set(`${name}begin and commit / its floor`, ratio);
  }

  /** In turns: a version, a request of a quiet writer of metrics (one commit), a floor. */
  async #versions(
    subject: Subject,
    name: string,
    floor: (version: string) => Promise<number>,
  ): Promise<{ versionMs: number; commitsMs: number; floorMs: number }> {
    using writer = await VersionWriter.open(subject.service.baseUrl, apiKey, "latency");
    using quiet = await QuietWriter.open(subject);
    const latencies: VersionLatency[] = [];
    const commitMs: number[] = [];
    const floorMs: number[] = [];
    let transactions = 0;
    for (let number = 0; number < warmUpVersions + versions; number++) {
      const version = `${number}`.padStart(12, "0");
      const before = await commitsOf(subject);
      const latency = await writer.write(version);
      const between = await commitsOf(subject);
      await quiet.send();
      const after = await commitsOf(subject);
      const leastMs = await floor(version);
      if (number < warmUpVersions) continue;
      transactions += between.count - before.count;
      commitMs.push((1_000 * (after.seconds - between.seconds)) / (after.count - between.count));
      latencies.push(latency);
      floorMs.push(leastMs);
    }
    transactions /= versions;
    const { set } = this.#options;
    const begins = latencies.map(({ beginMs }) => beginMs);
    const commits = latencies.map(({ commitMs: ms }) => ms);
    const sums = latencies.map(({ beginMs, commitMs: ms }) => beginMs + ms);
    const kinds = [
      ["begin", begins],
      ["commit", commits],
      ["begin and commit", sums],
    ] as const;
    for (const [kind, times] of kinds) {
      set(`${name}${kind} p50 ms`, median(times));
      set(`${name}${kind} p99 ms`, percentile(times, 99));
    }
    set(`${name}transactions of a version`, transactions);
    set(`${name}commit of a quiet writer p50 ms`, median(commitMs));
    const commitsMs = transactions * median(commitMs);
    return { versionMs: median(sums), commitsMs, floorMs: median(floorMs) };
  }

  async #manyFiles({ service: { baseUrl } }: Subject, raw: RawDirectory): Promise<void> {
    const directory = join(this.#directory, "many");
    mkdirSync(directory);
    const files = Array.from({ length: smallFiles }, (_, number) => {
      const name = `${number}.bin`;
      const path = join(directory, name);
      makeFile(path, 1_024);
      return { name, path, bytes: 1_024 };
    });
    const account = { baseUrl, apiKey };
    const recordDirectory = this.#records;
    const seconds: number[] = [];
    const rawSeconds: number[] = [];
    for (let round = 0; round < rounds; round++) {
      const requests = await raw.puts(files);
      rawSeconds.push((await this.#transfer({ kind: "raw put", requests })).seconds);
      const pushes = [{ artifact: `many/${round}`, path: directory }];
      const order = { kind: "push", account, pushes, recordDirectory } as const;
      seconds.push((await this.#transfer(order)).seconds);
    }
    const { set } = this.#options;
    set("raw put of 5,000 files s", median(rawSeconds));
    set("push of 5,000 files s", median(seconds));
    const shares = seconds.map((second, round) => rawSeconds[round] / second);
    set("push of 5,000 files / raw store", median(shares));
    const pulled = join(this.#directory, "many pulled");
    const artifact = "many/0";
    const pull = { kind: "pull", account, artifact, directory: pulled, verify: true } as const;
    set("pull of 5,000 files s", (await this.#transfer(pull)).seconds);
  }

  /** Measures metrics beside uploads, and a bare sync beside them on the same disk. */
  async #ingestBeside(subject: Subject): Promise<void> {
    const { baseUrl } = subject.service;
    const account = { baseUrl, apiKey };
    const experiments = await subject.open(clients, "beside");
    const p99s = async (key: string): Promise<{ ingestMs: number; syncMs: number }> => {
      const identifiers = "random";
      const more = { values: "noise", repeats: 0, connections: clients, key } as const;
      const order = { baseUrl, experiments, workload: "W2", identifiers, ...more } as const;
      const ingest = load(this.#generator, { ...order, events: ingestEvents }, () => 0);
      const [{ latenciesMs }, syncs] = await Promise.all([
        ingest,
        syncsMs(join(this.#directory, "syncs"), ingest),
      ]);
      return { ingestMs: percentile(latenciesMs, 99), syncMs: percentile(syncs, 99) };
    };
    const alone: number[] = [];
    const beside: number[] = [];
    const syncBeside: number[] = [];
    for (let round = 0; round < rounds; round++) {
      alone.push((await p99s("alone")).ingestMs);
      const pushes = this.#pushes("beside");
      this.#transfers.send({ kind: "push on", account, pushes, recordDirectory: this.#records });
      await sleep(1_000);
      const { ingestMs, syncMs } = await p99s("beside");
      await this.#transfer("stop");
      beside.push(ingestMs);
      syncBeside.push(syncMs);
    }
    const { set } = this.#options;
    set("ingest p99 ms", median(alone));
    set("ingest p99 ms beside uploads", median(beside));
    set("sync p99 ms beside uploads", median(syncBeside));
    const ratio = (floors: number[]): number =>
      median(beside.map((ms, round) => ms / floors[round]));
    set("ingest p99 beside uploads / alone", ratio(alone));
    set("ingest p99 / sync p99, beside uploads", ratio(syncBeside));
  }
}

/** The writer thread's commits since the service began. */
async function commitsOf({ figures }: Subject): Promise<{ count: number; seconds: number }> {
  const value = (word: string): Promise<number> =>
    figures.value(`lossless_storage_commit_seconds_${word}`);
  return { count: await value("count"), seconds: await value("sum") };
}

/** Sends a small request of metrics now and then, and waits for its commit. */
class QuietWriter implements Disposable {
  readonly #connection: Connection;
  readonly #requests: RequestWriter;
  readonly #host: string;

  private constructor(baseUrl: string, experiment: Experiment) {
    this.#connection = new Connection(baseUrl);
    this.#requests = new RequestWriter(workloads.W2, experiment, "random", "noise");
    this.#host = new URL(baseUrl).host;
  }

  static async open(subject: Subject): Promise<QuietWriter> {
    const [experiment] = await subject.open(1, "quiet");
    return new QuietWriter(subject.service.baseUrl, experiment);
  }

  async send(): Promise<void> {
    await this.#connection.send(this.#requests.next(this.#host));
  }

  [Symbol.dispose](): void {
    this.#connection.close();
  }
}
