import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { limits } from "@lossless/protocol";
import { onEachDatabase } from "../database/databases.fixture.ts";
import { findCredential, findCredentials } from "../accounts/rows/organizations/credential.ts";
import { hashSecret } from "../ground/secrets.ts";
import { openExperiment } from "./open.ts";
import { refreshToken } from "./token-refresh.ts";
import { revokeToken } from "./token-revoke.ts";

const graceMs = limits.tokenGraceMs;
const lifetimeMs = limits.tokenLifetimeMs;

onEachDatabase((fresh) => {
  const node = fresh.node();
  const other = fresh.node();
  let organizationId: string;
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

  test("many are found at once, each in its place, whatever is among them", async () => {
    const opened = [await open(), await open()];
    await revoke(opened[1].experimentId, opened[1].experimentToken);
    const secrets = [opened[1].experimentToken, "ik_unknown", opened[0].experimentToken];
    const kinds = ["experiment_token", "api_key", "experiment_token", "experiment_token"] as const;
    const questions = [...secrets, secrets[2]].map((secret, at) => {
      return { kind: kinds[at], hash: hashSecret(secret), organization: null };
    });
    const found = await node.read(findCredentials, { questions });
    const ids = found.map((one) => (one?.kind === "experiment_token" ? one.experimentId : one));
    assert.deepEqual(ids, [null, null, opened[0].experimentId, opened[0].experimentId]);
    await node.write(
      (transaction, id) =>
        transaction.run("UPDATE organization SET trashed_at_ms = 1 WHERE id = $1", id),
      organizationId,
    );
    const deleted = await node.read(findCredentials, { questions });
    assert.deepEqual(
      deleted.map((one) => one?.kind),
      [undefined, undefined, "refused", "refused"],
    );
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
