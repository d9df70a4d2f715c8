import { createHash } from "node:crypto";
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  GetObjectCommand,
  PutObjectCommand,
  S3ServiceException,
  UploadPartCommand,
  type S3Client,
} from "@aws-sdk/client-s3";
import { getSignedUrl } from "@aws-sdk/s3-request-presigner";
import {
  callUrl,
  clientOf,
  presignGet,
  presignPart,
  tamperingClientOf,
  type Signing,
  type TamperedRequest,
} from "./sdk.ts";
import type { StoreCoordinates } from "./store.ts";

export const minPartBytes = 5 * 2 ** 20;
const body = Buffer.from("twelve bytes");
const bodyMd5 = createHash("md5").update(body).digest("hex");

/** One store under test, and what an exchange needs of it. */
export class Subject implements Disposable {
  readonly store: StoreCoordinates;
  readonly client: S3Client;
  readonly Bucket: string;
  #keys = 0;

  constructor(store: StoreCoordinates, bucket: string) {
    this.store = store;
    this.client = clientOf(store);
    this.Bucket = bucket;
  }

  [Symbol.dispose](): void {
    this.client.destroy();
  }

  /** A new key of odd characters. */
  newKey(): string {
    this.#keys += 1;
    return `dir ${this.#keys}/ünï 100% +&=.bin`;
  }

  async newUpload(Key = this.newKey()): Promise<Upload> {
    const { Bucket } = this;
    const command = new CreateMultipartUploadCommand({ Bucket, Key });
    const { UploadId = "" } = await this.client.send(command);
    return { Bucket, Key, UploadId };
  }

  /** Parts 1 to n of these sizes, and what Complete has to list for them. */
  async newParts(upload: Upload, ...sizes: number[]): Promise<ListedPart[]> {
    const listed = [];
    for (const [index, sizeBytes] of sizes.entries()) {
      const PartNumber = index + 1;
      const Body = Buffer.alloc(sizeBytes, PartNumber);
      const reply = await callUrl(
        await presignPart(this.client, { ...upload, PartNumber }),
        "PUT",
        Body,
      );
      if (reply.status !== 200) throw new Error(`part ${PartNumber}: ${reply.status}`);
      listed.push({ PartNumber, ETag: reply.headers.etag ?? "" });
    }
    return listed;
  }

  /** The answer to Complete with a list that is chosen from the parts of these sizes. */
  async complete(
    sizes: number[],
    choose: (parts: ListedPart[]) => ListedPart[],
    times = 1,
  ): Promise<number> {
    const upload = await this.newUpload();
    const Parts = choose(await this.newParts(upload, ...sizes));
    const command = () =>
      new CompleteMultipartUploadCommand({ ...upload, MultipartUpload: { Parts } });
    for (let n = 1; n < times; n += 1) await this.client.send(command());
    return statusOf(this.client.send(command()));
  }

  /** A stored object of twelve bytes. */
  async newObject(): Promise<{ Bucket: string; Key: string }> {
    const object = { Bucket: this.Bucket, Key: this.newKey() };
    await this.client.send(new PutObjectCommand({ ...object, Body: body }));
    return object;
  }

  /** A part's URL with the length of `body` signed, altered, and then used with `sent`. */
  async part(
    alter: (url: string) => string = (url) => url,
    { sent = body, signing = {}, method = "PUT", headers = {} }: PartUse = {},
  ): Promise<number> {
    const part = { ...(await this.newUpload()), PartNumber: 1, ContentLength: body.length };
    const url = await presignPart(this.client, part, signing);
    const altered = alter(url);
    return (await callUrl(altered, method, method === "PUT" ? sent : undefined, headers)).status;
  }
}

export interface Upload {
  Bucket: string;
  Key: string;
  UploadId: string;
}

export interface ListedPart {
  PartNumber: number;
  ETag: string;
}

interface PartUse {
  sent?: Buffer;
  signing?: Signing;
  method?: string;
  headers?: Record<string, string>;
}

/** A text that must be in the URL is replaced: an alteration of nothing would prove nothing. */
function altering(from: RegExp, to: string): (url: string) => string {
  return (url) => {
    const altered = url.replace(from, to);
    if (altered === url) throw new Error(`nothing to alter in ${url}`);
    return altered;
  };
}

async function statusOf(promise: Promise<{ $metadata: { httpStatusCode?: number } }>) {
  try {
    return (await promise).$metadata.httpStatusCode ?? 0;
  } catch (error) {
    if (error instanceof S3ServiceException) return error.$metadata.httpStatusCode ?? 0;
    throw error;
  }
}

