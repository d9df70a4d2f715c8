import assert from "node:assert/strict";
import { test } from "node:test";
import { limits } from "@lossless/protocol";
import { call, parseObject } from "../../http.ts";
import { MovableClock } from "../../movable-clock.ts";
import { organizations } from "../../service.ts";
import { suiteDirectory } from "../../suite-service.ts";
import { Browser, alertOf, firstForm, locationOf } from "../browser.ts";
import {
  deviceGrant,
  OauthClient,
  pairOf,
  refusedOauth,
  signedInBrowser,
} from "../oauth-client.ts";
import { topic } from "../topic.ts";

const minuteMs = 60_000;
const clock = new MovableClock(suiteDirectory("clock"));

topic(
  "command-line sign-in",
  (system) => {
    const pass = (durationMs: number) => (clock.aheadMs += durationMs);
    const newClient = () => new OauthClient(system);

    test("the metadata names this service and its endpoints, and nothing else that it could do", async () => {
      const reply = await call(system.baseUrl, { path: "/.well-known/oauth-authorization-server" });
      const issuer = system.baseUrl;
      assert.deepEqual(parseObject(reply.text), {
        issuer,
        authorization_endpoint: `${issuer}/oauth/authorize`,
        token_endpoint: `${issuer}/oauth/token`,
        device_authorization_endpoint: `${issuer}/oauth/device`,
        revocation_endpoint: `${issuer}/oauth/revoke`,
        response_types_supported: ["code"],
        grant_types_supported: ["authorization_code", "refresh_token", deviceGrant],
        code_challenge_methods_supported: ["S256"],
        token_endpoint_auth_methods_supported: ["none"],
        revocation_endpoint_auth_methods_supported: ["none"],
        authorization_response_iss_parameter_supported: true,
      });
      assert.equal(reply.headers["access-control-allow-origin"], undefined);
    });

    test("code with PKCE: sign-in, consent, redirect with state and iss, tokens that work", async () => {
      const client = newClient();
      const browser = new Browser(system);
      const signIn = locationOf(await browser.get(client.authorizePath()));
      assert.match(signIn, /^\/sign-in\?next=/);
      const consent = await browser.get(await browser.signIn("ada", signIn));
      assert.equal(consent.status, 200);
      assert.match(consent.text, /ada@acme\.test/);
      assert.match(consent.text, /127\.0\.0\.1:4321/);
      assert.match(
        String(consent.headers["content-security-policy"]),
        /; form-action 'self' http:\/\/127\.0\.0\.1:4321; /,
      );
      const answer = new URL(locationOf(await browser.submit(consent, { answer: "allow" })));
      assert.equal(answer.origin + answer.pathname, client.redirectUri);
      assert.equal(answer.searchParams.get("state"), "a state/with + & signs");
      assert.equal(answer.searchParams.get("iss"), system.baseUrl);
      const reply = await client.redeem(answer.searchParams.get("code")!);
      const { access, refresh } = await pairOf(reply);
      const { token_type: type, expires_in: seconds } = parseObject(reply.text);
      assert.deepEqual([type, seconds], ["Bearer", 3_600]);
      assert.equal(await client.status(access), 200);
      assert.equal(await client.status(access, "rival"), 403);
      assert.equal(await client.status(access, null), 400);
      assert.equal(await client.status(refresh), 401);
    });

    test("the person may deny, and another person may sign in instead", async () => {
      const client = newClient();
      const browser = await signedInBrowser(system, "max");
      const consent = await browser.get(client.authorizePath());
      const denial = new URL(locationOf(await browser.submit(consent, { answer: "deny" })));
      assert.equal(denial.searchParams.get("error"), "access_denied");
      assert.equal(denial.searchParams.get("iss"), system.baseUrl);
      assert.equal(denial.searchParams.get("code"), null);
      const unclear = await browser.submit(consent, { answer: "perhaps" });
      assert.equal(unclear.status, 400);
      const { action, fields } = firstForm({
        ...consent,
        text: consent.text.split("</form>")[1] + "</form>",
      });
      assert.equal(action, "/sign-out");
      const signIn = locationOf(await browser.post(action, fields));
      const again = await browser.get(await browser.signIn("ada", signIn));
      assert.match(again.text, /ada@acme\.test/);
    });

    test("[::1] is this machine too; what is not a loopback address is told to nobody else", async () => {
      const client = newClient();
      const browser = await signedInBrowser(system, "ada");
      const six = client.authorizePath({ redirect_uri: "http://[::1]:4321/callback" });
      const consent = await browser.get(six);
      const answer = locationOf(await browser.submit(consent, { answer: "allow" }));
      assert.ok(answer.startsWith("http://[::1]:4321/callback?code=co_"));
      for (const change of [
        { client_id: undefined },
        { client_id: "other" },
        { redirect_uri: undefined },
        { redirect_uri: "http://localhost:4321/callback" },
        { redirect_uri: "http://127.0.0.1/callback" },
        { redirect_uri: "http://127.0.0.1:70000/callback" },
        { redirect_uri: "http://127.0.0.1:4321/callback/" },
        { redirect_uri: "http://127.0.0.1:4321/callback?x=1" },
        { redirect_uri: "http://127.0.0.1:4321/callback#x" },
        { redirect_uri: "http://127.0.0.1:4321@evil.example/callback" },
        { redirect_uri: "http://127.0.0.1.evil.example:4321/callback" },
        { redirect_uri: "http://127.0.0.2:4321/callback" },
        { redirect_uri: "http://0x7f000001:4321/callback" },
        { redirect_uri: "https://127.0.0.1:4321/callback" },
        { redirect_uri: "https://evil.example/callback" },
        { redirect_uri: "javascript:alert(1)" },
      ]) {
        const refused = await browser.get(client.authorizePath(change));
        assert.equal(refused.status, 400, JSON.stringify(change));
        assert.equal(refused.headers.location, undefined);
        assert.match(String(refused.headers["content-type"]), /^text\/html/);
      }
      const twice = await browser.get(`${client.authorizePath()}&state=other`);
      assert.equal(twice.status, 400);
    });

    test("other mistakes in the request go back to the command line", async () => {
      const client = newClient();
      const browser = new Browser(system);
      const cases: [Record<string, string | undefined>, string][] = [
        [{ response_type: undefined }, "invalid_request"],
        [{ response_type: "token" }, "unsupported_response_type"],
        [{ code_challenge: undefined }, "invalid_request"],
        [{ code_challenge: "short" }, "invalid_request"],
        [{ code_challenge_method: undefined }, "invalid_request"],
        [{ code_challenge_method: "plain" }, "invalid_request"],
      ];
      for (const [change, error] of cases) {
        const answer = new URL(locationOf(await browser.get(client.authorizePath(change))));
        assert.equal(answer.origin, "http://127.0.0.1:4321");
        assert.equal(answer.searchParams.get("error"), error);
        assert.equal(answer.searchParams.get("state"), "a state/with + & signs");
        assert.equal(answer.searchParams.get("iss"), system.baseUrl);
      }
    });

    test("a code is for its verifier and address, for a minute, and once", async () => {
      const client = newClient();
      const browser = await signedInBrowser(system, "ada");
      const wrong = { code_verifier: "v".repeat(43) };
      const guessed = await client.code(browser);
      await refusedOauth(client.redeem(guessed, wrong), "invalid_grant");
      await refusedOauth(client.redeem(guessed), "invalid_grant");
      const elsewhere = { redirect_uri: "http://127.0.0.1:4322/callback" };
      await refusedOauth(client.redeem(await client.code(browser), elsewhere), "invalid_grant");
      const late = await client.code(browser);
      pass(minuteMs);
      await refusedOauth(client.redeem(late), "invalid_grant");
      const code = await client.code(browser);
      const { access, refresh } = await pairOf(client.redeem(code));
      assert.equal(await client.status(access), 200);
      await refusedOauth(client.redeem(code), "invalid_grant");
      assert.equal(await client.status(access), 401);
      await refusedOauth(client.refresh(refresh), "invalid_grant");
    });

    test("access ends after an hour; the refresh token gives the next pair, and used twice ends all", async () => {
      const client = newClient();
      const browser = await signedInBrowser(system, "ada");
      const first = await pairOf(client.redeem(await client.code(browser)));
      pass(60 * minuteMs);
      assert.equal(await client.status(first.access), 401);
      const second = await pairOf(client.refresh(first.refresh));
      assert.equal(await client.status(second.access), 200);
      await refusedOauth(client.refresh(first.refresh), "invalid_grant");
      assert.equal(await client.status(second.access), 401);
      await refusedOauth(client.refresh(second.refresh), "invalid_grant");
      const last = await pairOf(client.redeem(await client.code(browser)));
      await refusedOauth(client.refresh(last.access), "invalid_grant");
      pass(limits.refreshTokenLifetimeMs);
      await refusedOauth(client.refresh(last.refresh), "invalid_grant");
    });

    test("R17: 50 refreshes at once give one pair, and then nothing works", async () => {
      const client = newClient();
      const browser = await signedInBrowser(system, "ada");
      const { refresh } = await pairOf(client.redeem(await client.code(browser)));
      const replies = await Promise.all(Array.from({ length: 50 }, () => client.refresh(refresh)));
      const given = replies.filter(({ status }) => status === 200);
      assert.equal(given.length, 1);
      for (const reply of replies) {
        if (reply !== given[0]) await refusedOauth(reply, "invalid_grant");
      }
      assert.equal(await client.status((await pairOf(given[0])).access), 401);
    });

    test("revoking either token ends the sign-in; what nobody knows is revoked already", async () => {
      const client = newClient();
      const browser = await signedInBrowser(system, "ada");
      const kept = await pairOf(client.redeem(await client.code(browser)));
      for (const name of ["access", "refresh"] as const) {
        const pair = await pairOf(client.redeem(await client.code(browser)));
        for (let round = 0; round < 2; round += 1) {
          const reply = await client.post("/oauth/revoke", { token: pair[name] });
          assert.deepEqual([reply.status, reply.text], [200, ""]);
        }
        assert.equal(await client.status(pair.access), 401);
        await refusedOauth(client.refresh(pair.refresh), "invalid_grant");
      }
      assert.equal(await client.status(kept.access), 200);
      for (const token of ["x", "at_unknown", organizations.acme.key]) {
        const hinted = { token, token_type_hint: "refresh_token" };
        assert.equal((await client.post("/oauth/revoke", hinted)).status, 200);
      }
      await refusedOauth(client.post("/oauth/revoke", {}), "invalid_request");
    });

    test("token requests that are wrong are told how", async () => {
      const client = newClient();
      const code = { grant_type: "authorization_code", code: "x", redirect_uri: "x" };
      const verifier = "v".repeat(43);
      const cases: [Record<string, string>, string][] = [
        [{}, "invalid_request"],
        [{ grant_type: "password", username: "a", password: "b" }, "unsupported_grant_type"],
        [{ grant_type: "client_credentials" }, "unsupported_grant_type"],
        [{ ...code }, "invalid_request"],
        [{ ...code, code_verifier: "short" }, "invalid_request"],
        [{ ...code, code_verifier: verifier }, "invalid_grant"],
        [{ ...code, code_verifier: verifier, client_id: "other" }, "invalid_client"],
        [{ ...code, code_verifier: verifier, client_id: "" }, "invalid_request"],
        [{ grant_type: "refresh_token" }, "invalid_request"],
        [{ grant_type: "refresh_token", refresh_token: "rt_x" }, "invalid_grant"],
        [{ grant_type: "refresh_token", refresh_token: "a\u0000b" }, "invalid_request"],
        [{ grant_type: deviceGrant }, "invalid_request"],
        [{ grant_type: deviceGrant, device_code: "dc_x" }, "invalid_grant"],
      ];
      for (const [fields, error] of cases) await refusedOauth(client.token(fields), error);
      await refusedOauth(client.post("/oauth/device", {}), "invalid_request");
      await refusedOauth(client.post("/oauth/device", { client_id: "x" }), "invalid_client");
      const json = { method: "POST", path: "/oauth/token", body: { grant_type: "refresh_token" } };
      await refusedOauth(call(system.baseUrl, json), "invalid_request");
      const headers = { "content-type": "application/x-www-form-urlencoded" };
      for (const body of ["grant_type=a&grant_type=b", "grant_type=%ff", "grant_type=\u00e9"]) {
        const sent = call(system.baseUrl, { method: "POST", path: "/oauth/token", headers, body });
        await refusedOauth(sent, "invalid_request");
      }
    });

    test("device: the person enters the code, sees what asks, and allows it once", async () => {
      const client = newClient();
      const { deviceCode, userCode } = await client.startDevice();
      await refusedOauth(client.poll(deviceCode), "authorization_pending");
      await refusedOauth(client.poll(deviceCode), "slow_down");
      const browser = new Browser(system);
      const signIn = locationOf(await browser.get(`/device?user_code=${userCode}`));
      const entry = await browser.get(await browser.signIn("max", signIn));
      assert.ok(!entry.text.includes(userCode), "the code is never filled in");
      const confirm = await browser.submit(entry, {
        user_code: userCode.toLowerCase().replace("-", ""),
      });
      for (const shown of ["max@acme.test", "127.0.0.1", userCode, "on your own machine"]) {
        assert.ok(confirm.text.includes(shown), shown);
      }
      await refusedOauth(client.poll(deviceCode), "slow_down");
      const done = await browser.submit(confirm, { answer: "allow" });
      assert.equal(done.status, 200, done.text);
      const { access } = await pairOf(client.poll(deviceCode));
      assert.equal(await client.status(access), 200);
      // T24
      const again = await browser.submit(confirm, { answer: "allow" });
      assert.equal(again.status, 400);
      await refusedOauth(client.poll(deviceCode), "invalid_grant");
      assert.equal(await client.status(access), 401, "a code shown twice ends what it gave");
    });

    test("T24: approved twice, denied, by another person, after ten minutes: refused", async () => {
      const client = newClient();
      const ada = await signedInBrowser(system, "ada");
      const rita = await signedInBrowser(system, "rita");
      const device = await client.startDevice();
      const confirm = await ada.submit(await ada.get("/device"), { user_code: device.userCode });
      const foreign = await rita.submit(await rita.get("/device"), { user_code: device.userCode });
      assert.match(alertOf(foreign), /No device is waiting/);
      const { fields } = firstForm(await rita.get("/device"));
      const answered = { ...fields, user_code: device.userCode, answer: "allow" };
      assert.equal((await rita.post("/device", answered)).status, 400);
      const both = await Promise.all([
        ada.submit(confirm, { answer: "allow" }),
        ada.submit(confirm, { answer: "allow" }),
      ]);
      assert.deepEqual(both.map(({ status }) => status).sort(), [200, 400]);
      await pairOf(client.poll(device.deviceCode));

      const denied = await client.startDevice();
      const page = await ada.submit(await ada.get("/device"), { user_code: denied.userCode });
      assert.equal((await ada.submit(page, { answer: "deny" })).status, 200);
      assert.equal((await ada.submit(page, { answer: "allow" })).status, 400);
      await refusedOauth(client.poll(denied.deviceCode), "access_denied");

      const late = await client.startDevice();
      const waiting = await ada.submit(await ada.get("/device"), { user_code: late.userCode });
      pass(10 * minuteMs);
      assert.equal((await ada.submit(waiting, { answer: "allow" })).status, 400);
      const expired = await ada.submit(await ada.get("/device"), { user_code: late.userCode });
      assert.equal(expired.status, 400);
      await refusedOauth(client.poll(late.deviceCode), "expired_token");
    });

    test("T20, T24: after five wrong codes the right one is not taken from this person", async () => {
      const client = newClient();
      const browser = await signedInBrowser(system, "bo");
      const { deviceCode, userCode } = await client.startDevice();
      const entry = await browser.get("/device");
      for (const wrong of ["BBBB-BBBB", "", "ÄÖÜ", "' OR 1=1", "BBBB-BBBC"]) {
        const reply = await browser.submit(entry, { user_code: wrong });
        assert.equal(reply.status, 400, wrong);
        assert.match(alertOf(reply), /No device is waiting/);
      }
      const refused = await browser.submit(entry, { user_code: userCode });
      assert.equal(refused.status, 429);
      assert.ok(Number(refused.headers["retry-after"]) > 500);
      await refusedOauth(client.poll(deviceCode), "authorization_pending");
      pass(10 * minuteMs);
      const fresh = await client.startDevice();
      assert.equal((await browser.submit(entry, { user_code: fresh.userCode })).status, 200);
    });
  },
  clock.service,
);
