import assert from "node:assert/strict";
import { test } from "node:test";
import { createLocalJWKSet, decodeProtectedHeader, type JWTPayload, jwtVerify } from "jose";
import { audiences, subjectOf } from "../rows/connections/connection.ts";
import { onEachDatabase } from "../../database/databases.fixture.ts";
import type { TestNode } from "../../database/node.fixture.ts";
import { newId } from "../../ground/ids.ts";
import { readKeys } from "../rows/issuer/key.ts";
import { SealBroken, Sealing } from "../../ground/sealing.ts";
import { NodeStorage } from "../../artifacts/versions/walks.fixture.ts";
import { IssuerRotation, rotateAfterMs } from "./rotation.ts";
import { Issuer } from "./issuer.ts";

const hourMs = 60 * 60_000;
const dayMs = 24 * hourMs;
const issuerUrl = "https://issuer.test/lossless";
const sealing = new Sealing(new Uint8Array(32).fill(1));
const claims = { subject: subjectOf(newId(1), newId(2)), audience: audiences.aws };

function issuerOn(node: TestNode, seal = sealing): Issuer {
  const storage = new NodeStorage(node);
  return new Issuer({ storage, sealing: seal, issuerUrl, clock: () => node.nowMs });
}

function rotate(issuer: Issuer, nextId: string, publishedMsMin: number, withdraws = false) {
  const by = { actor: "operator", address: null };
  return issuer.rotate({ nextId, publishedMsMin, withdraws, by });
}

/** As a cloud does it: against the published set alone. */
async function verify(issuer: Issuer, token: string, nowMs: number): Promise<JWTPayload> {
  const { keys } = await issuer.documents();
  const options = {
    issuer: issuerUrl,
    subject: claims.subject,
    audience: claims.audience,
    algorithms: ["RS256"],
    currentDate: new Date(nowMs),
  };
  return (await jwtVerify(token, createLocalJWKSet({ keys: [...keys.keys] }), options)).payload;
}

onEachDatabase((fresh) => {
  const node = fresh.node();
  const other = fresh.dialect === "sqlite" ? node : fresh.node();
  const reset = () => node.execute("DELETE FROM issuer_key");
  const keys = () => node.read(readKeys, {});

  test("two nodes that make the first keys at once sign with the same one", async () => {
    await reset();
    const issuers = [issuerOn(node), issuerOn(other), issuerOn(node)];
    const tokens = await Promise.all(issuers.map((issuer) => issuer.mint(claims)));
    assert.equal(new Set(tokens.map((token) => decodeProtectedHeader(token).kid)).size, 1);
    assert.deepEqual((await keys()).map(({ state }) => state).sort(), ["active", "next"]);
    for (const issuer of issuers) {
      for (const token of tokens) await verify(issuer, token, node.nowMs);
    }
    const added = await node.all<{ n: number }>(
      "SELECT count(*) AS n FROM audit WHERE action = 'issuer.keyAdded' AND organization IS NULL",
    );
    assert.equal(added[0]?.n, 2, "what was dropped was never added");
  });

  test("a token says what clouds look at, and lives ten minutes", async () => {
    const issuer = issuerOn(node);
    const token = await issuer.mint(claims);
    const [active] = (await keys()).filter(({ state }) => state === "active");
    assert.deepEqual(decodeProtectedHeader(token), { alg: "RS256", kid: active?.id, typ: "JWT" });
    const payload = await verify(issuer, token, node.nowMs);
    const iat = node.nowMs / 1_000 - 60;
    const { jti, ...rest } = payload;
    assert.deepEqual(rest, {
      iss: issuerUrl,
      sub: claims.subject,
      aud: "sts.amazonaws.com",
      iat,
      nbf: iat,
      exp: iat + 600,
    });
    const again = await verify(issuer, await issuer.mint(claims), node.nowMs);
    assert.notEqual(again.jti, jti);
    await assert.rejects(verify(issuer, token, node.nowMs + 10 * 60_000), /exp/);
    const [header, , signature] = token.split(".");
    // T64: a trust that pins the subject takes no token of another connection, nor an altered one.
    const sub = subjectOf(newId(3), newId(4));
    const other = await issuer.mint({ ...claims, subject: sub });
    await assert.rejects(verify(issuer, other, node.nowMs), /"sub"/);
    const forged = Buffer.from(JSON.stringify({ ...payload, sub })).toString("base64url");
    await assert.rejects(verify(issuer, `${header}.${forged}.${signature}`, node.nowMs));
  });

  test("T63: a private key opens in its own row only, and under its master key only", async () => {
    await reset();
    const issuer = issuerOn(node);
    await issuer.mint(claims);
    const wrongKey = new Sealing(new Uint8Array(32).fill(9));
    await assert.rejects(issuerOn(node, wrongKey).mint(claims), SealBroken);
    const [next] = (await keys()).filter(({ state }) => state === "next");
    await assert.rejects(rotate(issuerOn(node, wrongKey), next.id, 0), { code: "conflict" });
    await node.execute(
      `UPDATE issuer_key SET sealed_key = (SELECT sealed_key FROM issuer_key WHERE state = 'next')
       WHERE state = 'active'`,
    );
    await assert.rejects(issuer.mint(claims), SealBroken);
  });

  test("nodes that rotate at once rotate once; too early, nothing changes", async () => {
    await reset();
    const issuer = issuerOn(node);
    await issuer.documents();
    const before = await keys();
    const { id } = before.find(({ state }) => state === "next")!;
    assert.equal(await rotate(issuer, id, dayMs), false);
    assert.deepEqual(await keys(), before);
    node.nowMs += dayMs;
    other.nowMs = node.nowMs;
    const done = await Promise.all(
      [issuer, issuerOn(other), issuerOn(node)].map((one) => rotate(one, id, dayMs)),
    );
    assert.deepEqual(done.sort(), [false, false, true]);
    const after = await keys();
    assert.deepEqual(after.map(({ state }) => state).sort(), ["active", "next", "retired"]);
    assert.equal(after.find(({ state }) => state === "active")?.id, id);
    const rows = await node.all<{ state: string }>(
      "SELECT state FROM issuer_key WHERE sealed_key IS NULL",
    );
    assert.equal(rows.map(({ state }) => state).join(), "retired");
  });

  test("a key that was withdrawn is published no more, and its tokens are worth nothing", async () => {
    await reset();
    const issuer = issuerOn(node);
    const token = await issuer.mint(claims);
    const { id } = (await keys()).find(({ state }) => state === "next")!;
    assert.equal(await rotate(issuer, id, 0, true), true);
    assert.equal((await issuer.documents()).keys.keys.length, 2);
    await assert.rejects(verify(issuer, token, node.nowMs), { code: "ERR_JWKS_NO_MATCHING_KEY" });
    await verify(issuer, await issuer.mint(claims), node.nowMs);
  });

  test("whatever time does: one key signs, it was published for a day, and its tokens verify", async () => {
    await reset();
    const walk = new ClockWalk(node, fresh.dialect === "sqlite" ? 41 : 42);
    for (let step = 0; step < 90; step += 1) await walk.step();
    assert.ok(walk.rotations >= 4, `${walk.rotations} rotations`);
  });
});