async function get(
  { client }: Subject,
  object: { Bucket: string; Key: string },
  headers: Record<string, string> = {},
): Promise<number> {
  return (await callUrl(await presignGet(client, object), "GET", undefined, headers)).status;
}

async function put(s: Subject, alter: (request: TamperedRequest) => void): Promise<number> {
  const object = { Bucket: s.Bucket, Key: s.newKey(), Body: body, Metadata: { a: "1" } };
  const client = tamperingClientOf(s.store, alter);
  const status = await statusOf(client.send(new PutObjectCommand(object)));
  client.destroy();
  return status;
}

async function partNumbered(s: Subject, PartNumber: number, to?: Upload): Promise<number> {
  const part = { ...(to ?? (await s.newUpload())), PartNumber };
  return (await callUrl(await presignPart(s.client, part), "PUT", body)).status;
}

async function partSignedBy(s: Subject, credentials: Partial<StoreCoordinates>): Promise<number> {
  const part = { ...(await s.newUpload()), PartNumber: 1 };
  const url = await presignPart(clientOf({ ...s.store, ...credentials }), part);
  return (await callUrl(url, "PUT", body)).status;
}

/** One exchange with a store; returns the status of its last request. */
export type Exchange = (subject: Subject) => Promise<number>;

const hourMs = 3_600_000;

/** Requests as they should be. */
export const validExchanges: Record<string, Exchange> = {
  "PutObject and GetObject": async (s) =>
    statusOf(s.client.send(new GetObjectCommand(await s.newObject()))),
  "a presigned part": (s) => s.part(),
  "a presigned part of a URL signed ten minutes ahead of the store's clock": (s) =>
    s.part(undefined, { signing: { signedAtMs: Date.now() + 600_000 } }),
  "a presigned part of a URL signed for a week": (s) =>
    s.part(undefined, { signing: { expiresSeconds: 604_800 } }),
  "a presigned GetObject": async (s) => get(s, await s.newObject()),
  "a presigned GetObject with a range": async (s) =>
    get(s, await s.newObject(), { range: "bytes=2-3" }),
  "a range behind the end": async (s) => get(s, await s.newObject(), { range: "bytes=12-" }),
  "a presigned GetObject of nothing": (s) => get(s, { Bucket: s.Bucket, Key: s.newKey() }),
  "If-None-Match with the object's ETag": async (s) =>
    get(s, await s.newObject(), { "if-none-match": `"${bodyMd5}"` }),
  "If-Match with another ETag": async (s) =>
    get(s, await s.newObject(), { "if-match": '"0123456789abcdef0123456789abcdef"' }),
  "Complete with two parts": (s) => s.complete([minPartBytes, 1], (parts) => parts),
  "Complete a second time": (s) => s.complete([1], (parts) => parts, 2),
  "Complete with one empty part": (s) => s.complete([0], (parts) => parts),
  "Complete with ETags without quotes": (s) =>
    s.complete([1], (parts) =>
      parts.map((part) => ({ ...part, ETag: part.ETag.replaceAll('"', "") })),
    ),
  "Complete with some of the parts": (s) =>
    s.complete([minPartBytes, 1], (parts) => parts.slice(0, 1)),
  "part 1001": (s) => partNumbered(s, 1_001),
  "part 10000": (s) => partNumbered(s, 10_000),
};

