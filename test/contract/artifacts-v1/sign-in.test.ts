import assert from "node:assert/strict";
import { test } from "node:test";
import { type HttpReply, type JsonObject, ok, parseObject } from "../../http.ts";
import { organizations, people } from "../../service.ts";
import { event, observed, refused } from "../callers.ts";
import {
  type BrowserSession,
  postForm,
  postSession,
  refusedV1,
  signIn,
  signInBrowser,
  signInCommandLine,
  v1Error,
} from "../people.ts";
import { topic } from "../topic.ts";

topic(
  "sign-in",
  (system) => {
    const whoami = (credential: string, headers: Record<string, string> = {}) =>
      observed(system, { path: "/api/v1/whoami", credential, headers });

    test("a person signs in, is known, and signs out", async () => {
      const reply = await postSession(system, people.ada);
      const session = parseObject(reply.text);
      assert.deepEqual(Object.keys(session).sort(), ["expires", "organization", "token"]);
      const { name, id } = session.organization as JsonObject;
      assert.equal(name, "acme");
      const token = session.token as string;
      assert.match(token, /^as_[0-9A-Za-z]{38}$/);
      const known = parseObject((await whoami(token)).text);
      assert.equal(known.orgId, id);
      assert.equal(known.credential, "session");
      const current = parseObject(
        (await observed(system, { path: "/api/v1/sessions", credential: token })).text,
      );
      assert.deepEqual(current.person, { id: known.userId, email: people.ada.email });
      assert.equal(current.expires, session.expires);
      const status = await observed(system, { path: "/api/v2/auth/status", credential: token });
      const { auth } = parseObject(status.text).data as JsonObject;
      assert.deepEqual(auth, { kind: "session" });
      const path = "/api/v1/sessions";
      const ended = await observed(system, { method: "DELETE", path, credential: token });
      assert.equal(ended.status, 204);
      await refusedV1(whoami(token), 401, "unauthorized");
      await refusedV1(
        observed(system, { method: "DELETE", path, credential: token }),
        401,
        "unauthorized",
      );
    });

    test("who belongs to several organizations names one, by name or id", async () => {
      const message = await refusedV1(postSession(system, people.bo), 400, "bad_request");
      assert.match(message, /"acme", "rival"/);
      await refusedV1(
        postSession(system, { ...people.bo, password: "wrong" }),
        401,
        "unauthorized",
      );
      await refusedV1(
        postSession(system, { ...people.bo, organization: "nowhere" }),
        403,
        "forbidden",
      );
      await refusedV1(
        postSession(system, { ...people.ada, organization: "rival" }),
        403,
        "forbidden",
      );
      const token = await signIn(system, "bo", "rival");
      const list = await observed(system, { path: "/api/v1/organizations", credential: token });
      const mine = parseObject(list.text).organizations as { id: string; name: string }[];
      assert.deepEqual(
        mine.map(({ name }) => name),
        ["acme", "rival"],
      );
      const switchTo = (credential: string, organization: string): Promise<HttpReply> =>
        observed(system, {
          method: "PATCH",
          path: "/api/v1/sessions",
          credential,
          body: { organization },
        });
      const organization = mine[0].id;
      await refusedV1(switchTo(token, "nowhere"), 403, "forbidden");
      const max = await signIn(system, "max");
      await refusedV1(switchTo(max, mine[1].id), 403, "forbidden");
      const switched = await switchTo(token, organization);
      assert.equal(switched.status, 200, switched.text);
      assert.equal(parseObject((await whoami(token)).text).orgId, organization);
    });

    test("a command-line token acts for the organization it names, by name or id", async () => {
      const token = await signInCommandLine(system, "bo", "acme");
      for (const name of ["acme", "rival"]) {
        const reply = await whoami(token, { "x-svc-organization": name });
        const { orgId, userId, credential } = parseObject(reply.text);
        assert.equal(credential, "oauth");
        assert.equal(typeof userId, "string");
        const byId = await whoami(token, { "x-svc-organization": orgId as string });
        assert.equal(byId.text, reply.text);
        const status = await observed(system, {
          path: "/api/v2/auth/status",
          credential: token,
          headers: { "x-svc-organization": name },
        });
        assert.deepEqual(parseObject(status.text).data, {
          auth: { kind: "oauth" },
          organization: { id: orgId!, name },
        });
      }
    });

    test("sessions and command-line tokens write experiments of their organization (M15)", async () => {
      const session = await signIn(system, "ada");
      const open = event("experiment.open", { slug: "by-a-person", description: "", meta: {} });
      const path = "/api/v2/events";
      const reply = await observed(system, { path, credential: session, body: open });
      const { experimentId } = ok(reply).data as JsonObject;
      assert.equal((await system.acme.record(experimentId as string)).slug, "by-a-person");
    });

    test("T05: ended, revoked and tampered secrets get one answer", async () => {
      const admin = await signIn(system, "ada");
      const made = await observed(system, {
        path: "/api/v1/api-keys",
        credential: admin,
        body: { name: "short-lived" },
      });
      const { key, secret } = ok(made, 201) as { key: JsonObject; secret: string };
      assert.equal((await whoami(secret)).status, 200);
      const path = `/api/v1/api-keys?id=${key.id as string}`;
      const revoke = (): Promise<HttpReply> =>
        observed(system, { method: "DELETE", path, credential: admin });
      assert.equal((await revoke()).status, 204);
      await refusedV1(revoke(), 404, "not_found");
      const session = await signIn(system, "max");
      await observed(system, { method: "DELETE", path: "/api/v1/sessions", credential: session });
      const bodies = new Set<string>();
      for (const ended of [secret, session, `${admin.slice(0, -1)}-`, `as_${"x".repeat(38)}`]) {
        const reply = await whoami(ended);
        assert.equal(reply.status, 401);
        bodies.add(reply.text);
      }
      assert.equal(bodies.size, 1);
    });

    test("a new password ends every other session and command line, and the old password", async () => {
      const old = people.rita;
      const kept = await signIn(system, "rita");
      const other = await signIn(system, "rita");
      const commandLine = await signInCommandLine(system, "rita", "rival");
      const named = { "x-svc-organization": "rival" };
      assert.equal((await whoami(commandLine, named)).status, 200);
      const change = (body: JsonObject): Promise<HttpReply> =>
        observed(system, { method: "PUT", path: "/api/v1/password", credential: kept, body });
      const password = "rita's other password";
      await refusedV1(change({ current: "wrong", password }), 401, "unauthorized");
      await refusedV1(change({ current: old.password, password: "short" }), 400, "bad_request");
      const changed = await change({ current: old.password, password });
      assert.equal(changed.status, 204, changed.text);
      assert.equal((await whoami(kept)).status, 200);
      await refusedV1(whoami(other), 401, "unauthorized");
      await refusedV1(whoami(commandLine, named), 401, "unauthorized");
      await refusedV1(postSession(system, old), 401, "unauthorized");
      assert.equal((await postSession(system, { ...old, password })).status, 201);
      assert.equal(await system.service.stop(), 0);
      await system.service.start();
      // The provision file still says the old one, as it did before: what the person set stays.
      await refusedV1(postSession(system, old), 401, "unauthorized");
      assert.equal((await postSession(system, { ...old, password })).status, 201);
    });

    test("T21: the cookie alone changes nothing; a page of ours with its token does", async () => {
      const browser = await signInBrowser(system, "ada");
      const own = system.baseUrl;
      const cases: [Record<string, string>, number][] = [
        [{}, 403],
        [{ "x-csrf-token": "x" }, 403],
        [{ "x-csrf-token": browser.csrf, origin: "https://evil.example" }, 403],
        [{ "x-csrf-token": browser.csrf, origin: "null" }, 403],
        [{ "x-csrf-token": browser.csrf, "sec-fetch-site": "cross-site" }, 403],
        [{ "x-csrf-token": browser.csrf, "sec-fetch-site": "same-site" }, 403],
        [{ "x-csrf-token": browser.csrf, origin: own }, 201],
        [{ "x-csrf-token": browser.csrf, origin: own, "sec-fetch-site": "same-origin" }, 201],
        [{ "x-csrf-token": browser.csrf }, 201],
      ];
      for (const [headers, status] of cases) {
        const reply = await withCookie(browser, "/api/v1/api-keys", headers, { name: "by cookie" });
        assert.equal(reply.status, status, `${JSON.stringify(headers)} ${reply.text}`);
      }
      const read = await observed(system, {
        path: "/api/v1/sessions",
        headers: { cookie: browser.cookie },
      });
      assert.equal(parseObject(read.text).csrf, browser.csrf);
      const events = event("foldertree.read", {});
      await refused(await withCookie(browser, "/api/v2/events", {}, events), 401, "unauthorized");
      const csrf = { "x-csrf-token": browser.csrf };
      assert.equal((await withCookie(browser, "/api/v2/events", csrf, events)).status, 200);
    });

    function withCookie(
      { cookie }: BrowserSession,
      path: string,
      headers: Record<string, string>,
      body: unknown,
    ): Promise<HttpReply> {
      return observed(system, { method: "POST", path, headers: { cookie, ...headers }, body });
    }

    test("T21: forms of other pages, with and without a cookie", async () => {
      const browser = await signInBrowser(system, "ada");
      const form = { ...people.ada, cookie: "true" };
      for (const path of ["/api/v1/sessions", "/api/v1/api-keys", "/api/v1/invitations/accept"]) {
        for (const headers of [{}, { cookie: browser.cookie }]) {
          const reply = await postForm(system, path, { form, headers });
          assert.ok([401, 403, 415].includes(reply.status), `${path}: ${reply.status}`);
        }
      }
      const asked = { ...people.ada, cookie: true };
      const foreign = await observed(system, {
        path: "/api/v1/sessions",
        body: asked,
        headers: { origin: "https://evil.example" },
      });
      await refusedV1(foreign, 403, "forbidden");
      assert.equal(foreign.headers["set-cookie"], undefined);
    });

    test("the cookie is forgotten at sign-out, and one of another kind is none", async () => {
      const { cookie, csrf } = await signInBrowser(system, "max");
      const secret = cookie.split("=")[1];
      for (const other of [
        `lossless_session=${organizations.acme.key}`,
        `__Host-lossless=${secret}`,
        `lossless_session=${secret}; lossless_session=${secret}`,
        `token=${secret}`,
      ]) {
        const reply = await observed(system, {
          path: "/api/v1/whoami",
          headers: { cookie: other },
        });
        await refusedV1(reply, 401, "unauthorized");
      }
      await refusedV1(
        observed(system, { path: `/api/v1/whoami?access_token=${secret}` }),
        401,
        "unauthorized",
      );
      const ended = await observed(system, {
        method: "DELETE",
        path: "/api/v1/sessions",
        headers: { cookie, "x-csrf-token": csrf },
      });
      assert.equal(ended.status, 204, ended.text);
      assert.match(String(ended.headers["set-cookie"]), /^lossless_session=; Path=\/; Max-Age=0;/);
      await refusedV1(
        observed(system, { path: "/api/v1/whoami", headers: { cookie } }),
        401,
        "unauthorized",
      );
    });

    test("T22, T23: no other origin is invited, no forwarded name gets into a link", async () => {
      const credential = await signIn(system, "ada");
      const headers = {
        origin: "https://evil.example",
        "access-control-request-method": "POST",
        "x-forwarded-host": "evil.example",
        forwarded: "host=evil.example",
      };
      for (const method of ["OPTIONS", "GET", "POST"]) {
        const reply = await observed(system, { method, path: "/api/v1/invitations", headers });
        assert.ok(!Object.keys(reply.headers).some((name) => name.startsWith("access-control-")));
      }
      const reply = await observed(system, {
        path: "/api/v1/invitations",
        credential,
        headers,
        body: { role: "member" },
      });
      assert.equal(reply.status, 201, reply.text);
      const { link } = parseObject(reply.text);
      assert.ok((link as string).startsWith(`${system.baseUrl}/join?token=in_`), reply.text);
    });
  },
  { alone: true },
);

