import {
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  ListPartsCommand,
} from "@aws-sdk/client-s3";
import { mkdirSync, rmSync } from "node:fs";
import { clientOf, presignGet, presignPart } from "../stores/sdk.ts";
import type { S3Store } from "../stores/store.ts";
import { Child } from "./child.ts";
import type { RawRequest } from "./raw-transfers.ts";

export const partBytes = 8 * 1_048_576;

/** A file that goes to a store in parts. */
export interface LocalFile {
  name: string;
  path: string;
  bytes: number;
}

/** A store used without the service in between: the floor of pushes and pulls. */
export interface RawStore extends AsyncDisposable {
  /** Where its CPU time is counted; undefined: it is not ours to count. */
  readonly processId: number | undefined;
  /** Where the parts of new objects go. */
  puts(files: readonly LocalFile[]): Promise<RawRequest[]>;
  /** Where the same parts come from, after they were put. */
  gets(files: readonly LocalFile[]): Promise<RawRequest[]>;
}

/** A bare server and its directory. */
export class RawDirectory implements RawStore {
  readonly #directory: string;
  readonly #server: Child;
  readonly #baseUrl: string;

  private constructor(directory: string, server: Child, baseUrl: string) {
    this.#directory = directory;
    this.#server = server;
    this.#baseUrl = baseUrl;
  }

  static async start(directory: string): Promise<RawDirectory> {
    const server = new Child("raw-store-server.ts", [directory]);
    return new RawDirectory(directory, server, await server.next<string>());
  }

  get processId(): number {
    return this.#server.processId;
  }

  async puts(files: readonly LocalFile[]): Promise<RawRequest[]> {
    rmSync(this.#directory, { recursive: true, force: true });
    mkdirSync(this.#directory, { recursive: true });
    return this.gets(files);
  }

  async gets(files: readonly LocalFile[]): Promise<RawRequest[]> {
    return files.flatMap((file, number) =>
      partsOf(file).map(({ start, length }) => {
        const url = `${this.#baseUrl}/${number}-${start}`;
        return { url, headers: {}, path: file.path, start, length };
      }),
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server[Symbol.dispose]();
    rmSync(this.#directory, { recursive: true, force: true });
  }
}

interface RawUpload {
  Bucket: string;
  Key: string;
  UploadId: string;
  isComplete: boolean;
}

/** A bucket of a store, by addresses that are signed beforehand. */
export class RawBucket implements RawStore {
  readonly processId = undefined;
  readonly #client: ReturnType<typeof clientOf>;
  readonly #bucket: string;
  #uploads: RawUpload[] = [];
  #round = 0;

  constructor(store: S3Store, bucket: string) {
    this.#client = clientOf(store);
    this.#bucket = bucket;
  }

  async puts(files: readonly LocalFile[]): Promise<RawRequest[]> {
    this.#uploads = [];
    this.#round++;
    const requests: RawRequest[] = [];
    for (const file of files) {
      const name = { Bucket: this.#bucket, Key: `raw/${this.#round}/${file.name}` };
      const { UploadId } = await this.#client.send(new CreateMultipartUploadCommand(name));
      const upload = { ...name, UploadId: UploadId!, isComplete: false };
      this.#uploads.push(upload);
      for (const [index, { start, length }] of partsOf(file).entries()) {
        const part = { ...upload, PartNumber: index + 1, ContentLength: length };
        const url = await presignPart(this.#client, part);
        requests.push({ url, headers: {}, path: file.path, start, length });
      }
    }
    return requests;
  }

  async gets(files: readonly LocalFile[]): Promise<RawRequest[]> {
    const requests: RawRequest[] = [];
    for (const [index, upload] of this.#uploads.entries()) {
      await this.#complete(upload);
      const url = await presignGet(this.#client, upload);
      for (const { start, length } of partsOf(files[index])) {
        const headers = { range: `bytes=${start}-${start + length - 1}` };
        requests.push({ url, headers, path: files[index].path, start, length });
      }
    }
    return requests;
  }

  async #complete(upload: RawUpload): Promise<void> {
    if (upload.isComplete) return;
    const { Parts } = await this.#client.send(new ListPartsCommand(upload));
    const whole = { ...upload, MultipartUpload: { Parts } };
    await this.#client.send(new CompleteMultipartUploadCommand(whole));
    upload.isComplete = true;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#client.destroy();
  }
}

function partsOf({ bytes }: LocalFile): { start: number; length: number }[] {
  return Array.from({ length: Math.ceil(bytes / partBytes) }, (_, number) => {
    const start = number * partBytes;
    return { start, length: Math.min(partBytes, bytes - start) };
  });
}
