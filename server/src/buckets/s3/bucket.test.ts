import { S3Double, type DialectName } from "../../../../test/stores/s3-double.ts";
import { EgressPolicy } from "../egress.ts";
import { S3Bucket } from "./bucket.ts";
import { artifactBucketConformance } from "../artifact-buckets.fixture.ts";

const egress = new EgressPolicy({ allowPrivate: ["127.0.0.0/8"], ownAddresses: () => [] });

const pageSize = 100;

for (const dialect of ["aws", "ceph", "minio", "swift"] as const satisfies DialectName[]) {
  const open = async () => {
    const store = await S3Double.start({ dialect, pageMost: pageSize });
    const bucket = bucketOf(store, dialect === "swift" ? { partsMax: 1_000 } : {});
    return {
      bucket,
      [Symbol.asyncDispose]: async () => {
        await bucket[Symbol.asyncDispose]();
        await store[Symbol.asyncDispose]();
      },
    };
  };
  artifactBucketConformance(`s3, double as ${dialect}`, open, {
    brief: dialect !== "aws",
    pageSize,
  });
}

function bucketOf(store: S3Double, further: Partial<ConstructorParameters<typeof S3Bucket>[0]>) {
  return new S3Bucket({
    endpoint: store.endpoint,
    bucket: "b",
    signingRegion: store.region,
    pathStyle: true,
    accessKeyId: store.accessKeyId,
    secretAccessKey: store.secretAccessKey,
    egress,
    ...further,
  });
}
