import assert from "node:assert/strict";
import { test } from "node:test";
import { limits } from "@lossless/protocol/limits";
import { call, type HttpReply, ok, parseObject } from "../../http.ts";
import { people } from "../../service.ts";
import { alertOf, Browser, firstForm, formsOf, locationOf } from "../browser.ts";
import { OauthClient, signedInBrowser } from "../oauth-client.ts";
import { signIn } from "../people.ts";
import { topic } from "../topic.ts";

/** Checks the properties of every page. */
function checkPage(page: HttpReply): void {
  const { headers, text } = page;
  assert.equal(headers["content-type"], "text/html; charset=utf-8");
  const policy = String(headers["content-security-policy"]);
  assert.match(policy, /^default-src 'none'; style-src 'sha256-[^' ]+'; form-action 'self'/);
  assert.match(policy, /; frame-ancestors 'none'; base-uri 'none'$/);
  assert.equal(headers["x-frame-options"], "DENY");
  assert.equal(headers["cache-control"], "no-store");
  assert.equal(headers["x-content-type-options"], "nosniff");
  assert.equal(headers["referrer-policy"], "strict-origin");
  assert.equal(headers["access-control-allow-origin"], undefined);
  assert.doesNotMatch(text, /<script|<iframe|<img|\sstyle=|\son[a-z]+=/i);
  assert.match(text, /<html lang="en">/);
  assert.equal([...text.matchAll(/<h1>/g)].length, 1);
  for (const [, tag = ""] of text.matchAll(/<input\b([^>]*)>/gs)) {
    if (tag.includes('type="hidden"')) continue;
    const id = /\bid="(\w+)"/.exec(tag)?.[1];
    assert.ok(id !== undefined && text.includes(`<label for="${id}">`), `no label: ${tag}`);
  }
}

