import assert from "node:assert/strict";
import { test } from "node:test";
import { GetObjectCommand, S3Client, UploadPartCommand } from "@aws-sdk/client-s3";
import { getSignedUrl } from "@aws-sdk/s3-request-presigner";
import fc from "fast-check";
import { attachmentOf } from "../../ground/attachment.ts";
import { AddressSigner, requestToRead, type SigningSettings } from "./sigv4.ts";

const settings: SigningSettings = {
  endpoint: "https://s3.example.com",
  bucket: "bucket",
  signingRegion: "eu-west-1",
  pathStyle: true,
  accessKeyId: "AKIAIOSFODNN7EXAMPLE",
  secretAccessKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
};

interface Wanted {
  key: string;
  uploadId: string;
  number: number;
  sizeBytes: number;
  seconds: number;
  nowMs: number;
  /** Name under which the object is saved; empty: none is sent. */
  fileName: string;
}

/** The same two addresses, a part's and an object's, as the SDK's own presigner makes them. */
async function bySdk(own: SigningSettings, wanted: Wanted): Promise<string[]> {
  const { accessKeyId, secretAccessKey, sessionToken } = own;
  const client = new S3Client({
    endpoint: own.endpoint,
    region: own.signingRegion,
    forcePathStyle: own.pathStyle,
    credentials: { accessKeyId, secretAccessKey, ...(sessionToken && { sessionToken }) },
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED",
    disableS3ExpressSessionAuth: true,
  });
  const named = { Bucket: own.bucket, Key: wanted.key };
  const part = {
    ...named,
    UploadId: wanted.uploadId,
    PartNumber: wanted.number,
    ContentLength: wanted.sizeBytes,
  };
  const options = { expiresIn: wanted.seconds, signingDate: new Date(wanted.nowMs) };
  const signableHeaders = new Set(["host", "content-length"]);
  try {
    return [
      await getSignedUrl(client, new UploadPartCommand(part), { ...options, signableHeaders }),
      await getSignedUrl(client, new GetObjectCommand({ ...named, ...saved(wanted) }), options),
    ];
  } finally {
    client.destroy();
  }
}

function saved({ fileName }: Wanted) {
  return fileName === "" ? {} : { ResponseContentDisposition: attachmentOf(fileName) };
}

function byUs(own: SigningSettings, wanted: Wanted): string[] {
  const query = { partNumber: String(wanted.number), uploadId: wanted.uploadId };
  const part = { method: "PUT" as const, key: wanted.key, query, contentLength: wanted.sizeBytes };
  const { fileName } = wanted;
  const plain = requestToRead({ key: wanted.key, ...(fileName !== "" && { fileName }) });
  const read = { ...plain, query: { ...plain.query, "x-id": "GetObject" } };
  const withId = { ...part, query: { ...query, "x-id": "UploadPart" } };
  return new AddressSigner(own).sign([withId, read], wanted.nowMs, wanted.seconds * 1000).addresses;
}

/** The order of parameters is free; the signature covers the sorted ones. */
function sorted(url: string): string {
  const [path, query = ""] = url.split("?");
  return `${path}?${query.split("&").sort().join("&")}`;
}

const anyText = fc.string({ unit: "binary", minLength: 1, maxLength: 40 });
const segment = fc
  .oneof(anyText, fc.string({ unit: "grapheme-ascii", minLength: 1, maxLength: 20 }))
  .map((text) => text.replaceAll("/", "|"));
const wanted: fc.Arbitrary<Wanted> = fc.record({
  key: fc.array(segment, { minLength: 1, maxLength: 5 }).map((segments) => segments.join("/")),
  uploadId: anyText,
  number: fc.integer({ min: 1, max: 10_000 }),
  sizeBytes: fc.integer({ min: 0, max: 5 * 1024 ** 3 }),
  seconds: fc.integer({ min: 1, max: 604_800 }),
  nowMs: fc.integer({ min: 0, max: 4_000_000_000_000 }),
  fileName: fc.oneof(fc.constant(""), anyText),
});
const ownSettings: fc.Arbitrary<SigningSettings> = fc.record({
  endpoint: fc.constantFrom(
    "https://s3.example.com",
    "https://s3.example.com:8443",
    "http://127.0.0.1:9000",
    "http://[::1]:9000",
    "http://store.local",
    "https://abc.r2.cloudflarestorage.com",
  ),
  bucket: fc.constantFrom("bucket", "with.dots.in", "Upper_case", "a-b-c", "123.45.67.89"),
  signingRegion: fc.constantFrom("us-east-1", "auto", "garage", "eu-west-1"),
  pathStyle: fc.boolean(),
  accessKeyId: fc.constantFrom("AKIAIOSFODNN7EXAMPLE", "test:tester", "a+b/c="),
  secretAccessKey: fc.string({ unit: "grapheme", minLength: 1, maxLength: 40 }),
  sessionToken: fc.option(fc.base64String({ minLength: 4, maxLength: 300 }), { nil: undefined }),
});

test("addresses are those of the SDK, whatever is in the key", async () => {
  await fc.assert(
    fc.asyncProperty(ownSettings, wanted, async (own, one) => {
      assert.deepEqual(byUs(own, one).map(sorted), (await bySdk(own, one)).map(sorted));
    }),
    { numRuns: 100 },
  );
});

test("dots in a key stay where they are", () => {
  const signer = new AddressSigner(settings);
  const key = "a/../b/./c//d";
  const { addresses } = signer.sign([{ method: "GET", key }], 0, 60_000);
  assert.match(addresses[0] ?? "", /^https:\/\/s3\.example\.com\/bucket\/a\/\.\.\/b\/\.\/c\/\/d\?/);
});

test("an address lives for whole seconds, seven days at most, from the second it was made in", () => {
  const signer = new AddressSigner(settings);
  const expiry = (lifetimeMs: number) =>
    signer.sign([{ method: "GET", key: "k" }], 1_700_000_000_999, lifetimeMs);
  assert.equal(expiry(2_999).expiresAtMs, 1_700_000_002_000);
  const week = expiry(10 ** 12);
  assert.equal(week.expiresAtMs, 1_700_000_000_000 + 604_800_000);
  assert.match(week.addresses[0] ?? "", /X-Amz-Expires=604800&/);
  assert.throws(() => expiry(999), /BUG/);
});

test("a day later another key signs", () => {
  const signer = new AddressSigner(settings);
  const of = (nowMs: number) => signer.sign([{ method: "GET", key: "k" }], nowMs, 60_000).addresses;
  const day = 86_400_000;
  assert.deepEqual(
    of(day),
    new AddressSigner(settings).sign([{ method: "GET", key: "k" }], day, 60_000).addresses,
  );
  assert.deepEqual(
    of(2 * day),
    new AddressSigner(settings).sign([{ method: "GET", key: "k" }], 2 * day, 60_000).addresses,
  );
  assert.notDeepEqual(of(day), of(2 * day));
});
