import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { ArtifactCaller, sendParts } from "../contract/artifact-caller.ts";
import { Browser, formsOf, locationOf } from "../contract/browser.ts";
import { OauthClient } from "../contract/oauth-client.ts";
import { call, ok, parseObject } from "../http.ts";
import { organizations, people, Service } from "../service.ts";
import { IdentityProvider } from "../sign-on/identity-provider.ts";
import {
  readSignOn,
  sessionOf,
  setSignOn,
  signInByProvider,
  signOnBody,
} from "../sign-on/sign-on-calls.ts";
import { signIn } from "../contract/people.ts";

const path = "/tools/lossless";

for (const strips of [false, true])
  suite(`below a path that the proxy ${strips ? "takes off" : "passes on"}`, () => {
    let service: Service;
    before(async () => {
      const allowPrivate = ["127.0.0.0/8"];
      service = await Service.start({ people: true, allowPrivate, place: { path, strips } });
    });
    // It throws for whatever was asked beside the path.
    after(() => service[Symbol.asyncDispose]());
    const own = (address: string) => {
      assert.ok(address.startsWith(`${service.baseUrl}/`), address);
      return address;
    };
    const target = () => ({ baseUrl: service.baseUrl, observe: () => undefined });
    const { key } = organizations.acme;
    async function json(address: string, credential?: string) {
      const { pathname, search } = new URL(own(address));
      return ok(await call(service.baseUrl, { path: pathname + search, credential }));
    }

    test("health is told there and at the root of the service's own port", async () => {
      for (const word of ["/healthz", "/readyz"])
        assert.equal((await call(service.baseUrl, { path: word })).status, 200);
      for (const at of ["/healthz", `${path}/healthz`, "/readyz", `${path}/readyz`])
        assert.equal((await call(service.listenUrl, { path: at })).status, 200, at);
      for (const at of [`${path}ly/healthz`, "/tools/healthz", `${path}${path}/healthz`])
        assert.equal((await call(service.listenUrl, { path: at })).status, 404, at);
    });

    test("redirects, forms and links of the sign-in pages stay below it", async () => {
      const browser = new Browser(service);
      const start = { path: "/", headers: { accept: "text/html" } };
      assert.equal(locationOf(await call(service.baseUrl, start)), `${path}/experiments`);
      const asked = locationOf(await browser.get("/device"));
      assert.equal(asked, `${path}/sign-in?next=%2Fdevice`);
      const page = await browser.get(asked);
      assert.deepEqual(
        formsOf(page).map(({ action }) => action),
        [`${path}/sign-in`],
      );
      assert.equal(locationOf(await browser.submit(page, people.ada)), `${path}/device`);
      const home = await browser.get("/sign-in");
      const links = [...home.text.matchAll(/(?:href|action)="([^"]*)"/g)].map(([, link]) => link);
      assert.deepEqual(links, [`${path}/device`, `${path}/sign-out`]);
      assert.equal(locationOf(await browser.submit(home, {})), `${path}/sign-in`);
      // Only an address of ours is gone on to, and never one of what stands beside us.
      for (const next of ["//evil.test", "/other", "/tools/other", "https://evil.test/"]) {
        const reply = await browser.post("/sign-in", { ...people.ada, next });
        assert.equal(locationOf(reply), `${path}/experiments`);
      }
    });

    test("the cookie of a session is sent below it alone, under a name of its own", async () => {
      const reply = await new Browser(service).post("/sign-in", people.ada);
      assert.match(
        String(reply.headers["set-cookie"]),
        /^lossless_session-tools-lossless=as_\w+; Path=\/tools\/lossless; Max-Age=\d+; HttpOnly; SameSite=Lax$/,
      );
    });

    test("forms of other pages of the host are told by their origin, as without a path", async () => {
      const post = (origin: string) =>
        new Browser(service).post("/sign-in", people.ada, { origin });
      const { origin } = new URL(service.baseUrl);
      assert.equal((await post(origin)).status, 303);
      assert.equal((await post(service.baseUrl)).status, 403, "a path is no part of an origin");
      assert.equal((await post("http://evil.test")).status, 403);
      const named = { path: "/api/v1/whoami", credential: key, headers: { host: "evil.test" } };
      assert.equal((await call(service.listenUrl, named)).status, 421);
    });

    test("the pages name their scripts below it, and all of them are there", async () => {
      const { text } = await call(service.baseUrl, { path: "/experiments" });
      assert.match(text, /<html lang="en"[^>]* data-base="\/tools\/lossless">/);
      const found = [...text.matchAll(/(?:href|src)="(\/[^"]*)"/g)].map(([, address]) => address);
      assert.ok(found.length >= 3);
      // It is asked for early, and refused without a session.
      const session = `${path}/api/v1/sessions`;
      assert.ok(found.includes(session));
      for (const address of found.filter((each) => each !== session)) {
        assert.ok(address.startsWith(`${path}/assets/`), address);
        assert.equal((await call(service.baseUrl, { path: address })).status, 200, address);
      }
    });

    test("the sign-in of the command line is found where RFC 8414 says, and where clients look", async () => {
      const word = "/.well-known/oauth-authorization-server";
      const metadata = await json(service.baseUrl + word);
      assert.equal(metadata.issuer, service.baseUrl);
      for (const [name, value] of Object.entries(metadata))
        if (name.endsWith("_endpoint")) own(value as string);
      // A proxy has to pass that on by a line of its own.
      const inserted = await call(service.listenUrl, { path: word + path });
      assert.deepEqual(parseObject(inserted.text), metadata);
      const browser = new Browser(service);
      await browser.signIn("ada");
      const client = new OauthClient(target());
      const reply = await client.redeem(await client.code(browser));
      assert.equal(reply.status, 200, reply.text);
    });

    test("what others are told to call is whole, and leads there", async () => {
      const token = await signIn(target(), "ada");
      const { redirectAddress, startAddress } = await readSignOn(target(), token);
      assert.match(own(startAddress), /\/sign-on\/\w+$/);
      assert.equal(redirectAddress, `${startAddress}/callback`);
      const issuer = await json(`${service.baseUrl}/.well-known/openid-configuration`);
      assert.equal(issuer.issuer, service.baseUrl);
      await json(issuer.jwks_uri as string);
      const openapi = await json(`${service.baseUrl}/api/openapi.json`);
      assert.deepEqual(openapi.servers, [{ url: `${path}/` }]);
      const invited = await call(service.baseUrl, {
        path: "/api/v1/invitations",
        credential: token,
        body: { role: "member" },
      });
      const { link } = parseObject<{ link: string }>(invited.text);
      assert.match(own(link), /\/join\?token=in_\w+$/);
      const { pathname, search } = new URL(link);
      const page = await new Browser(service).get(pathname + search);
      assert.equal(formsOf(page)[0]?.action, `${path}/join`);
    });

    test("an identity provider sends people back to where they began", async () => {
      const token = await signIn(target(), "ada");
      const { redirectAddress } = await readSignOn(target(), token);
      await using provider = await IdentityProvider.start([redirectAddress]);
      provider.accounts.set("s-max", { email: people.max.email, email_verified: true });
      provider.account = "s-max";
      const asked = signOnBody(provider.issuer, { domains: ["acme.test"] });
      const view = await setSignOn(target(), token, asked);
      const { person } = await sessionOf(target(), await signInByProvider(target(), view));
      assert.equal(person.email, people.max.email);
    });

    test("signed addresses of the built-in location lead there, and to nowhere else", async () => {
      const caller = new ArtifactCaller(target(), key);
      const files = { "a b": Buffer.from("abc") };
      const { epoch } = await caller.open("runs/model");
      const upload = await caller.begin("runs/model", "1", epoch, files);
      for (const { parts } of upload.files) for (const { url } of parts) own(url);
      const sent = await sendParts(upload, files);
      assert.equal((await caller.commit("runs/model", upload.upload, epoch, sent)).status, 200);
      const [{ url }] = (await caller.read("runs/model", "latest", { urls: "1" })).files;
      const reply = await fetch(own(url!));
      assert.equal(await reply.text(), "abc");
      assert.equal((await fetch(`${url}x`)).status, 403);
    });

    test("a refusal has the form of its interface, also before there is a request", async () => {
      const unknown = await call(service.baseUrl, { path: "/api/v1/nope", credential: key });
      assert.equal(parseObject(unknown.text).error, "not_found");
      const page = { path: "/nowhere", headers: { accept: "text/html" } };
      assert.match((await call(service.baseUrl, page)).text, /data-base/);
    });
  });

test("two services of one host, one within the path of the other, keep a browser's sessions apart", async () => {
  await using outer = await Service.start({ people: true, place: { path: "/a", strips: false } });
  await using inner = await Service.start({ people: true, place: { path: "/a/b", strips: false } });
  const cookies = await Promise.all(
    [outer, inner].map(async (service) => {
      const browser = new Browser(service);
      await browser.signIn("ada");
      return browser.cookie!;
    }),
  );
  const headers = { cookie: cookies.join("; ") };
  for (const service of [outer, inner]) {
    const reply = await call(service.baseUrl, { path: "/api/v1/sessions", headers });
    assert.equal(reply.status, 200, reply.text);
  }
});

test("a path that addresses of the service begin with is refused at the start", async () => {
  for (const [flags, wanted] of [
    [["--base-url", "https://host.test/api"], /begins with \/api/],
    [["--base-url", "https://h.test/a", "--alt-base-url", "https://h.test/b"], /--alt-base-url/],
  ] as const) {
    const service = new Service({ flags: [...flags] });
    service.spawn();
    assert.equal(await service.exited, 2);
    assert.match(service.errors, wanted);
    await service[Symbol.asyncDispose]();
  }
});
