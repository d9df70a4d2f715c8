import type { OpenArtifactReply, UploadReply, VersionRecord } from "@lossless/protocol";
import { TestBucket } from "../../buckets/bucket.fixture.ts";
import type { Reader, Transaction } from "../../database/database.ts";
import type { TestNode } from "../../database/node.fixture.ts";
import type { Moment } from "../../ground/clock.ts";
import { ServiceError } from "../../ground/errors.ts";
import { newId } from "../../ground/ids.ts";
import type { StoredLocation } from "../../places/rows/locations/location.ts";
import type { Counting } from "../../database/quotas/ledger.ts";
import { readOperations, writeOperations } from "../../storage/operations.ts";
import type { Outcome, Storage, Write } from "../../storage/storage.ts";
import { Failpoints } from "./failpoints.ts";
import { Versions } from "./versions.ts";

type AnyRead = (reader: Reader, input: unknown, moment: Moment) => Promise<unknown>;
type AnyWrite = (transaction: Transaction, input: unknown, context: Counting) => Promise<unknown>;

/** The storage of one node without its threads, for tests of the walks. */
export class NodeStorage implements Storage {
  readonly #node: TestNode;

  constructor(node: TestNode) {
    this.#node = node;
  }

  async write(writes: Write[]): Promise<Outcome[]> {
    const outcomes: Outcome[] = [];
    for (const write of writes) {
      if (write.kind === "metrics") throw new Error("BUG: metrics in a test of walks");
      const operation = writeOperations[write.name] as AnyWrite;
      try {
        const value = await this.#node.write(operation, copy(write.input));
        outcomes.push({ kind: "value", value: copy(value) });
      } catch (error) {
        if (!(error instanceof ServiceError)) throw error;
        const { code, message, details } = error;
        outcomes.push({ kind: "error", code, message, details });
      }
    }
    return outcomes;
  }

  async read(name: keyof typeof readOperations, input: unknown): Promise<never> {
    const operation = readOperations[name] as AnyRead;
    return copy(await this.#node.read(operation, copy(input))) as never;
  }

  async readReply(): Promise<never> {
    throw new Error("BUG: a reply in a test of walks");
  }

  async stream(): Promise<never> {
    throw new Error("BUG: a stream in a test of walks");
  }

  async tableCsv(): Promise<never> {
    throw new Error("BUG: no file of a table is read");
  }

  async exportFile(): Promise<never> {
    throw new Error("BUG: no file of experiments is read");
  }

  async pointsCsv(): Promise<never> {
    throw new Error("BUG: a stream in a test of walks");
  }

  expectReads(): void {}

  async statistics(): Promise<Record<string, number>> {
    return {};
  }

  async [Symbol.asyncDispose](): Promise<void> {}
}

/** As between threads. */
function copy<Value>(value: Value): Value {
  return structuredClone(value);
}

/** One organization with locations in memory, and the walks of one node on them. */
export class TestWalks {
  readonly organizationId: string;
  readonly versions: Versions;
  readonly node: TestNode;
  readonly warnings: string[] = [];
  /** Buckets by location id. */
  readonly buckets: Map<string, TestBucket>;

  private constructor(
    node: TestNode,
    organizationId: string,
    buckets: Map<string, TestBucket>,
    failpoints: string,
    beginDeadlineMs?: number,
  ) {
    this.node = node;
    this.organizationId = organizationId;
    this.buckets = buckets;
    this.versions = new Versions({
      storage: new NodeStorage(node),
      buckets: { bucketOf: ({ id }) => buckets.get(id)! },
      clock: () => node.nowMs,
      warn: (message) => this.warnings.push(message),
      failpoints: new Failpoints(failpoints),
      ...(beginDeadlineMs === undefined ? {} : { beginDeadlineMs }),
    });
  }

  /** Opens an organization with one location, `aws` and `us-east-1`, which is the fallback. */
  static async open(node: TestNode, failpoints = ""): Promise<TestWalks> {
    const walks = new TestWalks(node, await node.newOrganization(), new Map(), failpoints);
    await walks.addLocation({ name: "home", cloud: "aws", region: "us-east-1", isFallback: true });
    return walks;
  }

