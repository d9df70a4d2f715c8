import assert from "node:assert/strict";
import { test } from "node:test";
import { call, type HttpReply, parseObject } from "../../http.ts";
import { organizations } from "../../service.ts";
import { observed } from "../callers.ts";
import { topic } from "../topic.ts";

const configurationPath = "/.well-known/openid-configuration";
const keysPath = "/.well-known/jwks.json";

topic("token issuer", (system) => {
  test("the discovery document says what clouds ask for, and no more", async () => {
    const reply = await observed(system, { path: configurationPath });
    const issuer = system.baseUrl;
    assert.deepEqual(parseObject(reply.text), {
      issuer,
      jwks_uri: issuer + keysPath,
      response_types_supported: ["id_token"],
      subject_types_supported: ["public"],
      id_token_signing_alg_values_supported: ["RS256"],
      scopes_supported: ["openid"],
      claims_supported: ["iss", "sub", "aud", "iat", "nbf", "exp", "jti"],
    });
    assertPublic(reply);
  });

  test("the key set has the key that signs and the next one, with public members alone", async () => {
    const fetched = await Promise.all([1, 2, 3].map(() => observed(system, { path: keysPath })));
    const [first, ...others] = fetched.map(({ text }) => text);
    for (const text of others) assert.equal(text, first, "asked at once, keys are made once");
    const { keys } = parseObject(first) as { keys: Record<string, string>[] };
    assert.equal(keys.length, 2);
    for (const key of keys) {
      assert.deepEqual(Object.keys(key).sort(), ["alg", "e", "kid", "kty", "n", "use"]);
      assert.deepEqual([key["alg"], key["kty"], key["use"]], ["RS256", "RSA", "sig"]);
      assert.equal(Buffer.from(key["n"], "base64url").length, 256);
    }
    assertPublic(fetched[0]);
  });

  test("HEAD is answered, other methods are not, and a query changes nothing", async () => {
    const head = await call(system.baseUrl, { method: "HEAD", path: keysPath });
    assert.deepEqual([head.status, head.text], [200, ""]);
    const query = await observed(system, { path: `${keysPath}?x=1` });
    assert.equal(query.status, 200);
    const post = await call(system.baseUrl, { method: "POST", path: keysPath, body: {} });
    assert.equal(post.status, 405);
    assert.equal(post.headers["cache-control"], "no-store");
  });

  test("the keys outlive the process", async () => {
    const before = (await observed(system, { path: keysPath })).text;
    await system.service.stop();
    await system.service.start();
    assert.equal((await observed(system, { path: keysPath })).text, before);
  });
});

const elsewhere = "https://keys.example/lossless";
topic(
  "token issuer that is published elsewhere",
  (system) => {
    test("documents, organization and tokens have that address; the service is where it was", async () => {
      const reply = await observed(system, { path: configurationPath });
      const { issuer, jwks_uri: keysAddress } = parseObject(reply.text);
      assert.deepEqual([issuer, keysAddress], [elsewhere, elsewhere + keysPath]);
      const credential = organizations.acme.key;
      const view = await observed(system, { path: "/api/v1/org", credential });
      assert.equal(parseObject(view.text)["issuer"], elsewhere);
      const oauth = await call(system.baseUrl, { path: "/.well-known/oauth-authorization-server" });
      assert.equal(parseObject(oauth.text)["issuer"], system.baseUrl);
    });
  },
  { flags: ["--issuer-url", elsewhere], backends: ["sqlite"] },
);

function assertPublic(reply: HttpReply): void {
  assert.equal(reply.status, 200, reply.text);
  assert.equal(reply.headers["cache-control"], "public, max-age=3600");
  assert.match(String(reply.headers["content-type"]), /^application\/json/);
  assert.equal(reply.headers["access-control-allow-origin"], undefined);
}
