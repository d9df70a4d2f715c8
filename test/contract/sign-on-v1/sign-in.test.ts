import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { AuditReply, SignOnView } from "@lossless/protocol";
import { call, parseObject } from "../../http.ts";
import { people } from "../../service.ts";
import {
  basicClient,
  client,
  IdentityProvider,
  publicClient,
} from "../../sign-on/identity-provider.ts";
import {
  isPage,
  putSignOn,
  readSignOn,
  refusedByProvider,
  sentenceOf,
  sessionOf,
  setSignOn,
  signInByProvider,
  signOnBody,
} from "../../sign-on/sign-on-calls.ts";
import { Wanderer } from "../../sign-on/wanderer.ts";
import { observed } from "../callers.ts";
import { postForm, postSession, refusedV1, signIn, signInBrowser } from "../people.ts";
import { topic } from "../topic.ts";

topic(
  "sign-in by an identity provider",
  (system) => {
    let provider: IdentityProvider;
    let ada: string;
    let view: SignOnView;

    before(async () => {
      ada = await signIn(system, "ada");
      const rita = await signIn(system, "rita");
      const addresses = [await readSignOn(system, ada), await readSignOn(system, rita)];
      provider = await IdentityProvider.start(addresses.map((one) => one.redirectAddress));
      provider.accounts.set("s-max", { email: people.max.email, email_verified: true });
      provider.accounts.set("s-new", { email: "New@acme.test", email_verified: true });
      provider.accounts.set("s-bo", { email: people.bo.email, email_verified: true });
      view = await setSignOn(system, ada, own());
    });
    after(() => provider[Symbol.asyncDispose]());

    const own = (more: Parameters<typeof signOnBody>[1] = {}) =>
      signOnBody(provider.issuer, { domains: ["acme.test", "both.test"], ...more });
    const as = (subject: string) => {
      provider.account = subject;
      return signInByProvider(system, view);
    };
    const whoami = async (credential: string, organization?: string) => {
      const headers = organization === undefined ? {} : { "x-svc-organization": organization };
      return (await call(system.baseUrl, { path: "/api/v1/whoami", credential, headers })).status;
    };

    test("who is seen first is made a member; the next time they are the same person", async () => {
      const first = await sessionOf(system, await as("s-new"));
      assert.equal(first.person.email, "new@acme.test");
      assert.equal(first.organization?.name, "acme");
      assert.equal(first.role, "member");
      const again = await sessionOf(system, await as("s-new"));
      assert.equal(again.person.id, first.person.id);
    });

    test("a member is known by the verified address, and keeps who they are", async () => {
      const before = await sessionOf(system, await signIn(system, "max"));
      const session = await sessionOf(system, await as("s-max"));
      assert.equal(session.person.id, before.person.id);
      assert.equal(session.role, "member");
    });

    test("the page asks for the address and leads on, with where the person was going", async () => {
      const { baseUrl } = system;
      const page = await call(baseUrl, { path: "/sign-in?next=%2Faccount" });
      assert.match(page.text, /Sign in with your organization/);
      const headers = { origin: baseUrl };
      const form = { email: "somebody@ACME.test", by: "organization", next: "/account" };
      const offered = await postForm(system, "/sign-in", { form, headers });
      assert.equal(offered.status, 200, offered.text);
      assert.match(offered.text, /Sign in with the test&#39;s provider.*to acme/s);
      const [, link = ""] = /href="(\/sign-on\/[^"]+)"/.exec(offered.text) ?? [];
      provider.account = "s-max";
      const person = new Wanderer();
      const { address } = await person.go(baseUrl + link, (at) => at === `${baseUrl}/account`);
      assert.equal(address, `${baseUrl}/account`);
      assert.ok(person.session(baseUrl));
      for (const email of ["somebody@elsewhere.test", "nobody", "%@acme_test", ""]) {
        const none = await postForm(system, "/sign-in", { form: { ...form, email }, headers });
        assert.equal(none.status, 400);
        assert.match(sentenceOf(none), /password|address first/);
      }
    });

    test("the session acts in its organization alone, whatever else the person belongs to", async () => {
      const session = await as("s-bo");
      const { organizations, organization, role } = await sessionOf(system, session);
      assert.deepEqual([organization?.name, role], ["acme", "admin"]);
      assert.deepEqual(
        organizations.map(({ name }) => name),
        ["acme"],
      );
      const body = { organization: "rival" };
      const path = "/api/v1/sessions";
      const ask = { method: "PATCH", path, credential: session, body };
      await refusedV1(observed(system, ask), 403, "forbidden");
      const listed = await call(system.baseUrl, {
        path: "/api/v1/organizations",
        credential: session,
      });
      assert.doesNotMatch(listed.text, /rival/);
      assert.equal(await whoami(session, "rival"), 403);
      await signInBrowser(system, "bo", "rival");
      const own = await call(system.baseUrl, { path: "/api/v1/sign-ins", credential: session });
      assert.doesNotMatch(own.text, /rival/, "nor are other sign-ins of theirs shown");
      const change = { current: people.bo.password, password: "another long password" };
      const password = { method: "PUT", path: "/api/v1/password", credential: session };
      await refusedV1(observed(system, { ...password, body: change }), 403, "forbidden");
    });

    test("a command line that such a session signs in acts there alone, too", async () => {
      const session = await as("s-bo");
      const access = await commandLine(session);
      assert.equal(await whoami(access, "acme"), 200);
      assert.equal(await whoami(access, "rival"), 403);
    });

    async function commandLine(session: string): Promise<string> {
      const { csrf } = await sessionOf(system, session);
      const redirect_uri = "http://127.0.0.1:1234/callback";
      const verifier = "v".repeat(43);
      const digest = await crypto.subtle.digest("SHA-256", Buffer.from(verifier));
      const asked = new URLSearchParams({
        response_type: "code",
        client_id: "lossless-cli",
        redirect_uri,
        code_challenge: Buffer.from(digest).toString("base64url"),
        code_challenge_method: "S256",
      });
      const headers = { cookie: `lossless_session=${session}` };
      const consent = { headers, form: { csrf, answer: "allow" } };
      const answer = await postForm(system, `/oauth/authorize?${asked.toString()}`, consent);
      const code = new URL(String(answer.headers.location)).searchParams.get("code") ?? "";
      const grant = { grant_type: "authorization_code", client_id: "lossless-cli", redirect_uri };
      const form = { ...grant, code_verifier: verifier, code };
      const reply = await postForm(system, "/oauth/token", { form });
      return parseObject(reply.text).access_token as string;
    }

    test("an address of an organization that is not theirs is nobody's here", async () => {
      provider.accounts.set("s-rita", { email: people.rita.email, email_verified: true });
      provider.account = "s-rita";
      const { status, sentence } = await refusedByProvider(view);
      assert.equal(status, 403);
      assert.match(sentence, /only addresses at acme\.test, both\.test; yours.*rita@rival\.test/);
      // The owner of acme may take that domain; the person who is made is another one than rita.
      await setSignOn(system, ada, own({ domains: ["acme.test", "rival.test"] }));
      const false_ = await sessionOf(system, await as("s-rita"));
      const true_ = await sessionOf(system, await signIn(system, "rita"));
      assert.notEqual(false_.person.id, true_.person.id);
      assert.deepEqual(
        false_.organizations.map(({ name }) => name),
        ["acme"],
      );
      assert.deepEqual(
        true_.organizations.map(({ name }) => name),
        ["rival"],
      );
      view = await setSignOn(system, ada, own());
    });

    test("an unverified address, or none, is refused with what to do", async () => {
      for (const account of [
        { email: people.max.email, email_verified: false },
        { email: people.max.email },
        {},
      ]) {
        provider.accounts.set("s-unverified", account);
        provider.account = "s-unverified";
        const { status, sentence } = await refusedByProvider(view);
        assert.equal(status, 403);
        assert.match(sentence, /does not say that your e-mail address is verified/);
      }
    });

    test("an address that the provider gives to a second person does not give them the account", async () => {
      await as("s-max");
      provider.accounts.set("s-other", { email: people.max.email, email_verified: true });
      provider.account = "s-other";
      const { status, sentence } = await refusedByProvider(view);
      assert.equal(status, 403);
      assert.match(sentence, /Another person/);
    });

    test("a client may take its secret as HTTP Basic alone, or be a public one without", async () => {
      // The double knows both ways, and each client takes one.
      for (const [one, isPublic] of [
        [{ clientId: basicClient.id, clientSecret: basicClient.secret }, false],
        [{ clientId: publicClient.id, clientSecret: null }, true],
      ] as const) {
        view = await setSignOn(system, ada, own(one));
        assert.equal(view.settings?.publicClient, isPublic);
        for (let times = 0; times < 2; times += 1) {
          assert.equal(await whoami(await as("s-max")), 200);
        }
      }
      // A client with a secret that comes without it is refused there.
      view = await setSignOn(system, ada, own({ clientSecret: null }));
      provider.account = "s-max";
      const { sentence } = await refusedByProvider(view);
      assert.match(sentence, /does not know this service by its client id and secret/);
      view = await setSignOn(system, ada, own());
    });

    test("groups give roles at every sign-in, and who has none is refused; the last owner stays", async () => {
      const roles = [
        { group: "ml", role: "member" as const },
        { group: "ml-admins", role: "admin" as const },
        { group: "guests", role: "viewer" as const },
      ];
      const more = {
        roles,
        defaultRole: null,
        groupsClaim: "groups",
        scopes: "openid email groups",
      };
      view = await setSignOn(system, ada, own(more));
      const email = "grouped@acme.test";
      const roleIn = async (groups: string[]) => {
        provider.accounts.set("s-grouped", { email, email_verified: true, groups });
        return (await sessionOf(system, await as("s-grouped"))).role;
      };
      assert.equal(await roleIn(["ml", "x"]), "member");
      assert.equal(await roleIn(["x", "ml-admins", "ml"]), "admin");
      assert.equal(await roleIn(["ml"]), "member");
      assert.equal(await roleIn(["guests"]), "viewer");
      assert.equal(await roleIn(["guests", "ml"]), "member");
      provider.accounts.set("s-grouped", { email, email_verified: true, groups: ["ML"] });
      const { status, sentence } = await refusedByProvider(view);
      assert.equal(status, 403);
      assert.match(sentence, /groups at the test's provider give you no role in acme/);
      const owner = { email: people.ada.email, email_verified: true, groups: ["ml"] };
      provider.accounts.set("s-ada", owner);
      assert.equal((await sessionOf(system, await as("s-ada"))).role, "owner");
      view = await setSignOn(system, ada, own());
    });

    test("forced: members enter by the provider alone, at once; owners may use their password", async () => {
      const [session, bos] = [await signIn(system, "max"), await signIn(system, "bo", "acme")];
      await setSignOn(system, ada, own({ forced: true }));
      assert.deepEqual([await whoami(session), await whoami(bos)], [403, 403]);
      const refusal = await refusedV1(postSession(system, people.max), 403, "forbidden");
      assert.match(refusal, /acme takes no passwords/);
      const named = postSession(system, { ...people.bo, organization: "acme" });
      await refusedV1(named, 403, "forbidden");
      assert.equal(await whoami(await signIn(system, "bo")), 200, "rival takes passwords");
      assert.equal(await whoami(await as("s-max")), 200);
      assert.equal(await whoami(await signIn(system, "ada")), 200);
      view = await setSignOn(system, ada, own());
      assert.equal(await whoami(session), 200);
    });

    test("a wrong state, a replayed answer, one of another browser and another organization's are refused", async () => {
      provider.account = "s-max";
      const { origin } = new URL(view.startAddress);
      const isBack = (at: string) => at.startsWith(view.redirectAddress);
      const person = new Wanderer();
      const { address } = await person.go(view.startAddress, isBack);
      const kept = person.cookie(origin);
      const refused = async (wanderer: Wanderer, at: string) => {
        const reply = await wanderer.step(at);
        assert.equal(reply.status, 400, reply.text);
        assert.equal(wanderer.session(origin), undefined);
        return sentenceOf(reply);
      };
      assert.match(await refused(new Wanderer(), address), /not started in this browser/);
      const other = new Wanderer();
      await other.go(view.startAddress, isBack);
      assert.match(await refused(other, address), /cannot be trusted/);
      const wrong = new Wanderer();
      const back = await wrong.go(view.startAddress, isBack);
      const altered = new URL(back.address);
      altered.searchParams.set("state", "x");
      assert.match(await refused(wrong, altered.href), /cannot be trusted/);
      const [pair = ""] = kept.split("; ").filter((each) => each.startsWith("lossless_sign_on="));
      const value = pair.slice("lossless_sign_on=".length);
      const rita = await signIn(system, "rita");
      const rival = await setSignOn(
        system,
        rita,
        signOnBody(provider.issuer, { domains: ["rival.test", "acme.test"] }),
      );
      const mixed = new Wanderer();
      mixed.setCookie(origin, "lossless_sign_on", value);
      const elsewhere = address.replace(view.redirectAddress, rival.redirectAddress);
      assert.match(await refused(mixed, elsewhere), /not started in this browser/);
      assert.equal((await person.step(address)).status, 303);
      assert.ok(person.session(origin));
      assert.match(await refused(new Wanderer(), address), /not started/);
      const replayer = new Wanderer();
      replayer.setCookie(origin, "lossless_sign_on", value);
      assert.match(await refused(replayer, address), /was used or has ended/);
    });

    test("nobody is sent elsewhere afterwards", async () => {
      provider.account = "s-max";
      for (const next of ["//evil.test", "https://evil.test/", "/\\evil.test", "/sign-in", "x"]) {
        const person = new Wanderer();
        const query = new URLSearchParams({ next }).toString();
        const { address } = await person.go(`${view.startAddress}?${query}`, isPage);
        assert.equal(address, `${system.baseUrl}/experiments`);
      }
    });

    test("who signs in by the provider erases their account without a password, and is somebody new then", async () => {
      const email = "gone@acme.test";
      provider.accounts.set("s-gone", { email, email_verified: true });
      const session = await as("s-gone");
      const { person } = await sessionOf(system, session);
      const erase = { method: "POST", path: "/api/v1/account/erase", credential: session };
      await refusedV1(
        observed(system, { ...erase, body: { email: "x@acme.test" } }),
        400,
        "bad_request",
      );
      const done = await observed(system, { ...erase, body: { email } });
      assert.equal(done.status, 204, done.text);
      assert.equal(await whoami(session), 401);
      const log = await observed(system, { path: "/api/v1/audit", credential: ada });
      for (const word of [email, "s-gone"]) assert.ok(!log.text.includes(word), word);
      const again = await sessionOf(system, await as("s-gone"));
      assert.equal(again.person.email, email);
      assert.notEqual(again.person.id, person.id);
    });

    test("owners set it, admins see it without the secret, nobody else does; all of it is written down", async () => {
      const [bo, max] = [await signIn(system, "bo", "acme"), await signIn(system, "max")];
      const body = own();
      await refusedV1(putSignOn(system, bo, body), 403, "forbidden");
      const path = "/api/sign-on/v1/provider";
      await refusedV1(observed(system, { path, credential: max }), 403, "forbidden");
      const seen = await observed(system, { path, credential: bo });
      assert.equal(seen.status, 200);
      assert.ok(!seen.text.includes(client.secret));
      const { clientSecret: _, ...without } = body;
      await setSignOn(system, ada, without);
      await as("s-max");
      const moved = { ...without, clientId: "another" };
      assert.match(
        await refusedV1(putSignOn(system, ada, moved), 400, "bad_request"),
        /clientSecret/,
        "the secret of a client goes to no other",
      );
      const log = await observed(system, { path: "/api/v1/audit", credential: ada });
      const actions = parseObject<AuditReply>(log.text).events.map(({ action }) => action);
      for (const action of ["signOn.changed", "signOn.refused", "session.created"])
        assert.ok(actions.includes(action), action);
      assert.ok(!log.text.includes(client.secret));
    });

    test("who is removed is signed out at once; without the sign-on nobody stands on it", async () => {
      const session = await as("s-new");
      const { person } = await sessionOf(system, session);
      const method = "DELETE";
      const path = `/api/v1/people?id=${person.id}`;
      assert.equal((await observed(system, { method, path, credential: ada })).status, 204);
      assert.equal(await whoami(session), 401);
      const other = await as("s-max");
      const removal = { method, path: "/api/sign-on/v1/provider", credential: ada };
      assert.equal((await observed(system, removal)).status, 204);
      assert.equal(await whoami(other), 401);
      assert.equal((await new Wanderer().step(view.startAddress)).status, 404);
      await refusedV1(observed(system, removal), 404, "not_found");
    });
  },
  { allowPrivate: ["127.0.0.0/8"] },
);