  /** Opens another node, or a restarted process, on the same organization and buckets. */
  again(node = this.node, failpoints = "", beginDeadlineMs?: number): TestWalks {
    return new TestWalks(node, this.organizationId, this.buckets, failpoints, beginDeadlineMs);
  }

  async addLocation(
    given: Pick<StoredLocation, "name" | "cloud" | "region"> & Partial<StoredLocation>,
  ): Promise<TestBucket> {
    const id = given.id ?? newId(this.node.nowMs);
    await this.node.execute(
      `INSERT INTO location (id, organization, driver, name, cloud, region, endpoint, bucket, path, capabilities,
         is_fallback, is_default, state, created_at_ms)
       VALUES ($1, $2, 's3', $3, $4, $5, 'https://s3.test', $6, $7, '{}', $8, $9, 'active', $10)`,
      id,
      this.organizationId,
      given.name,
      given.cloud,
      given.region,
      given.bucket ?? id,
      given.path ?? "",
      given.isFallback ? 1 : 0,
      given.isDefault ? 1 : 0,
      (this.node.nowMs += 1),
    );
    const bucket = new TestBucket();
    this.buckets.set(id, bucket);
    return bucket;
  }

  get home(): TestBucket {
    return [...this.buckets.values()][0];
  }

  async open(artifact: string, mode: "latest" | "new" | "fork" = "new", source?: string) {
    const { organizationId } = this;
    const from = source === undefined ? {} : { source };
    const input = { organizationId, artifact, mode, place, ...from };
    return JSON.parse(String(await this.versions.open(input))) as OpenArtifactReply;
  }

  async begin(
    artifact: string,
    version: string,
    epoch: number,
    files: Record<string, Uint8Array>,
    more: { exclude?: string[]; metaText?: string; place?: typeof place } = {},
  ): Promise<UploadReply> {
    const text = await this.versions.begin({
      organizationId: this.organizationId,
      artifact,
      version,
      epoch,
      place,
      metaText: "{}",
      ...more,
      files: Object.entries(files).map(([name, { length }]) => ({
        name,
        size: length,
      })),
    });
    return JSON.parse(text.toString()) as UploadReply;
  }

  /** Sends every part, and returns the input of commit. */
  send(
    upload: UploadReply,
    files: Record<string, Uint8Array>,
  ): { name: string; etags: string[] }[] {
    const bucket = this.buckets.get(upload.placement.location.id)!;
    return upload.files.map(({ name, partSize, parts }) => ({
      name,
      etags: parts.map(({ url }, at) => {
        const bytes = files[name].subarray(at * partSize, (at + 1) * partSize);
        const etag = bucket.send(url, bytes);
        if (etag === undefined) throw new Error(`part ${at + 1} of ${name} was refused`);
        return etag;
      }),
    }));
  }

  commit(
    artifact: string,
    { upload }: Pick<UploadReply, "upload">,
    epoch: number,
    files: { name: string; etags: string[] }[],
  ) {
    const { organizationId } = this;
    return this.versions.commit({ organizationId, artifact, uploadId: upload, epoch, files });
  }

  resign(artifact: string, { upload }: Pick<UploadReply, "upload">, epoch: number) {
    const { organizationId } = this;
    return this.versions.resign({ organizationId, artifact, uploadId: upload, epoch });
  }

  /** Begin, send, commit. */
  async write(
    artifact: string,
    version: string,
    epoch: number,
    files: Record<string, Uint8Array>,
  ): Promise<{ version: string; committed: string }> {
    const upload = await this.begin(artifact, version, epoch, files);
    return this.commit(artifact, upload, epoch, this.send(upload, files));
  }

  async read(artifact: string, version = "latest", urls = true) {
    const { organizationId } = this;
    const input = { organizationId, artifact, version, urls, place };
    return JSON.parse(String(await this.versions.read(input))) as VersionRecord;
  }
}

export const place = { cloud: "aws", region: "us-east-1", source: "test" };
