import assert from "node:assert/strict";
import { before, beforeEach, test } from "node:test";
import { limits } from "@lossless/protocol";
import { onEachDatabase } from "../database/databases.fixture.ts";
import { failsWith, TestNode } from "../database/node.fixture.ts";
import { findCredential } from "../organizations/credential.ts";
import { hashSecret, newSecret } from "../ground/secrets.ts";
import { openExperiment } from "./open.ts";
import { refreshToken } from "./token-refresh.ts";
import { revokeToken } from "./token-revoke.ts";

const graceMs = limits.tokenGraceMs;
const lifetimeMs = limits.tokenLifetimeMs;

onEachDatabase((fresh) => {
  let node: TestNode;
  let other: TestNode;
  let organizationId: string;
  before(async () => {
    node = new TestNode(await fresh.openMigrated());
    other = new TestNode(await fresh.open());
  });
  beforeEach(async () => {
    organizationId = await node.newOrganization();
    node.nowMs = other.nowMs = 1_800_000_000_000;
  });

  const open = (slug = "s") =>
    node.write(openExperiment, { organizationId, data: { slug, description: "", meta: "{}" } });
  const refresh = async (experimentId: string, experimentToken: string, on = node) => {
    const reply = await on.write(refreshToken, {
      organizationId,
      data: { experimentId, experimentToken },
    });
    assert.equal(reply.experimentId, experimentId);
    return reply.experimentToken;
  };
  const revoke = (experimentId: string, token: string) =>
    node.write(revokeToken, { experimentId, tokenHash: hashSecret(token) });
  const find = (token: string) =>
    node.read(findCredential, {
      kind: "experiment_token",
      hash: hashSecret(token),
      organization: null,
    });
  const isValid = async (token: string) => (await find(token)) !== null;
  const invalid = failsWith("experiment_token_invalid");

  test("a token is found by its hash until its 24 hours are over", async () => {
    const { experimentId, experimentToken, expiresAtMs } = await open();
    assert.deepEqual(await find(experimentToken), {
      kind: "experiment_token",
      experimentId,
      organizationId,
      expiresAtMs,
    });
    node.nowMs += lifetimeMs - 1;
    assert.ok(await isValid(experimentToken));
    node.nowMs += 1;
    assert.equal(await find(experimentToken), null);
    await assert.rejects(refresh(experimentId, experimentToken), invalid);
  });

  test("opening again leaves earlier tokens valid", async () => {
    const [first, second] = [await open(), await open()];
    assert.ok(await isValid(first.experimentToken));
    assert.ok(await isValid(second.experimentToken));
  });

  test("after a refresh the old token works 30 seconds and no longer", async () => {
    const { experimentId, experimentToken } = await open();
    node.nowMs += 1_000;
    const fresh = await refresh(experimentId, experimentToken);
    node.nowMs += 29_000;
    assert.ok(await isValid(experimentToken));
    node.nowMs += 2_000;
    assert.ok(!(await isValid(experimentToken)));
    assert.ok(await isValid(fresh));
  });

  test("the 30 seconds never outlast the token's own end", async () => {
    const { experimentId, experimentToken } = await open();
    node.nowMs += lifetimeMs - 10_000;
    await refresh(experimentId, experimentToken);
    node.nowMs += 9_999;
    assert.ok(await isValid(experimentToken));
    node.nowMs += 1;
    assert.ok(!(await isValid(experimentToken)));
  });

  test("a token in its 30 seconds gives another one, and its end does not move", async () => {
    const { experimentId, experimentToken } = await open();
    const lost = await refresh(experimentId, experimentToken);
    node.nowMs += 20_000;
    const second = await refresh(experimentId, experimentToken);
    assert.notEqual(second, lost);
    node.nowMs += 10_000;
    assert.ok(!(await isValid(experimentToken)));
    assert.ok((await isValid(lost)) && (await isValid(second)));
    await assert.rejects(refresh(experimentId, experimentToken), invalid);
  });

  test("unknown, foreign, revoked and malformed tokens cannot be refreshed", async () => {
    const mine = await open("mine");
    const sibling = await open("sibling");
    await assert.rejects(refresh(mine.experimentId, sibling.experimentToken), invalid);
    await assert.rejects(refresh("nowhere", mine.experimentToken), invalid);
    await assert.rejects(refresh(mine.experimentId, newSecret("ik_")), invalid);
    await assert.rejects(refresh(mine.experimentId, ""), invalid);
    await revoke(sibling.experimentId, sibling.experimentToken);
    await assert.rejects(refresh(sibling.experimentId, sibling.experimentToken), invalid);
    organizationId = await node.newOrganization();
    await assert.rejects(refresh(mine.experimentId, mine.experimentToken), invalid);
    assert.ok(await isValid(mine.experimentToken));
  });

  test("revoke ends the token and those it was refreshed from, and no other", async () => {
    const { experimentId, experimentToken: a } = await open();
    const { experimentToken: unrelated } = await open();
    const b = await refresh(experimentId, a);
    const c = await refresh(experimentId, b);
    const sibling = await refresh(experimentId, a);
    assert.deepEqual(await revoke(experimentId, c), { experimentId });
    for (const dead of [a, b, c]) assert.ok(!(await isValid(dead)));
    for (const alive of [sibling, unrelated]) assert.ok(await isValid(alive));
  });

  test("a clock put back keeps no token alive longer than it promised", async () => {
    const { experimentId, experimentToken } = await open();
    const next = await refresh(experimentId, experimentToken);
    node.nowMs -= 3_600_000;
    await refresh(experimentId, experimentToken);
    node.nowMs += 3_600_000 + graceMs;
    assert.ok(!(await isValid(experimentToken)));
    node.nowMs += lifetimeMs;
    assert.ok(!(await isValid(next)));
  });

  test("beyond 1,000 live tokens the oldest ends; the newest works even when the clock was put back", async () => {
    const first = await open();
    node.nowMs += 1;
    const second = await open();
    await node.execute(
      `INSERT INTO token (hash, experiment, organization, issued_at_ms, expires_at_ms)
       WITH RECURSIVE counter (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM counter WHERE n < 998)
       SELECT CAST('made' || CAST(n AS text) AS ${fresh.dialect === "sqlite" ? "blob" : "bytea"}), $1, $2, $3, $4 FROM counter`,
      first.experimentId,
      organizationId,
      node.nowMs + 1,
      node.nowMs + lifetimeMs,
    );
    assert.ok(await isValid(first.experimentToken));
    node.nowMs -= 60_000;
    const third = await open();
    assert.ok(!(await isValid(first.experimentToken)));
    assert.ok(await isValid(second.experimentToken));
    assert.ok(await isValid(third.experimentToken));
  });

  test("no secret is stored, only its hash", async () => {
    const { experimentToken } = await open();
    const rows = await node.all<{ hash: Uint8Array }>(
      "SELECT hash FROM token WHERE organization = $1",
      organizationId,
    );
    assert.deepEqual(
      rows.map(({ hash }) => hash),
      [hashSecret(experimentToken)],
    );
  });

  if (fresh.dialect === "postgres") {
    test("50 refreshes of one token from two nodes at once all give a valid token of their own", async () => {
      const { experimentId, experimentToken } = await open();
      const tokens = await Promise.all(
        Array.from({ length: 50 }, (_, index) =>
          refresh(experimentId, experimentToken, index % 2 === 0 ? node : other),
        ),
      );
      assert.equal(new Set(tokens).size, 50);
      node.nowMs += graceMs;
      assert.ok(!(await isValid(experimentToken)));
      for (const token of tokens) assert.ok(await isValid(token));
    });
  }
});
