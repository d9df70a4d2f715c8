import assert from "node:assert/strict";
import type { ArtifactBucket, CompletedPart, SignedRequest, StoreUpload } from "./bucket.ts";
import type { OpenBucket } from "./conformance.fixture.ts";
import { sendTo, type SentReply } from "./requests.fixture.ts";

export type OpenArtifacts = () => Promise<OpenBucket<ArtifactBucket>>;

export const lifetimeMs = 600_000;
export const key = "organization/upload/1";

export function begin(bucket: ArtifactBucket, file = key): Promise<StoreUpload> {
  return bucket.startUpload(file).then((storeUpload) => ({ key: file, storeUpload }));
}

export async function addressesOf(
  bucket: ArtifactBucket,
  upload: StoreUpload,
  parts: { number: number; sizeBytes: number }[],
) {
  const wanted = parts.map((part) => ({ ...upload, ...part }));
  return (await bucket.signParts(wanted, lifetimeMs)).addresses;
}

export async function put({ url, headers }: SignedRequest, body: Uint8Array): Promise<SentReply> {
  const reply = await sendTo(url, "PUT", headers, body);
  assert.ok(reply.status === 200 || reply.status === 201, reply.body.toString());
  return reply;
}

export async function sendPart(
  bucket: ArtifactBucket,
  upload: StoreUpload,
  number: number,
  body: Uint8Array,
): Promise<CompletedPart> {
  const parts = [{ number, sizeBytes: body.byteLength }];
  const [address] = await addressesOf(bucket, upload, parts);
  return { number, etag: etagOf(await put(address, body)) };
}

/** Empty where a part has none (Azure); other stores then take no part for complete. */
export function etagOf({ headers }: SentReply): string {
  return headers.etag ?? "";
}

export async function uploadsOf(bucket: ArtifactBucket, prefix: string): Promise<string[]> {
  return (await Array.fromAsync(bucket.listUploads(prefix), (one) => one.key)).sort();
}

/** Keys of each kind that some store, parser or encoder is known to mishandle. */
export const readableKeys = [
  "acme/run 7/model.bin",
  "acme/Ünïcödé/模型/🙂.safetensors",
  "acme/nfc/\u00e9",
  "acme/nfd/e\u0301",
  "acme/percent/100%/a%2Fb/%41",
  "acme/plus/a+b c",
  "acme/signs/!*'()[]{}^`|~@$&=;:,<>\"",
  "acme/query/a?b=c&d#e",
  "acme/ leading and trailing ",
  "acme/dots/.../..a/a../.hidden",
  "acme/xml/&amp;<Key>]]>",
  "acme/UPPER/Case and case",
  `acme/long/${"x".repeat(250)}/${"ü".repeat(300)}`,
];
