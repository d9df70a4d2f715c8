import assert from "node:assert/strict";
import { test } from "node:test";
import { endpointOf, mergeEndpoints, publicEndpoints } from "./endpoints.ts";

test("what is given takes the place of the public address, field by field", () => {
  assert.deepEqual(mergeEndpoints(), publicEndpoints);
  const merged = mergeEndpoints({ aws: { s3: "https://s3.test" }, azure: {} });
  assert.deepEqual(merged.aws, { sts: publicEndpoints.aws.sts, s3: "https://s3.test" });
  assert.deepEqual(merged.azure, publicEndpoints.azure);
});

test("words are filled in; one that is missing is a mistake of ours", () => {
  const words = { region: "eu-central-1", suffix: "amazonaws.com" };
  const filled = endpointOf(publicEndpoints.aws.sts, words);
  assert.equal(filled, "https://sts.eu-central-1.amazonaws.com");
  assert.throws(() => endpointOf(publicEndpoints.azure.blob, {}), /BUG: .* wants account/);
});
