import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, beforeEach, test } from "node:test";
import { Runner } from "../../storage/background/runner.ts";
import { onEachDatabase } from "../../database/databases.fixture.ts";
import { Sealing } from "../../ground/sealing.ts";
import { NodeStorage } from "../../artifacts/versions/walks.fixture.ts";
import { isAmong, NotPublished, publishedKeys } from "./publication.ts";
import { IssuerRotation, rotateAfterMs } from "./rotation.ts";
import { Issuer } from "./issuer.ts";

/** Files of a static site, written by `lossless issuer export` or by others. */
const files = new Map<string, string | undefined>();
const site = createServer((request, reply) => {
  const text = files.get(request.url ?? "");
  if (text === undefined) return void reply.writeHead(404).end();
  if (text.startsWith("/")) return void reply.writeHead(302, { location: text }).end();
  reply.writeHead(200).end(text);
});
let issuerUrl = "";
before(async () => {
  await new Promise<void>((resolve) => site.listen(0, "127.0.0.1", resolve));
  issuerUrl = `http://127.0.0.1:${(site.address() as AddressInfo).port}/issuer`;
});
after(() => site.close());
beforeEach(() => files.clear());

const configurationPath = "/issuer/.well-known/openid-configuration";
const keysPath = "/issuer/.well-known/jwks.json";
const running = new AbortController().signal;

async function publish(issuer: Issuer): Promise<void> {
  const { configuration, keys } = await issuer.documents();
  files.set(configurationPath, JSON.stringify(configuration));
  files.set(keysPath, JSON.stringify(keys));
}

onEachDatabase((fresh) => {
  const node = fresh.node();
  let issuer: Issuer;
  let warnings: string[];
  beforeEach(async () => {
    await node.execute("DELETE FROM issuer_key");
    await node.execute("DELETE FROM installation WHERE name = 'issuer_lease'");
    const storage = new NodeStorage(node);
    const sealing = new Sealing(new Uint8Array(32).fill(1));
    issuer = new Issuer({ storage, sealing, issuerUrl, clock: () => node.nowMs });
    warnings = [];
  });
  const rotationOf = (isPublishedElsewhere: boolean) =>
    new IssuerRotation({
      issuer,
      storage: new NodeStorage(node),
      isPublishedElsewhere,
      sharesDatabase: true,
      clock: () => node.nowMs,
      warn: (message) => warnings.push(message),
    });
  const idOf = async (state: string) =>
    (await issuer.stored()).find((key) => key.state === state)?.id;

  test("without keys nothing is made, and before its time nothing is rotated", async () => {
    const rotation = rotationOf(false);
    await rotation.round(running);
    assert.deepEqual(await issuer.stored(), []);
    await issuer.documents();
    const active = await idOf("active");
    node.nowMs += rotateAfterMs - 1;
    await rotation.round(running);
    assert.equal(await idOf("active"), active);
    node.nowMs += 1;
    await rotation.round(running);
    assert.notEqual(await idOf("active"), active);
    const [entry] = await node.all<{ actor: string; subject: string }>(
      "SELECT actor, subject FROM audit WHERE action = 'issuer.keyRotated' ORDER BY id DESC",
    );
    assert.equal(entry?.actor, "service");
    assert.equal(entry?.subject, await idOf("active"));
  });

  test("published elsewhere: a key that is not there does not sign; one warning says what to do", async () => {
    const rotation = rotationOf(true);
    await publish(issuer);
    const [active, next] = [await idOf("active"), await idOf("next")];
    node.nowMs += rotateAfterMs;
    files.delete(keysPath);
    await rotation.round(running);
    await rotation.round(running);
    assert.equal(await idOf("active"), active);
    assert.equal(warnings.length, 1);
    assert.match(warnings[0], /documents are not at .*lossless issuer export/);
    await publish(issuer);
    await rotation.round(running);
    assert.equal(await idOf("active"), next);
    node.nowMs += rotateAfterMs;
    await rotation.round(running);
    await rotation.round(running);
    assert.equal(await idOf("active"), next, "the published set is older than the next key");
    const due = new RegExp(`${await idOf("next")} is due.*the present one goes on`);
    assert.match(warnings[1], due);
    assert.equal(warnings.length, 2);
  });

  test("published elsewhere: that the key which signs is not there is said before its time too", async () => {
    const rotation = rotationOf(true);
    await publish(issuer);
    await rotation.round(running);
    assert.deepEqual(warnings, []);
    const [active, next] = [await idOf("active"), await idOf("next")];
    const { keys } = (await issuer.documents()).keys;
    const swapped = keys.map(({ kid, ...key }) => ({ kid: kid === next ? next : "other", ...key }));
    files.set(keysPath, JSON.stringify({ keys: swapped }));
    await rotation.round(running);
    await rotation.round(running);
    assert.equal(warnings.length, 1);
    assert.match(warnings[0], new RegExp(`${active}.*refuse all tokens.*lossless issuer export`));
    assert.equal(await idOf("active"), active);
    await publish(issuer);
    await rotation.round(running);
    files.delete(keysPath);
    await rotation.round(running);
    assert.equal(warnings.length, 2, "what went wrong again is said again");
  });

  test("one node looks; another one goes on when it has stopped", async () => {
    await issuer.documents();
    node.nowMs += rotateAfterMs;
    const [first, second] = [0, 1].map(() => new Runner(rotationOf(false), assert.fail));
    await node.execute(
      "INSERT INTO installation (name, value) VALUES ('issuer_lease', $1)",
      `another-node ${Date.now() + 60_000}`,
    );
    const active = await idOf("active");
    await first.round();
    assert.equal(await idOf("active"), active);
    await node.execute("DELETE FROM installation WHERE name = 'issuer_lease'");
    await second.round();
    assert.notEqual(await idOf("active"), active);
    await first.round();
    assert.equal((await issuer.stored()).length, 3);
  });
});

