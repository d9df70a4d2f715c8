import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import os from "node:os";
import { syncBuiltinESMExports } from "node:module";
import { test } from "node:test";
import { promisify } from "node:util";
import { S3Double } from "../../../../../test/stores/s3-double.ts";
import { EgressPolicy } from "../../../buckets/egress.ts";
import { S3Bucket } from "../../../buckets/s3/bucket.ts";
import type { ConnectionAccess } from "../../rows/connections/connection.ts";
import { mergeEndpoints } from "../endpoints.ts";
import { exchange } from "./sts.ts";

/**
 * Runs in a process of its own, whose user has no home: code that looks for settings there throws.
 */
if (process.argv[2] === "homeless") {
  os.homedir = () => {
    throw new Error("somebody looked for settings in the home of the user");
  };
  syncBuiltinESMExports();
  await everyCall();
} else {
  test("nothing is read from the home of the service's user, who may have none", async () => {
    const { HOME: _, ...env } = process.env;
    await promisify(execFile)(process.execPath, [import.meta.filename, "homeless"], { env });
  });
}

async function everyCall(): Promise<void> {
  await using store = await S3Double.start({ dialect: "aws" });
  await using bucket = new S3Bucket({
    endpoint: store.endpoint,
    bucket: "b",
    signingRegion: store.region,
    pathStyle: true,
    accessKeyId: store.accessKeyId,
    secretAccessKey: store.secretAccessKey,
    egress: new EgressPolicy({ allowPrivate: ["127.0.0.0/8"], ownAddresses: () => [] }),
  });
  await bucket.put("k", [Buffer.from("bytes")]);
  await bucket.read("k", 0, 5);
  await bucket.size("k");
  await Array.fromAsync(bucket.list(""));
  const storeUpload = await bucket.startUpload("u");
  await bucket.listParts({ key: "u", storeUpload });
  await Array.fromAsync(bucket.listUploads(""));
  await bucket.abort({ key: "u", storeUpload });
  await bucket.delete("k");
  const settings = {
    tokens: { mint: async () => "token" },
    endpoints: mergeEndpoints({ aws: { sts: store.endpoint } }),
    clock: Date.now,
  };
  const access: ConnectionAccess = {
    organizationId: "01kb3q8e1nacmeacmeacme0001",
    connectionId: "01kb3q8e1nc0nnc0nnc0n12345",
    identifiers: { cloud: "aws", aws: { roleArn: "arn:aws:iam::111122223333:role/r" } },
  };
  // The store is no STS, which only a request to it can tell.
  await assert.rejects(exchange(settings, access, "us-east-1"), { code: "AccessDenied" });
}
