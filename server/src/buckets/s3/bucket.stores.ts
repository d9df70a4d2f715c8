import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createBucket } from "../../../../test/stores/sdk.ts";
import { realStores } from "../../../../test/stores/real-stores.ts";
import { segmentBucketConformance } from "../conformance.fixture.ts";
import { EgressPolicy } from "../egress.ts";
import { S3Segments } from "../segments/s3.ts";
import { S3Bucket } from "./bucket.ts";
import { artifactBucketConformance } from "../artifact-buckets.fixture.ts";

const egress = new EgressPolicy({ allowPrivate: ["127.0.0.0/8"], ownAddresses: () => [] });

for (const store of realStores()) {
  const isSwift = store.name === "swift";
  const newBucket = async () => {
    const name = `conformance-${crypto.randomUUID()}`;
    await createBucket(store, name);
    const { endpoint, region: signingRegion, pathStyle, accessKeyId, secretAccessKey } = store;
    return { endpoint, bucket: name, signingRegion, pathStyle, accessKeyId, secretAccessKey };
  };
  const open = async () => {
    const bucket = new S3Bucket({
      ...(await newBucket()),
      egress,
      ...(isSwift && { partsMax: 1_000 }),
    });
    return { bucket, [Symbol.asyncDispose]: () => bucket[Symbol.asyncDispose]() };
  };
  const lateParts = isSwift ? "break" : "refused";
  artifactBucketConformance(`s3, ${store.name}`, open, { lateParts });

  segmentBucketConformance(`segments in s3, ${store.name}`, async () => {
    const directory = await mkdtemp(join(tmpdir(), "lossless-s3-segments-"));
    const bucket = new S3Segments({ ...(await newBucket()), prefix: "segments" }, directory);
    return {
      bucket,
      [Symbol.asyncDispose]: async () => {
        await bucket[Symbol.asyncDispose]();
        await rm(directory, { recursive: true });
      },
    };
  });
}
