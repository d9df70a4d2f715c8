import assert from "node:assert/strict";
import { test } from "node:test";
import { answering } from "../../../../../test/loopback.ts";
import { StoreError } from "../../../buckets/bucket.ts";
import type { ConnectionAccess } from "../../rows/connections/connection.ts";
import { mergeEndpoints } from "../endpoints.ts";
import { exchange } from "./sts.ts";

const access: ConnectionAccess = {
  organizationId: "01kb3q8e1nacmeacmeacme0001",
  connectionId: "01kb3q8e1nc0nnc0nnc0n12345",
  identifiers: { cloud: "aws", aws: { roleArn: "arn:aws:iam::111122223333:role/r" } },
};

test("replies that are none of STS are told apart, and show nothing of themselves", async () => {
  let [status, answer] = [200, ""];
  await using server = await answering((_, response) => response.writeHead(status).end(answer));
  const settings = {
    tokens: { mint: async () => "token" },
    endpoints: mergeEndpoints({ aws: { sts: server.origin } }),
    clock: Date.now,
  };
  const answered = "AssumeRoleWithWebIdentityResponse";
  const credentials = "<AccessKeyId>A</AccessKeyId><Expiration>2099-01-01T00:00:00Z</Expiration>";
  const error = "<Error><Code>AccessDenied</Code><Message>secret</Message></Error>";
  for (const [givenStatus, given, code, transient] of [
    [200, "<html>secret</html>", "invalid reply", true],
    [200, "secret", "invalid reply", true],
    [
      200,
      `<${answered}><AssumeRoleWithWebIdentityResult><Credentials>${credentials}`,
      "invalid reply",
      true,
    ],
    [
      200,
      `<${answered}><AssumeRoleWithWebIdentityResult><Credentials>${credentials}</Credentials></AssumeRoleWithWebIdentityResult></${answered}>`,
      "invalid reply",
      true,
    ],
    [200, "x".repeat(100_000), "reply too large", false],
    [302, "", "HTTP 302", false],
    [400, "<html>secret</html>", "HTTP 400", false],
    [403, error, "AccessDenied", false],
    [403, `<ErrorResponse>${error}</ErrorResponse>`, "AccessDenied", false],
    [403, "<Error><Code>se cret</Code></Error>", "HTTP 403", false],
    [429, "", "HTTP 429", true],
    [503, "secret", "HTTP 503", true],
  ] as const) {
    [status, answer] = [givenStatus, given];
    await assert.rejects(exchange(settings, access, "us-east-1"), (failure: unknown) => {
      assert.ok(failure instanceof StoreError, String(failure));
      assert.deepEqual([failure.code, failure.transient], [code, transient], given.slice(0, 80));
      assert.doesNotMatch(`${failure.message} ${failure.advice}`, /se ?cret/);
      return true;
    });
  }
});