/** A random walk of the clock with looks, rotations by hand and tokens; checked at every step. */
class ClockWalk {
  rotations = 0;
  readonly #node: TestNode;
  readonly #issuer: Issuer;
  readonly #rotation: IssuerRotation;
  /** Times by key: when it was first seen in the published set. */
  readonly #firstSeenMs = new Map<string, number>();
  #tokens: { text: string; endsAtMs: number }[] = [];
  #random: number;

  constructor(node: TestNode, seed: number) {
    this.#node = node;
    this.#issuer = issuerOn(node);
    this.#random = seed;
    this.#rotation = new IssuerRotation({
      issuer: this.#issuer,
      storage: new NodeStorage(node),
      isPublishedElsewhere: false,
      sharesDatabase: true,
      clock: () => node.nowMs,
      warn: (message) => assert.fail(message),
    });
  }

  async step(): Promise<void> {
    const node = this.#node;
    const kind = this.#pick(10);
    if (kind < 4) node.nowMs += this.#pick(hourMs / 2);
    else if (kind === 4) node.nowMs += this.#pick(3 * dayMs);
    else if (kind === 5) node.nowMs += this.#pick(rotateAfterMs);
    if (kind === 6) await this.#rotateByHand();
    await this.#look();
    const text = await this.#issuer.mint(claims);
    this.#tokens.push({ text, endsAtMs: node.nowMs + 9 * 60_000 });
    await this.#check(text);
  }

  async #look(): Promise<void> {
    const before = await this.#activeId();
    await this.#rotation.round(new AbortController().signal);
    if (before !== undefined && (await this.#activeId()) !== before) this.rotations += 1;
  }

  async #rotateByHand(): Promise<void> {
    const next = (await this.#issuer.stored()).find(({ state }) => state === "next");
    if (next === undefined) return;
    const ageMs = this.#node.nowMs - next.changedAtMs;
    const isDone = await rotate(this.#issuer, next.id, dayMs);
    assert.equal(isDone, ageMs >= dayMs);
    if (isDone) this.rotations += 1;
  }

  async #check(newest: string): Promise<void> {
    const { nowMs } = this.#node;
    const stored = await this.#issuer.stored();
    const states = stored.map(({ state }) => state);
    assert.equal(states.filter((state) => state === "active").length, 1);
    assert.equal(states.filter((state) => state === "next").length, 1);
    const isFirst = this.#firstSeenMs.size === 0;
    const { keys } = await this.#issuer.documents();
    for (const { kid } of keys.keys) {
      if (!this.#firstSeenMs.has(kid)) this.#firstSeenMs.set(kid, isFirst ? 0 : nowMs);
    }
    const seenMs = this.#firstSeenMs.get(decodeProtectedHeader(newest).kid ?? "");
    assert.ok(seenMs !== undefined && nowMs - seenMs >= dayMs, "signed by a key that is too new");
    this.#tokens = this.#tokens.filter(({ endsAtMs }) => endsAtMs > nowMs);
    for (const { text } of this.#tokens) await verify(this.#issuer, text, nowMs);
    const retired = stored.filter(({ state }) => state === "retired");
    for (const { id, changedAtMs } of retired) {
      const isListed = keys.keys.some(({ kid }) => kid === id);
      assert.equal(isListed, nowMs - changedAtMs < dayMs);
      assert.ok(nowMs - changedAtMs <= dayMs + 10 * 60_000, "a retired key is forgotten");
    }
  }

  async #activeId(): Promise<string | undefined> {
    return (await this.#issuer.stored()).find(({ state }) => state === "active")?.id;
  }

  /** A linear congruential generator: the walk is the same in every run. */
  #pick(below: number): number {
    this.#random = (Math.imul(this.#random, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((this.#random / 2 ** 32) * below);
  }
}