test("what is no publication of this issuer is refused", async () => {
  const configuration = { issuer: issuerUrl, jwks_uri: `${issuerUrl}/.well-known/jwks.json` };
  const refused = async (given: unknown, keys: string | undefined, why: RegExp) => {
    files.set(configurationPath, typeof given === "string" ? given : JSON.stringify(given));
    files.set(keysPath, keys);
    await assert.rejects(publishedKeys(issuerUrl, running), (error: Error) => {
      assert.ok(error instanceof NotPublished, String(error));
      assert.match(error.message, why);
      return true;
    });
  };
  await refused("nothing", undefined, /not a JSON/);
  await refused("[]", undefined, /not a JSON/);
  await refused("/elsewhere", undefined, /cannot be fetched/);
  await refused({ ...configuration, issuer: `${issuerUrl}/` }, "{}", /not the document/);
  await refused({ ...configuration, jwks_uri: "file:///etc/passwd" }, "{}", /no address/);
  await refused(configuration, undefined, /answers 404/);
  await refused(configuration, "{}", /not a set/);
  await refused(configuration, `{"keys":[],"x":"${"x".repeat(70_000)}"}`, /larger/);
  files.set(keysPath, '{"keys":[null,{"kid":3},{},{"kid":"a","n":"n","e":"AQAB"}]}');
  const published = await publishedKeys(issuerUrl, running);
  const key = (id: string, n: string, e: string) => ({
    id,
    publicKey: { kty: "RSA", n, e } as const,
  });
  assert.equal(isAmong(published, key("a", "n", "AQAB")), true);
  assert.equal(isAmong(published, key("b", "n", "AQAB")), false);
  assert.equal(isAmong(published, key("a", "m", "AQAB")), false, "another key of the same id");
  assert.equal(isAmong(published, key("a", "n", "AQ")), false);
});
