import {
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  HeadObjectCommand,
  ListPartsCommand,
  PutObjectCommand,
  UploadPartCommand,
} from "@aws-sdk/client-s3";
import { clientOf } from "../stores/sdk.ts";
import type { S3Store } from "../stores/store.ts";

/** The calls to a store that a version of one part cannot do without, made bare. */
export class StoreCalls implements Disposable {
  readonly #client: ReturnType<typeof clientOf>;
  readonly #bucket: string;

  constructor(store: S3Store, bucket: string) {
    this.#client = clientOf(store);
    this.#bucket = bucket;
  }

  /**
   * One after the other: the upload begun; its parts listed, completed, the object looked at; the
   * manifest looked for and put. Gives milliseconds, those of sending the part not counted.
   */
  async versionMs(name: string): Promise<number> {
    const client = this.#client;
    const object = { Bucket: this.#bucket, Key: `bare/${name}` };
    const startedMs = performance.now();
    const { UploadId } = await client.send(new CreateMultipartUploadCommand(object));
    const begunMs = performance.now();
    const upload = { ...object, UploadId };
    await client.send(new UploadPartCommand({ ...upload, PartNumber: 1, Body: "bytes" }));
    const sentMs = performance.now();
    const { Parts } = await client.send(new ListPartsCommand(upload));
    const whole = { ...upload, MultipartUpload: { Parts } };
    await client.send(new CompleteMultipartUploadCommand(whole));
    await client.send(new HeadObjectCommand(object));
    const manifest = { ...object, Key: `bare/${name} manifest` };
    await client.send(new HeadObjectCommand(manifest)).catch(() => undefined);
    await client.send(new PutObjectCommand({ ...manifest, Body: "{}" }));
    return performance.now() - sentMs + begunMs - startedMs;
  }

  [Symbol.dispose](): void {
    this.#client.destroy();
  }
}
