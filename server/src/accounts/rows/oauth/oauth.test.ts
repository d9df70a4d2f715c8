import assert from "node:assert/strict";
import { test } from "node:test";
import { limits } from "@lossless/protocol";
import { onEachDatabase } from "../../../database/databases.fixture.ts";
import { failsWith } from "../../../database/node.fixture.ts";
import type { ServiceError } from "../../../ground/errors.ts";
import { changePassword } from "../people/password.ts";
import { hashSecret, isSecretOf } from "../../../ground/secrets.ts";
import { grantCode, redeemCode } from "./code.ts";
import { redeemDevice, startDevice } from "./device.ts";
import { listGrants } from "./grant-list.ts";
import { refreshPair } from "./refresh.ts";
import { revokeGrant } from "./revoke.ts";
import type { Redemption, TokenPair } from "./token-pair.ts";
import { answerDevice, enterUserCode } from "./user-code-entry.ts";

const address = "192.0.2.7";
const device = "a program";
const redirectUri = "http://127.0.0.1:5000/callback";
const codeChallenge = "challenge";

onEachDatabase((fresh) => {
  const node = fresh.node();
  /** On PostgreSQL another node, so that races are real. */
  const other = fresh.dialect === "postgres" ? fresh.node() : node;

  async function newPerson(): Promise<string> {
    const id = `person-${crypto.randomUUID()}`;
    await node.execute(
      `INSERT INTO person (id, email, password, created_at_ms, password_changed_at_ms)
       VALUES ($1, $1, '', 0, 0)`,
      id,
    );
    await node.database.write((transaction) =>
      transaction.run(
        `INSERT INTO session (hash, person, created_at_ms, expires_at_ms) VALUES ($1, $2, $3, $4)`,
        hashSecret(id),
        id,
        node.nowMs,
        node.nowMs + limits.sessionLifetimeMs,
      ),
    );
    return id;
  }
  /** The one session that a person has. */
  const sessionOf = (personId: string) => ({ personId, sessionHash: hashSecret(personId) });
  const newCode = async (personId: string) => {
    const input = { ...sessionOf(personId), redirectUri, codeChallenge, address };
    return (await node.write(grantCode, input)).code;
  };
  const redeem = (code: string, change: object = {}, on = node) =>
    on.write(redeemCode, {
      codeHash: hashSecret(code),
      redirectUri,
      codeChallenge,
      address,
      device,
      ...change,
    });
  const refresh = (token: string, on = node) =>
    on.write(refreshPair, { tokenHash: hashSecret(token), address });
  const poll = (deviceCode: string, on = node) =>
    on.write(redeemDevice, { deviceHash: hashSecret(deviceCode), address, device });
  const enter = (personId: string, userCode: string) =>
    node.write(enterUserCode, { personId, userCode, address });
  const answer = (personId: string, userCode: string, allow = true, on = node) =>
    on.write(answerDevice, { ...sessionOf(personId), userCode, address, allow });
  /** Whether the authenticator accepts the token. */
  async function isAccepted(token: string): Promise<boolean> {
    const rows = await node.database.read((reader) =>
      reader.all(
        `SELECT 1 AS one FROM oauth_token JOIN oauth_grant ON oauth_grant.id = oauth_token.oauth_grant
         WHERE hash = $1 AND kind = 'access' AND ended_at_ms IS NULL AND expires_at_ms > $2`,
        hashSecret(token),
        node.nowMs,
      ),
    );
    return rows.length === 1;
  }
  function pairOf(redemption: Redemption): TokenPair {
    assert.equal(redemption.refusal, undefined);
    return redemption.pair;
  }
  /** The events of a person's grants in the audit log, sorted. */
  async function events(personId: string): Promise<string[]> {
    const rows = await node.all<{ action: string; details: string }>(
      `SELECT action, details FROM audit WHERE actor = $1
       OR subject IN (SELECT id FROM oauth_grant WHERE person = $1)`,
      personId,
    );
    return rows.map(({ action, details }) => `${action} ${details}`).sort();
  }

  test("a code gives one pair; nothing of it is stored in the clear", async () => {
    const personId = await newPerson();
    const code = await newCode(personId);
    const pair = pairOf(await redeem(code));
    assert.ok(isSecretOf(pair.accessToken, "at_") && isSecretOf(pair.refreshToken, "rt_"));
    assert.equal(pair.accessLifetimeMs, limits.accessTokenLifetimeMs);
    assert.equal(await isAccepted(pair.accessToken), true);
    assert.equal(await isAccepted(pair.refreshToken), false);
    const stored = JSON.stringify([
      await node.all("SELECT * FROM oauth_token"),
      await node.all("SELECT * FROM oauth_code"),
      await node.all("SELECT * FROM audit"),
    ]);
    for (const secret of [code, pair.accessToken, pair.refreshToken]) {
      assert.ok(!stored.includes(secret));
    }
    node.nowMs += limits.accessTokenLifetimeMs;
    assert.equal(await isAccepted(pair.accessToken), false);
  });

  test("a code shown twice ends the grant of its first use", async () => {
    const personId = await newPerson();
    const code = await newCode(personId);
    const both = await Promise.all([redeem(code), redeem(code, {}, other)]);
    const pairs = both.filter(({ refusal }) => refusal === undefined).map(pairOf);
    assert.equal(pairs.length, 1);
    assert.equal(await isAccepted(pairs[0].accessToken), false);
    assert.deepEqual(await refresh(pairs[0].refreshToken), { refusal: "invalid_grant" });
    assert.deepEqual(await events(personId), [
      'grant.created {"flow":"code"}',
      'grant.ended {"reason":"code_reused"}',
    ]);
  });

  test("an ended session allows nothing, also when it ends with a new password at that moment", async () => {
    other.nowMs = node.nowMs;
    const changeTo = (personId: string) =>
      node.write(changePassword, {
        personId,
        seenPassword: "",
        password: "new",
        keptSession: new Uint8Array(1),
        address,
      });
    const allowDevice = async (personId: string) => {
      const device = await node.write(startDevice, { address });
      await enter(personId, device.userCode);
      return () => answer(personId, device.userCode, true, other);
    };
    const allowCode = async (personId: string) => () =>
      other.write(grantCode, { ...sessionOf(personId), redirectUri, codeChallenge, address });
    for (const prepare of [allowDevice, allowCode]) {
      for (let round = 0; round < 8; round += 1) {
        const personId = await newPerson();
        const allow = await prepare(personId);
        await Promise.allSettled(
          round % 2 === 0 ? [changeTo(personId), allow()] : [allow(), changeTo(personId)],
        );
        const live = await node.all(
          "SELECT id FROM oauth_grant WHERE person = $1 AND ended_at_ms IS NULL",
          personId,
        );
        assert.deepEqual(live, []);
        await assert.rejects(allow(), failsWith("unauthorized"));
      }
    }
  });

  test("50 refreshes at once: one pair, and then the grant is over", async () => {
    const personId = await newPerson();
    const first = pairOf(await redeem(await newCode(personId)));
    const all = await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        refresh(first.refreshToken, index % 2 === 0 ? node : other),
      ),
    );
    const pairs = all.filter(({ refusal }) => refusal === undefined).map(pairOf);
    assert.equal(pairs.length, 1);
    for (const { accessToken, refreshToken } of [first, pairs[0]]) {
      assert.equal(await isAccepted(accessToken), false);
      assert.deepEqual(await refresh(refreshToken), { refusal: "invalid_grant" });
    }
    assert.equal((await events(personId)).length, 2);
  });

  test("tokens of ended grants and expired ones do not stay for ever", async () => {
    const personId = await newPerson();
    const ended = pairOf(await redeem(await newCode(personId)));
    await node.write(revokeGrant, { tokenHash: hashSecret(ended.accessToken), address });
    const live = pairOf(await redeem(await newCode(personId)));
    node.nowMs += limits.accessTokenLifetimeMs;
    await newCode(personId);
    const rows = await node.all<{ kind: string }>(
      `SELECT kind FROM oauth_token WHERE oauth_grant IN
       (SELECT id FROM oauth_grant WHERE person = $1)`,
      personId,
    );
    assert.deepEqual(
      rows.map(({ kind }) => kind),
      ["refresh"],
    );
    pairOf(await refresh(live.refreshToken));
  });

  test("a person has at most so many sign-ins: the next one ends the oldest that lives", async () => {
    const personId = await newPerson();
    const dead = pairOf(await redeem(await newCode(personId)));
    await node.write(revokeGrant, { tokenHash: hashSecret(dead.accessToken), address });
    const pairs: TokenPair[] = [];
    for (let index = 0; index < limits.grantsPerPersonMax; index += 1) {
      node.nowMs += 1;
      pairs.push(pairOf(await redeem(await newCode(personId))));
    }
    assert.equal(await isAccepted(pairs[0].accessToken), true);
    node.nowMs += 1;
    pairs.push(pairOf(await redeem(await newCode(personId))));
    assert.equal(await isAccepted(pairs[0].accessToken), false);
    for (const { accessToken } of pairs.slice(1)) {
      assert.equal(await isAccepted(accessToken), true);
    }
    assert.ok((await events(personId)).includes('grant.ended {"reason":"too_many"}'));
  });

  test("a device waits, is told to slow down, and gets one pair when its person allows it", async () => {
    const personId = await newPerson();
    const device = await node.write(startDevice, { address });
    assert.match(device.userCode, /^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/);
    assert.deepEqual(await poll(device.deviceCode), { refusal: "authorization_pending" });
    node.nowMs += device.intervalMs - 1;
    assert.deepEqual(await poll(device.deviceCode), { refusal: "slow_down" });
    node.nowMs += device.intervalMs;
    assert.deepEqual(await poll(device.deviceCode), { refusal: "slow_down" });
    node.nowMs += device.intervalMs + 10_000;
    assert.deepEqual(await poll(device.deviceCode), { refusal: "authorization_pending" });
    const typed = ` ${device.userCode.toLowerCase().replace("-", " ")}`;
    const entered = await enter(personId, typed);
    assert.equal(entered.device?.askedFrom, address);
    other.nowMs = node.nowMs;
    const answers = await Promise.all([
      answer(personId, device.userCode),
      answer(personId, device.userCode, true, other),
    ]);
    assert.deepEqual(answers.sort(), [false, true]);
    const polls = await Promise.all([poll(device.deviceCode), poll(device.deviceCode, other)]);
    const pairs = polls.filter(({ refusal }) => refusal === undefined);
    assert.equal(pairs.length, 1);
    assert.deepEqual(await poll(device.deviceCode), { refusal: "invalid_grant" });
    // Redeemed twice: the pair is ended for every holder.
    assert.equal(await isAccepted(pairOf(pairs[0]).accessToken), false);
  });

  test("of a sign-in it is kept which program got the first tokens, and of an old one nothing", async () => {
    const personId = await newPerson();
    const known = pairOf(await redeem(await newCode(personId)));
    const shown = async () => {
      const grants = await node.read(listGrants, { personId, onlyOrganization: null });
      return grants.map((grant) => [grant.address, grant.device, grant.usedAtMs]);
    };
    assert.deepEqual(await shown(), [[address, device, node.nowMs]]);
    const elsewhere = { address: "192.0.2.8", device: "another program" };
    const refreshedBy = async (token: string) => {
      node.nowMs += 1_000;
      const tokenHash = hashSecret(token);
      return pairOf(await node.write(refreshPair, { tokenHash, ...elsewhere }));
    };
    const { refreshToken } = await refreshedBy(known.refreshToken);
    assert.deepEqual(await shown(), [[address, device, node.nowMs]]);
    // As those are that come from before their program was kept.
    await node.execute(
      "UPDATE oauth_grant SET address = NULL, device = NULL WHERE person = $1",
      personId,
    );
    await refreshedBy(refreshToken);
    assert.deepEqual(await shown(), [[null, null, node.nowMs]]);
  });

  test("thirty devices of an address wait at once; others, and ended ones, do not count", async () => {
    const crowded = "192.0.2.99";
    const start = (from = crowded) => node.write(startDevice, { address: from });
    const first = await start();
    node.nowMs += 60_000;
    for (let index = 1; index < 30; index++) await start();
    await assert.rejects(start(), (error: ServiceError) => {
      const wait = (limits.deviceCodeLifetimeMs - 60_000) / 1_000;
      assert.deepEqual([error.code, error.details], ["rate_limited", { retryAfterSeconds: wait }]);
      return true;
    });
    await start(address);
    const personId = await newPerson();
    await enter(personId, first.userCode);
    assert.equal(await answer(personId, first.userCode), true);
    await start();
    await assert.rejects(start(), failsWith("rate_limited"));
    node.nowMs += limits.deviceCodeLifetimeMs;
    for (let index = 0; index < 30; index++) await start();
  });

  test("after five wrong entries nothing of that person is taken while any code lives", async () => {
    const [guesser, bystander] = [await newPerson(), await newPerson()];
    const device = await node.write(startDevice, { address });
    for (let triesLeft = limits.deviceCodeTriesMax - 1; triesLeft >= 0; triesLeft -= 1) {
      const entered = await enter(guesser, triesLeft % 2 === 0 ? "BBBB-BBBB" : "not a code");
      assert.deepEqual(entered, { device: undefined, triesLeft });
    }
    await assert.rejects(enter(guesser, device.userCode), failsWith("rate_limited"));
    assert.deepEqual(await events(guesser), ["userCode.refused {}"]);
    node.nowMs += limits.deviceCodeLifetimeMs - 1;
    await assert.rejects(enter(guesser, device.userCode), failsWith("rate_limited"));
    assert.ok((await enter(bystander, device.userCode)).device);
    node.nowMs += 1;
    const later = await node.write(startDevice, { address });
    assert.ok((await enter(guesser, later.userCode)).device);
  });
});