topic(
  "guessing",
  (system) => {
    test("T20: wrong passwords are limited for an account, whether it exists or not", async () => {
      const answers = new Set<string>();
      for (const email of [people.ada.email, "nobody@acme.test"]) {
        // Ten at once; allowances grow while a slow machine compares.
        for (let guess = 0; guess < 15; guess++) {
          const written = guess % 2 === 0 ? email : email.toUpperCase();
          const reply = await postSession(system, { email: written, password: `guess ${guess}` });
          assert.equal(reply.status === 401 || reply.status === 429, true, reply.text);
          if (reply.status === 429) assert.ok(Number(reply.headers["retry-after"]) >= 1);
          answers.add(reply.status === 401 ? reply.text : v1Error(reply).error);
          if (reply.status === 429) break;
          assert.ok(guess < 14, "never refused");
        }
        // At once: half a minute later she may try again.
        if (email === people.ada.email)
          await refusedV1(postSession(system, people.ada), 429, "rate_limited");
      }
      assert.equal(answers.size, 2, [...answers].join("\n"));
      await signIn(system, "max");
    });

    test("T20: and for an address, over all accounts and links", async () => {
      let isRefused = false;
      for (let guess = 0; guess < 50 && !isRefused; guess++) {
        const body = {
          token: `in_${"x".repeat(38)}`,
          email: `p${guess}@acme.test`,
          password: "a long password",
        };
        const reply = await observed(system, { path: "/api/v1/invitations/accept", body });
        assert.ok([401, 429].includes(reply.status), reply.text);
        isRefused = reply.status === 429;
      }
      assert.ok(isRefused);
    });
  },
  { alone: true },
);
