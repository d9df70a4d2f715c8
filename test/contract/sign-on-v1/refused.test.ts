import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { AuditReply, ScimTokenReply, SetSignOnBody, SignOnView } from "@lossless/protocol";
import { parseObject } from "../../http.ts";
import { people } from "../../service.ts";
import { HostileProvider, type Lies } from "../../sign-on/hostile-provider.ts";
import {
  refusedByProvider,
  setSignOn,
  signInByProvider,
  signOnBody,
} from "../../sign-on/sign-on-calls.ts";
import { observed } from "../callers.ts";
import { signIn } from "../people.ts";
import { topic } from "../topic.ts";

topic(
  "a refused sign-on is in the audit log, with the address as the provider told it",
  (system) => {
    let provider: HostileProvider;
    let ada: string;
    let view: SignOnView;
    const max = people.max.email;
    const verified = { sub: "s-max", email: max, email_verified: true };

    const setting = (more: Partial<SetSignOnBody> = {}) =>
      setSignOn(system, ada, signOnBody(provider.issuer, more));
    before(async () => {
      ada = await signIn(system, "ada");
      provider = await HostileProvider.start();
      view = await setting();
    });
    after(() => provider[Symbol.asyncDispose]());

    async function newestRefusal() {
      const log = await observed(system, { path: "/api/v1/audit", credential: ada });
      const { events } = parseObject<AuditReply>(log.text);
      return events.find(({ action }) => action === "signOn.refused");
    }
    async function refused(lies: Lies, status: number) {
      provider.lies = lies;
      const { sentence, ...page } = await refusedByProvider(view);
      assert.equal(page.status, status, sentence);
      const { details, ...event } = (await newestRefusal())!;
      const { reason, ...told } = details;
      assert.ok(sentence.startsWith(String(reason)), `${sentence} is not ${String(reason)}`);
      assert.match(event.address ?? "", /127\.0\.0\.1/);
      return { ...told };
    }

    test("an address that is not verified is marked as such, and one that is none is none", async () => {
      const claims = { sub: "s-new", email: "New@Acme.test" };
      const unverified = { account: "s-new", email: "new@acme.test", emailVerified: false };
      for (const email_verified of [false, undefined, null, "no"]) {
        const told = await refused({ claims: { ...claims, email_verified } }, 403);
        assert.deepEqual(told, unverified);
      }
      for (const email of [
        undefined,
        7,
        "nobody",
        "a b@acme.test",
        `${"x".repeat(400)}@acme.test`,
      ]) {
        const told = await refused({ claims: { ...claims, email, email_verified: true } }, 403);
        assert.deepEqual(told, { account: "s-new", email: null });
      }
    });

    test("of a foreign domain, without a role, with an address that somebody else has", async () => {
      const away = { sub: "s-away", email: "max@elsewhere.test", email_verified: true };
      const told = { account: "s-away", email: "max@elsewhere.test" };
      assert.deepEqual(await refused({ claims: away }, 403), told);
      provider.lies = { claims: verified };
      await signInByProvider(system, view);
      const other = { ...verified, sub: "s-other" };
      assert.deepEqual(await refused({ claims: other }, 403), { account: "s-other", email: max });
      view = await setting({ defaultRole: null, roles: [{ group: "ml", role: "member" }] });
      assert.deepEqual(await refused({ claims: verified }, 403), { account: "s-max", email: max });
    });

    test("whose groups the provider leaves out, or is not asked for them in vain", async () => {
      const roles = [{ group: "ml", role: "member" as const }];
      view = await setting({ groupsClaim: "groups", defaultRole: null, roles });
      const told = { account: "s-max", email: max };
      const groups = Array.from({ length: 1_001 }, (_, number) => `group ${number}`);
      assert.deepEqual(await refused({ claims: { ...verified, groups } }, 400), told);
      const left = { ...verified, _claim_names: { groups: "src1" } };
      assert.deepEqual(await refused({ claims: left }, 400), told);
      // The userinfo endpoint, where the groups would be, answers 404.
      const metadata = { userinfo_endpoint: `${provider.issuer}/userinfo` };
      view = await setting({ groupsClaim: "groups", defaultRole: null, roles });
      assert.deepEqual(await refused({ claims: verified, metadata }, 400), told);
      view = await setting();
    });

    test("whose access the provider has ended by SCIM", async () => {
      const scim = { method: "POST", path: "/api/sign-on/v1/scim", credential: ada };
      const { secret } = parseObject<ScimTokenReply>((await observed(system, scim)).text);
      const made = await observed(system, {
        method: "POST",
        path: "/scim/v2/Users",
        credential: secret,
        headers: { "content-type": "application/scim+json" },
        body: {
          schemas: ["urn:ietf:params:scim:schemas:core:2.0:User"],
          userName: "gone@acme.test",
          active: false,
        },
      });
      assert.equal(made.status, 201, made.text);
      const claims = { sub: "s-gone", email: "gone@acme.test", email_verified: true };
      const told = await refused({ claims }, 403);
      assert.deepEqual(told, { account: "s-gone", email: "gone@acme.test" });
    });

    test("nobody is written down by an answer that nobody vouches for", async () => {
      const before = (await newestRefusal())?.id;
      provider.lies = { claims: verified, isUnsigned: true };
      assert.equal((await refusedByProvider(view)).status, 400);
      assert.equal((await newestRefusal())?.id, before);
    });

    test("it is forgotten with a person who is erased", async () => {
      const email = "Erased@acme.test";
      const claims = { sub: "s-erased", email, email_verified: true };
      provider.lies = { claims };
      const session = await signInByProvider(system, view);
      await refused({ claims: { ...claims, email_verified: false } }, 403);
      const erase = { method: "POST", path: "/api/v1/account/erase", credential: session };
      const done = await observed(system, { ...erase, body: { email: email.toLowerCase() } });
      assert.equal(done.status, 204, done.text);
      const log = await observed(system, { path: "/api/v1/audit", credential: ada });
      assert.ok(!/erased@acme|s-erased/i.test(log.text), log.text);
    });
  },
  { allowPrivate: ["127.0.0.0/8"] },
);
