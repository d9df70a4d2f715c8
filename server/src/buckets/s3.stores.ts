import { createBucket } from "../../../test/stores/sdk.ts";
import { realStores } from "../../../test/stores/real-stores.ts";
import { EgressPolicy } from "./egress.ts";
import { S3Bucket } from "./s3.ts";
import { artifactBucketConformance } from "./test-artifact-buckets.ts";

const egress = new EgressPolicy({ allowPrivate: ["127.0.0.0/8"], ownAddresses: () => [] });

for (const store of realStores()) {
  const isSwift = store.name === "swift";
  const open = async () => {
    const name = `conformance-${crypto.randomUUID()}`;
    await createBucket(store, name);
    const bucket = new S3Bucket({
      endpoint: store.endpoint,
      bucket: name,
      signingRegion: store.region,
      pathStyle: store.pathStyle,
      accessKeyId: store.accessKeyId,
      secretAccessKey: store.secretAccessKey,
      egress,
      ...(isSwift && { partsMax: 1_000 }),
    });
    return { bucket, [Symbol.asyncDispose]: () => bucket[Symbol.asyncDispose]() };
  };
  const lateParts = isSwift ? "break" : "refused";
  artifactBucketConformance(`s3, ${store.name}`, open, { lateParts });
}
