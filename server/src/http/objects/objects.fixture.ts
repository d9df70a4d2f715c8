import assert from "node:assert/strict";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { BuiltInBucket } from "../../buckets/built-in/bucket.ts";
import { BuiltInObjects } from "../../places/stores/signed-objects.ts";
import { testService, type TestService } from "../storage.fixture.ts";

export const key = "org/upload/1";
const hourMs = 3_600_000;

/** The HTTP server on a built-in bucket; uploads are in the state that the test says. */
export class TestObjects implements AsyncDisposable {
  readonly service: TestService;
  readonly directory: string;
  readonly bucket: BuiltInBucket;
  /** Added to the clock. */
  aheadMs = 0;
  uploadState: string | null = "pending";

  private constructor(service: TestService, directory: string, diskReserveBytes: number) {
    this.service = service;
    this.directory = directory;
    this.bucket = new BuiltInBucket({
      directory,
      signingKey: new Uint8Array(32).fill(1),
      baseUrl: () => this.origin,
      diskReserveBytes,
      clock: () => Date.now() + this.aheadMs,
    });
    service.storage.onRead = (name) => (name === "upload.state" ? this.uploadState : undefined);
    const objects = new BuiltInObjects(this.bucket, service.storage, service.context.log);
    const services = { ...service.state.served(), objects };
    const { issuer, identityProviders } = services;
    service.state.serve(service.storage, new Uint32Array(4), services, issuer, identityProviders);
    Object.assign(service.context, { baseUrl: () => this.origin });
  }

  static async new(
    options: Parameters<typeof testService>[0] = {},
    diskReserveBytes = 0,
  ): Promise<TestObjects> {
    const service = testService(options);
    await service.app.listen({ host: "127.0.0.1", port: 0 });
    return new TestObjects(service, await mkdtemp(join(tmpdir(), "objects-")), diskReserveBytes);
  }

  get port(): number {
    return (this.service.app.server.address() as AddressInfo).port;
  }

  get origin(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  async partUrl(sizeBytes: number, number = 1): Promise<{ url: string; upload: Upload }> {
    const upload = { key, storeUpload: await this.bucket.startUpload(key) };
    const { addresses } = await this.bucket.signParts([{ ...upload, number, sizeBytes }], hourMs);
    return { url: addresses[0].url, upload };
  }

  async readUrl(name = key): Promise<string> {
    return (await this.bucket.signReads([{ key: name }], hourMs)).addresses[0];
  }

  /** Stores an object through the front door. */
  async store(content: Buffer): Promise<string> {
    const { url, upload } = await this.partUrl(content.length);
    const reply = await fetch(url, { method: "PUT", body: content });
    assert.equal(reply.status, 200);
    await this.bucket.complete(upload, [{ number: 1, etag: reply.headers.get("etag") ?? "" }]);
    return this.readUrl();
  }

  async files(): Promise<string[]> {
    const entries = await readdir(this.directory, { recursive: true, withFileTypes: true });
    return entries.filter((one) => one.isFile()).map((one) => join(one.parentPath, one.name));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.service.app.server.closeAllConnections();
    await this.service.app.close();
    await rm(this.directory, { recursive: true });
  }
}

export interface Upload {
  key: string;
  storeUpload: string;
}