topic("pages", (system) => {
  const newBrowser = () => new Browser(system);

  /** The token of a new link to acme. */
  const invite = async (body: { email?: string; role: string }): Promise<string> => {
    const invited = await call(system.baseUrl, {
      method: "POST",
      path: "/api/v1/invitations",
      credential: await signIn(system, "ada"),
      body,
    });
    return new URL(String(ok(invited, 201).link)).searchParams.get("token") ?? "";
  };

  test("every page is plain, framed by nobody, cached by nobody, and labels its fields", async () => {
    const browser = newBrowser();
    checkPage(await browser.get("/sign-in"));
    checkPage(await browser.get("/join?token=in_x"));
    checkPage(await browser.get("/join"));
    checkPage(await browser.get("/oauth/authorize"));
    await browser.signIn("ada");
    checkPage(await browser.get("/sign-in"));
    checkPage(await browser.get("/device"));
    checkPage(await browser.submit(await browser.get("/device"), { user_code: "BBBB-BBBB" }));
    checkPage(await browser.get(new OauthClient(system).authorizePath()));
  });

  test("the bare address shows a browser the pages; for programs there is nothing", async () => {
    const accept = "text/html,application/xhtml+xml;q=0.9,*/*;q=0.8";
    const page = await call(system.baseUrl, { path: "/", headers: { accept } });
    assert.equal(locationOf(page), "/experiments");
    for (const headers of [{}, { accept: "*/*" }, { accept: "application/json" }]) {
      const reply = await call(system.baseUrl, { path: "/", headers });
      assert.equal(reply.status, 404);
      assert.match(
        reply.text,
        /^\{"data":null,"error":\{"message":"There is nothing at this address\. GET \/readyz says whether/,
      );
    }
  });

  test("a wrong password and an unknown address get the same page; what was typed is escaped", async () => {
    const browser = newBrowser();
    const page = await browser.get("/sign-in?next=/device");
    const email = `"><script>alert(1)</script>@x.test`;
    const typed = [
      { email: people.ada.email, password: "wrong" },
      { email, password: "wrong" },
    ];
    const sentences = [];
    for (const each of typed) {
      const refused = await browser.submit(page, each);
      assert.equal(refused.status, 401);
      checkPage(refused);
      sentences.push(alertOf(refused));
      const { fields } = firstForm(refused);
      assert.deepEqual(fields, { next: "/device", email: each.email });
      assert.equal(refused.headers["set-cookie"], undefined);
    }
    assert.equal(sentences[0], sentences[1]);
  });

  test("sign-in goes on to pages of ours only", async () => {
    const typed = people.ada;
    const own = new OauthClient(system).authorizePath();
    for (const next of ["/device", own, "/experiments?q=a", "/experiments/x?y=log"]) {
      const browser = newBrowser();
      assert.equal(locationOf(await browser.post("/sign-in", { ...typed, next })), next);
    }
    for (const next of [
      "//evil.example/device",
      "/\\evil.example",
      "https://evil.example/device",
      "/\t/evil.example",
      "/api/v1/org",
      "/device\r\nset-cookie: a=b",
      "",
    ]) {
      const browser = newBrowser();
      const page = await browser.get(`/sign-in?${new URLSearchParams({ next }).toString()}`);
      assert.deepEqual(firstForm(page).fields, { email: "" });
      assert.equal(locationOf(await browser.post("/sign-in", { ...typed, next })), "/experiments");
    }
  });

  test("a sign-in form with more than an address and a password can be is told so", async () => {
    const email = people.ada.email;
    for (const typed of [
      { email, password: "x".repeat(limits.passwordCharactersMax + 1) },
      { email: `${"x".repeat(limits.emailCharactersMax)}@acme.test`, password: "a password" },
    ]) {
      const reply = await newBrowser().post("/sign-in", typed);
      assert.equal(reply.status, 400, reply.text);
      assert.match(reply.text, /role="alert"/);
    }
  });

  test("the session lives in an HttpOnly cookie, is new with each sign-in, and ends with sign-out", async () => {
    const browser = newBrowser();
    const reply = await browser.post("/sign-in", people.ada);
    const [line = ""] = reply.headers["set-cookie"] ?? [];
    assert.match(line, /^lossless_session=as_\w+; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Lax$/);
    const old = browser.cookie!;
    assert.equal(locationOf(reply), "/experiments");
    const home = await browser.get("/sign-in");
    assert.match(home.text, /ada@acme\.test/);
    await browser.post("/sign-in", people.ada);
    assert.notEqual(browser.cookie, old);
    const isOver = async (cookie: string) => {
      const page = await call(system.baseUrl, { path: "/device", headers: { cookie } });
      return page.status === 303;
    };
    assert.equal(await isOver(old), true);
    const held = browser.cookie!;
    assert.equal(await isOver(held), false);
    const [signOut] = formsOf(await browser.get("/sign-in"));
    assert.equal(signOut?.action, "/sign-out");
    assert.equal(locationOf(await browser.post("/sign-out", signOut.fields)), "/sign-in");
    assert.equal(browser.cookie, undefined);
    assert.equal(await isOver(held), true);
    assert.equal(locationOf(await browser.post("/sign-out", {})), "/sign-in");
  });

  test("T21: forms of other sites, without the page's token, or of another type are refused", async () => {
    const client = new OauthClient(system);
    const browser = await signedInBrowser(system, "ada");
    const consent = await browser.get(client.authorizePath());
    const { action, fields } = firstForm(consent);
    const { userCode } = await client.startDevice();
    const otherToken = firstForm(
      await (await signedInBrowser(system, "ada")).get("/device"),
    ).fields;
    const forms: [string, Record<string, string>][] = [
      [action, { ...fields, answer: "allow" }],
      ["/device", { ...fields, user_code: userCode }],
      ["/sign-out", fields],
    ];
    for (const [path, right] of forms) {
      for (const headers of [
        { origin: "https://evil.example" },
        { origin: "null" },
        { origin: system.baseUrl, "sec-fetch-site": "cross-site" },
        { origin: system.baseUrl, "sec-fetch-site": "same-site" },
      ]) {
        const forged = await browser.post(path, right, headers);
        assert.equal(forged.status, 403, `${path} ${JSON.stringify(headers)}`);
      }
      for (const csrf of ["", "x", otherToken["csrf"]]) {
        assert.equal((await browser.post(path, { ...right, csrf })).status, 403, path);
      }
      const text = await browser.post(path, right, { "content-type": "text/plain" });
      assert.equal(text.status, 415);
      const multipart = { "content-type": "multipart/form-data; boundary=x" };
      assert.equal((await browser.post(path, right, multipart)).status, 415);
    }
    const forgedSignIn = await newBrowser().post("/sign-in", people.rita, {
      origin: "https://evil.example",
    });
    assert.equal(forgedSignIn.status, 403);
    assert.equal(forgedSignIn.headers["set-cookie"], undefined);
    // The session is still there: nothing of all that did anything.
    assert.equal((await browser.get("/device")).status, 200);
  });

  test("T21: asking for pages changes nothing", async () => {
    const client = new OauthClient(system);
    const browser = await signedInBrowser(system, "ada");
    const { deviceCode, userCode } = await client.startDevice();
    const token = await invite({ role: "member" });
    const asked = `/join?token=${token}&email=a@b.test&password=longenough`;
    for (const path of [
      `/device?user_code=${userCode}&answer=allow`,
      `${client.authorizePath()}&answer=allow`,
      asked,
      asked,
    ]) {
      assert.equal((await browser.get(path)).status, 200, path);
    }
    assert.equal((await browser.get("/sign-out")).status, 405);
    assert.equal((await browser.get("/device")).status, 200);
    const reply = await client.poll(deviceCode);
    assert.equal(parseObject(reply.text).error, "authorization_pending");
  });

  test("an invitation is taken once, by its form", async () => {
    const token = await invite({ email: "new@acme.test", role: "member" });
    const browser = newBrowser();
    const page = await browser.get(`/join?token=${token}`);
    assert.equal(page.status, 200);
    checkPage(page);
    assert.match(page.text, /You are invited to <strong>acme<\/strong> as member\./);
    assert.ok(!page.text.includes("new@acme.test"));
    const { action, fields } = firstForm(page);
    assert.equal(action, "/join");
    const typed = { email: "new@acme.test", password: "a new password" };
    const mistakes: [Record<string, string>, number][] = [
      [{ ...typed, password: "short" }, 400],
      [{ ...typed, email: "no address" }, 400],
      [{ ...typed, again: "another password" }, 400],
      [{ ...typed, email: "other@acme.test" }, 403],
      [{ ...typed, token: `${fields["token"]}x` }, 401],
    ];
    for (const [mistake, status] of mistakes) {
      const refused = await browser.post(action, { ...fields, ...mistake });
      assert.equal(refused.status, status, JSON.stringify(mistake));
      checkPage(refused);
      assert.ok(alertOf(refused).length > 0);
    }
    const joined = await browser.submit(page, { ...typed, again: typed.password });
    assert.equal(locationOf(joined), "/experiments");
    assert.match((await browser.get("/device")).text, /new@acme\.test/);
    assert.equal((await newBrowser().post(action, { ...fields, ...typed })).status, 401);
    const later = newBrowser();
    assert.equal(locationOf(await later.post("/sign-in", typed)), "/experiments");
    // Who is signed in is told what is of use to them, and types the password that they have once.
    const again = await browser.get(`/join?token=${token}`);
    checkPage(again);
    assert.match(again.text, /<a href="\/experiments">Continue<\/a> as new@acme\.test/);
    const another = await browser.get(`/join?token=${await invite({ role: "member" })}`);
    checkPage(another);
    assert.match(another.text, /new@acme\.test<\/strong>, who is already a member/);
    // The link is for somebody else, whose first password is typed twice.
    const once = { email: "else@acme.test", password: "a new password", again: "" };
    const refused = await browser.submit(another, once);
    assert.equal(refused.status, 400);
    assert.match(refused.text, /do not match[\s\S]*already a member/);
    // Whoever is signed in gives the one that they have.
    const same = await browser.submit(another, { ...typed, again: "" });
    assert.equal(locationOf(same), "/experiments");
  });

  test("links that lead nowhere look alike: unknown, used, revoked", async () => {
    const credential = await signIn(system, "ada");
    const used = await invite({ role: "member" });
    const typed = { email: "used@acme.test", password: "a new password" };
    const path = "/api/v1/invitations";
    const body = { token: used, ...typed };
    assert.equal((await call(system.baseUrl, { path: `${path}/accept`, body })).status, 201);
    const revoked = await invite({ email: "gone@acme.test", role: "admin" });
    const open = parseObject((await call(system.baseUrl, { path, credential })).text);
    const [mine] = (open.invitations as { id: string; email: string | null }[]).filter(
      ({ email }) => email === "gone@acme.test",
    );
    const ended = { method: "DELETE", path: `${path}?id=${mine?.id}`, credential } as const;
    assert.equal((await call(system.baseUrl, ended)).status, 204);
    const never = await invite({ role: "owner" });
    const pages = await Promise.all(
      [
        "in_x",
        "ak_x",
        `${never.slice(0, -1)}${never.endsWith("A") ? "B" : "A"}`,
        used,
        revoked,
      ].map((token) => newBrowser().get(`/join?token=${token}`)),
    );
    for (const page of pages) {
      assert.equal(page.status, 404);
      checkPage(page);
      assert.equal(page.text, pages[0].text);
      assert.match(page.text, /<h1>This link has ended<\/h1>/);
      assert.match(page.text, /<a href="\/sign-in">Sign in<\/a>/);
      assert.deepEqual(formsOf(page), []);
    }
  });
});
