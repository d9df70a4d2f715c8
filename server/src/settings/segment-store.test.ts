import assert from "node:assert/strict";
import { test } from "node:test";
import { ConfigError } from "./options.ts";
import { segmentStoreOf } from "./segment-store.ts";

const credentials = { AWS_ACCESS_KEY_ID: "ak", AWS_SECRET_ACCESS_KEY: "sk" };
const store = (text: string, variables: Record<string, string> = credentials) =>
  segmentStoreOf(text, "postgres://x", variables);

test("an address alone is a bucket of AWS", () => {
  assert.deepEqual(store("s3://bucket/some/prefix/"), {
    endpoint: "https://s3.us-east-1.amazonaws.com",
    bucket: "bucket",
    prefix: "some/prefix",
    signingRegion: "us-east-1",
    pathStyle: false,
    accessKeyId: "ak",
    secretAccessKey: "sk",
    sessionToken: undefined,
  });
});

test("another store is named in the address or in variables; the address counts", () => {
  const { endpoint, signingRegion, pathStyle } = store(
    "s3://bucket/p?endpoint=http://127.0.0.1:9000&region=garage",
    { ...credentials, AWS_REGION: "eu-west-1", AWS_ENDPOINT_URL: "https://other" },
  );
  assert.deepEqual([endpoint, signingRegion, pathStyle], ["http://127.0.0.1:9000", "garage", true]);
  const variables = { ...credentials, AWS_REGION: "auto", AWS_ENDPOINT_URL: "https://s3.example/" };
  const byVariables = store("s3://bucket/p?pathStyle=false", {
    ...variables,
    AWS_SESSION_TOKEN: "t",
  });
  assert.equal(byVariables.endpoint, "https://s3.example");
  assert.equal(byVariables.signingRegion, "auto");
  assert.equal(byVariables.pathStyle, false);
  assert.equal(byVariables.sessionToken, "t");
});

test("what is wrong is told without secrets", () => {
  for (const text of [
    "s3://bucket",
    "s3://bucket/",
    "s3://bucket/../x",
    "s3://bucket/a//b",
    "s3:///prefix",
    "https://bucket/prefix",
    "s3://user:password@bucket/prefix",
    "s3://bucket/a b",
    "s3://bucket/p?endpoint=ftp://x",
    "s3://bucket/p?endpoint=https://u:p@x",
    "s3://bucket/p?endpoint=https://x/path",
    "s3://bucket/p?pathStyle=maybe",
    "s3://bucket/p?region=a/b",
    "s3://bucket/p?secret=sk",
  ])
    assert.throws(() => store(text), ConfigError, text);
  assert.throws(() => store("s3://bucket/p", { AWS_ACCESS_KEY_ID: "ak" }), /AWS_SECRET_ACCESS_KEY/);
  assert.throws(() => segmentStoreOf("s3://bucket/p", undefined, credentials), /--database-url/);
});
