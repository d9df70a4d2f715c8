import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import type { SignOnView } from "@lossless/protocol";
import { people } from "../../service.ts";
import { HostileProvider, type Lies } from "../../sign-on/hostile-provider.ts";
import { client } from "../../sign-on/identity-provider.ts";
import {
  putSignOn,
  refusedByProvider,
  setSignOn,
  signInByProvider,
  signOnBody,
} from "../../sign-on/sign-on-calls.ts";
import { refusedV1, signIn } from "../people.ts";
import { topic } from "../topic.ts";

topic(
  "identity providers that lie",
  (system) => {
    let provider: HostileProvider;
    let ada: string;
    let view: SignOnView;
    const claims = { sub: "s-max", email: people.max.email, email_verified: true };

    before(async () => {
      provider = await HostileProvider.start();
      ada = await signIn(system, "ada");
      view = await setSignOn(system, ada, signOnBody(provider.issuer));
    });
    beforeEach(() => {
      provider.lies = { claims };
    });
    after(() => provider[Symbol.asyncDispose]());

    test("with true answers a person is signed in, by code, verifier and secret", async () => {
      await signInByProvider(system, view);
      const asked = Object.fromEntries(provider.asked.at(-1) ?? []);
      assert.equal(asked.grant_type, "authorization_code");
      assert.equal(asked.redirect_uri, view.redirectAddress);
      assert.ok(asked.code_verifier.length >= 43);
    });

    test("the secret is sent as the metadata says, as HTTP Basic where they say nothing, and a public client has none", async () => {
      const inBody = ["client_secret_post", "client_secret_basic"];
      for (const methods of [inBody, ["client_secret_basic", "private_key_jwt"], undefined]) {
        provider.lies = { claims, metadata: { token_endpoint_auth_methods_supported: methods } };
        await signInByProvider(system, await setSignOn(system, ada, signOnBody(provider.issuer)));
        const asked = provider.asked.at(-1)!;
        const sent = [asked.get("client_id"), asked.get("client_secret")];
        const byHeader = basicOf(provider.authorizations.at(-1));
        const own = [client.id, client.secret];
        assert.deepEqual(methods === inBody ? [sent, byHeader] : [byHeader, sent], [
          own,
          [null, null],
        ]);
      }
      const only = { token_endpoint_auth_methods_supported: ["private_key_jwt"] };
      provider.lies = { claims, metadata: only };
      const refusal = putSignOn(system, ada, signOnBody(provider.issuer));
      assert.match(await refusedV1(refusal, 400, "bad_request"), /accepts a client secret neither/);
      view = await setSignOn(system, ada, signOnBody(provider.issuer, { clientSecret: null }));
      assert.equal(view.settings?.publicClient, true);
      await signInByProvider(system, view);
      assert.equal(provider.authorizations.at(-1), undefined);
      const asked = provider.asked.at(-1)!;
      assert.deepEqual([asked.get("client_id"), asked.get("client_secret")], [client.id, null]);
      provider.lies = { claims };
      view = await setSignOn(system, ada, signOnBody(provider.issuer));
    });

    const lies: Record<string, Lies> = {
      "another nonce": { claims, nonce: "x" },
      "no nonce": { claims: { ...claims, nonce: undefined } },
      "another issuer": { claims, issuer: "https://other.test" },
      "another audience": { claims, audience: "somebody else" },
      "no signature": { claims, isUnsigned: true },
      "somebody else's signature": { claims, isSignedBySomebodyElse: true },
      "an ID token that has ended": { claims: { ...claims, exp: 1_000_000_000 } },
      "no subject": { claims: { ...claims, sub: undefined } },
      "a reply without end": { claims, replyBytes: 2 * 1_048_576 },
      "a redirect": { claims, redirects: true },
    };
    for (const [name, lie] of Object.entries(lies)) {
      test(`${name} signs nobody in`, async () => {
        provider.lies = lie;
        const { status, sentence } = await refusedByProvider(view);
        assert.ok(status === 400 || status === 502, `${status} ${sentence}`);
        assert.match(sentence, /^the test's provider /);
      });
    }

    test("an address with another mark, and groups in odd forms, are taken for nothing", async () => {
      for (const email of ["max@acme.test 01abc", "@acme.test", "max", 5, null]) {
        provider.lies = { claims: { ...claims, sub: "s-odd", email } };
        const { status, sentence } = await refusedByProvider(view);
        assert.equal(status, 403, sentence);
      }
      const roles = [{ group: "ml", role: "member" as const }];
      const grouped = { roles, defaultRole: null, groupsClaim: "groups" };
      const now = await setSignOn(system, ada, signOnBody(provider.issuer, grouped));
      for (const groups of [undefined, null, 5, {}, { ml: true }, [["ml"]], "ML", "ml,x"]) {
        provider.lies = { claims: { ...claims, groups } };
        assert.equal((await refusedByProvider(now)).status, 403, JSON.stringify(groups));
      }
      provider.lies = { claims: { ...claims, groups: "ml" } };
      await signInByProvider(system, now);
      provider.lies = { claims: { ...claims, _claim_names: { groups: "src1" } } };
      assert.match((await refusedByProvider(now)).sentence, /too many/);
      view = await setSignOn(system, ada, signOnBody(provider.issuer));
    });

    test("what is no provider of one organization is not saved", async () => {
      const refused = async (issuer: string, metadata: Record<string, unknown>, words: RegExp) => {
        provider.lies = { metadata };
        const reply = await putSignOn(system, ada, signOnBody(issuer));
        assert.ok(reply.status === 400 || reply.status === 502, reply.text);
        assert.match(reply.text, words);
      };
      const { issuer } = provider;
      await refused(issuer, { issuer: `${issuer}/{tenantid}/v2.0` }, /issuer/);
      await refused(issuer, { issuer: "https://other.test" }, /issuer/);
      await refused(issuer, { jwks_uri: undefined }, /lacks/);
      await refused(`${issuer}/nowhere`, {}, /provider/);
      await refused(`${issuer}/.well-known/openid-configuration`, {}, /issuer/);
      await refused("http://127.0.0.1:1", {}, /does not answer/);
    });

    test("the service asks no address that stores may not have either, nor itself", async () => {
      const forbidden = [
        "https://169.254.169.254",
        "http://10.0.0.1",
        "https://metadata.google.internal",
        "http://localhost.nowhere.invalid",
        "http://192.0.2.1",
        system.baseUrl,
      ];
      for (const issuer of forbidden) {
        const reply = putSignOn(system, ada, signOnBody(issuer));
        assert.match(await refusedV1(reply, 400, "bad_request"), /cannot be used/, issuer);
      }
      provider.lies = { claims, metadata: { token_endpoint: "http://10.0.0.1/token" } };
      const now = await setSignOn(system, ada, signOnBody(provider.issuer));
      assert.match((await refusedByProvider(now)).sentence, /cannot be used/);
    });

    test("what is malformed is refused before anything is asked", async () => {
      const { issuer } = provider;
      const wrong = [
        { issuer: "ftp://x.test" },
        { issuer: "https://user@x.test" },
        { issuer: "https://x.test/?a" },
        { domains: [] },
        { domains: ["@acme.test"] },
        { domains: ["acme"] },
        { scopes: "email" },
        { roles: [{ group: "", role: "member" as const }] },
        { defaultRole: null },
      ];
      for (const one of wrong) {
        const reply = putSignOn(system, ada, signOnBody(issuer, one));
        await refusedV1(reply, 400, "bad_request");
      }
    });
  },
  { allowPrivate: ["127.0.0.0/8"] },
);

/** Id and secret in the header Authorization, each encoded as a form's field (RFC 6749, 2.3.1). */
function basicOf(header: string | undefined): (string | null)[] {
  if (header === undefined) return [null, null];
  const [, code = ""] = /^Basic (.+)$/.exec(header) ?? [];
  const parts = Buffer.from(code, "base64").toString().split(":");
  return parts.map((part) => new URLSearchParams(`part=${part}`).get("part"));
}
