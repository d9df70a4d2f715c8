import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { completeBody, pastedIdentifiers } from "./identifiers.ts";

suite("identifiers of a connection", () => {
  const arn = "arn:aws:iam::123456789012:role/lossless-1";

  test("are found in the command that the script prints", () => {
    const command = `lossless connections complete c1 --url https://x.example \\\n  --role-arn ${arn}\n`;
    assert.deepEqual(pastedIdentifiers("aws", command), { roleArn: arn });
    const azure =
      "--tenant-id T-1 --client-id C-2 --subscription-id S-3 --resource-group lossless-4";
    assert.deepEqual(pastedIdentifiers("azure", azure), {
      tenantId: "T-1",
      clientId: "C-2",
      subscriptionId: "S-3",
      resourceGroup: "lossless-4",
    });
  });

  test("and in the body; nothing else is taken for one", () => {
    const body = `curl -d '{"cloud":"aws","aws":{"roleArn":"${arn}"}}'`;
    assert.deepEqual(pastedIdentifiers("aws", body), { roleArn: arn });
    assert.deepEqual(pastedIdentifiers("gcp", body), {});
    assert.deepEqual(pastedIdentifiers("aws", ""), {});
  });

  test("make the body of the interface", () => {
    assert.deepEqual(completeBody("aws", { roleArn: ` ${arn}\n`, other: "x" }), {
      cloud: "aws",
      aws: { roleArn: arn },
    });
  });
});