/** Requests that no store may do, though some stores do some of them. */
export const wrongExchanges: Record<string, Exchange> = {
  "a URL signed with another secret": (s) => partSignedBy(s, { secretAccessKey: "guessed" }),
  "an unknown access key": (s) => partSignedBy(s, { accessKeyId: "AKNOBODY" }),
  "another part number": (s) => s.part(altering(/partNumber=1/, "partNumber=2")),
  "another key": (s) => s.part(altering(/\/dir/, "/dis")),
  "another upload": (s) => s.part(altering(/uploadId=/, "uploadId=x")),
  "no signature": (s) => s.part(altering(/&X-Amz-Signature=\w+/, "")),
  "a signature of zeros": (s) =>
    s.part(altering(/X-Amz-Signature=\w+/, `X-Amz-Signature=${"0".repeat(64)}`)),
  "no query at all": (s) => s.part(altering(/\?.*/, "")),
  "GET with a URL for PUT": (s) => s.part(undefined, { method: "GET" }),
  "DELETE with a URL for PUT": (s) => s.part(undefined, { method: "DELETE" }),
  "HEAD with a URL for GET": async (s) => {
    const url = await presignGet(s.client, await s.newObject());
    return (await callUrl(url, "HEAD")).status;
  },
  "an expired URL": (s) => s.part(undefined, { signing: { signedAtMs: Date.now() - 2 * hourMs } }),
  "an expired URL with a later expiry written in": (s) =>
    s.part(altering(/X-Amz-Expires=3600/, "X-Amz-Expires=86400"), {
      signing: { signedAtMs: Date.now() - 2 * hourMs },
    }),
  "a URL signed an hour ahead": (s) =>
    s.part(undefined, { signing: { signedAtMs: Date.now() + hourMs } }),
  "a URL with an unsigned parameter more": (s) => s.part((url) => `${url}&x-id=Other`),
  "a URL with an unsigned x-amz header": (s) =>
    s.part(undefined, { headers: { "x-amz-meta-more": "1" } }),
  "a URL used at another host name": (s) => s.part(undefined, { headers: { host: "elsewhere" } }),
  "a longer body than was signed": (s) => s.part(undefined, { sent: Buffer.from("thirteen byte") }),
  "a shorter body than was signed": (s) => s.part(undefined, { sent: Buffer.from("eleven byte") }),
  "a body in chunks in place of the signed length": async (s) => {
    const part = { ...(await s.newUpload()), PartNumber: 1, ContentLength: body.length };
    const stream = new Blob([body]).stream();
    const url = await presignPart(s.client, part);
    return (await fetch(url, { method: "PUT", body: stream, duplex: "half" })).status;
  },
  "another body than the signed Content-MD5": async (s) => {
    const ContentMD5 = "AAAAAAAAAAAAAAAAAAAAAA==";
    const part = { ...(await s.newUpload()), PartNumber: 1, ContentMD5 };
    const url = await getSignedUrl(s.client, new UploadPartCommand(part), {
      signableHeaders: new Set(["host", "content-md5"]),
    });
    return (await callUrl(url, "PUT", body, { "content-md5": ContentMD5 })).status;
  },
  "a dotted path that fetch collapses": async (s) => {
    const Key = "dd/../outside";
    await s.client.send(new PutObjectCommand({ Bucket: s.Bucket, Key, Body: body }));
    return (await fetch(await presignGet(s.client, { Bucket: s.Bucket, Key }))).status;
  },
  "a signed header altered": (s) => put(s, (r) => (r.headers["x-amz-meta-a"] = "2")),
  "the path of a header-signed request altered": (s) =>
    put(s, (r) => (r.path = r.path.replace("/dir", "/dis"))),
  "another payload than was hashed": (s) => put(s, (r) => (r.body = Buffer.from("TWELVE BYTES"))),
  "the payload's hash left out": (s) =>
    put(s, (r) => (r.headers["x-amz-content-sha256"] = "UNSIGNED-PAYLOAD")),
  "a header-signed request without its authorization": (s) =>
    put(s, (r) => delete r.headers["authorization"]),
  "a clock that is 20 minutes wrong": async (s) => {
    const client = clientOf(s.store, { systemClockOffset: 20 * 60_000 });
    const status = await statusOf(client.send(new GetObjectCommand(await s.newObject())));
    client.destroy();
    return status;
  },
  "Complete with no part": (s) => s.complete([1], () => []),
  "Complete with a wrong ETag": (s) =>
    s.complete([1], ([part]) => [{ ...part, ETag: `"${"0".repeat(32)}"` }]),
  "Complete with a part that was never sent": (s) =>
    s.complete([minPartBytes], ([part]) => [part, { ...part, PartNumber: 2 }]),
  "Complete with parts in the wrong order": (s) =>
    s.complete([minPartBytes, minPartBytes], (parts) => parts.reverse()),
  "Complete with the same part twice": (s) => s.complete([minPartBytes], ([part]) => [part, part]),
  "Complete with a small part before the last": (s) => s.complete([1, 1], (parts) => parts),
  "a part of an aborted upload": async (s) => {
    const upload = await s.newUpload();
    await s.client.send(new AbortMultipartUploadCommand(upload));
    return partNumbered(s, 1, upload);
  },
  "Complete of an aborted upload": async (s) => {
    const upload = await s.newUpload();
    const Parts = await s.newParts(upload, 1);
    await s.client.send(new AbortMultipartUploadCommand(upload));
    const complete = { ...upload, MultipartUpload: { Parts } };
    return statusOf(s.client.send(new CompleteMultipartUploadCommand(complete)));
  },
  "part 0": (s) => partNumbered(s, 0),
  "part 10001": (s) => partNumbered(s, 10_001),
};
