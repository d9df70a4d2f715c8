import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, suite, test } from "node:test";
import type { SignOnView } from "@lossless/protocol";
import { postSession, signIn } from "../contract/people.ts";
import { call } from "../http.ts";
import { people } from "../service.ts";
import { suiteDirectory, suiteService } from "../suite-service.ts";
import { client, IdentityProvider, publicClient } from "../sign-on/identity-provider.ts";
import { signInByProvider, signOnBody } from "../sign-on/sign-on-calls.ts";
import { type Finished, finished, start } from "./command-line.ts";

suite("lossless sign-on", () => {
  const directory = suiteDirectory("sign-on");
  const service = suiteService({ people: true, allowPrivate: ["127.0.0.0/8"] });
  let owner: string;
  let provider: IdentityProvider;
  before(async () => {
    owner = await signIn({ baseUrl: service.baseUrl, observe() {} }, "ada");
    const { redirectAddress } = await shown();
    provider = await IdentityProvider.start([redirectAddress]);
    provider.accounts.set("s-new", { email: "new@acme.test", email_verified: true });
    provider.account = "s-new";
  });
  after(async () => {
    await provider?.[Symbol.asyncDispose]();
  });

  const lossless = (credential: string, ...words: string[]): Promise<Finished> =>
    finished(start(service.baseUrl, words, { LOSSLESS_API_KEY: credential }));

  async function shown(): Promise<SignOnView> {
    const { stdout, stderr, code } = await lossless(owner, "sign-on", "show", "--json");
    assert.equal(code, 0, stderr);
    return JSON.parse(stdout) as SignOnView;
  }

  /** Starts again with more in the provision file of acme. */
  async function provisioned(more: object): Promise<void> {
    await service.stop();
    const file = JSON.parse(readFileSync(service.provisionFile, "utf8")) as {
      organizations: object[];
    };
    const [acme, ...others] = file.organizations;
    const organizations = [{ ...acme, ...more }, ...others];
    writeFileSync(service.provisionFile, JSON.stringify({ ...file, organizations }));
    await service.start();
    owner = await signIn({ baseUrl: service.baseUrl, observe() {} }, "ada");
  }

  function fileOf(content: string): string {
    const file = join(directory, "settings.json");
    writeFileSync(file, content);
    return file;
  }

  test("an owner sets it from a file, people sign in by it, and it is removed", async () => {
    const roles = [{ group: "ml", role: "admin" as const }];
    const body = signOnBody(provider.issuer, { groupsClaim: "groups", roles });
    const set = await lossless(owner, "sign-on", "set", fileOf(JSON.stringify(body)));
    assert.equal(set.code, 0, set.stderr);
    for (const line of [/^issuer +http:\/\/127/m, /^group ml +admin$/m, /^other people +member$/m])
      assert.match(set.stdout, line);
    assert.ok(!set.stdout.includes(client.secret));
    const view = await shown();
    assert.equal(view.settings?.issuer, provider.issuer);
    assert.ok(await signInByProvider({ baseUrl: service.baseUrl, observe() {} }, view));
    const removed = await lossless(owner, "sign-on", "remove");
    assert.equal(removed.stdout, "The identity provider is removed.\n");
    assert.equal((await shown()).settings, null);
    assert.equal((await lossless(owner, "sign-on", "remove")).code, 1);
  });

  test("SCIM: a token is shown once, and ended; without a sign-on there is none", async () => {
    const scim = (...words: string[]) => lossless(owner, "sign-on", "scim", ...words);
    assert.equal((await scim("--new-token")).code, 1);
    await lossless(owner, "sign-on", "set", fileOf(JSON.stringify(signOnBody(provider.issuer))));
    assert.match((await scim()).stdout, /^token made +none$/m);
    const made = await scim("--new-token");
    assert.match(made.stdout, /^sc_\w+\n$/);
    const headers = { authorization: `Bearer ${made.stdout.trim()}` };
    const users = async () => (await fetch(`${service.baseUrl}/scim/v2/Users`, { headers })).status;
    assert.equal(await users(), 200);
    const shown = await scim();
    assert.match(shown.stdout, /^base address +http\S+\/scim\/v2$/m);
    assert.doesNotMatch(shown.stdout, /none|sc_/);
    assert.equal((await scim("--new-token", "--end")).code, 2);
    assert.equal((await scim("--end")).stdout, "SCIM is ended.\n");
    assert.equal(await users(), 401);
    assert.equal((await scim("--end")).code, 1);
    await lossless(owner, "sign-on", "remove");
  });

  test("what cannot work is told and changes nothing", async () => {
    const body = signOnBody(`${provider.issuer}/nobody`);
    const wrong = await lossless(owner, "sign-on", "set", fileOf(JSON.stringify(body)));
    assert.equal(wrong.code, 1);
    assert.match(wrong.stderr, /openid-configuration|provider/i);
    const noJson = await lossless(owner, "sign-on", "set", fileOf("{"));
    assert.equal(noJson.code, 2);
    assert.match(noJson.stderr, /cannot be read as JSON/);
    assert.equal((await lossless(owner, "sign-on", "set", join(directory, "none"))).code, 2);
    const byKey = await finished(start(service.baseUrl, ["sign-on", "show"]));
    assert.match(byKey.stderr, /person/);
    assert.equal((await shown()).settings, null);
  });

  test("the provision file sets it, with the days of the trash; the same again changes nothing", async () => {
    const signOn = {
      ...signOnBody(provider.issuer),
      clientId: publicClient.id,
      clientSecret: null,
    };
    const changes = async () => {
      const { stdout } = await lossless(owner, "audit", "--json");
      const events = JSON.parse(stdout) as { action: string; actor: string }[];
      const isOurs = ({ action }: { action: string }) =>
        /^(signOn\.changed|trash\.set)$/.test(action);
      return events.filter((one) => isOurs(one) && one.actor === "provision").length;
    };
    await provisioned({ signOn: { ...signOn, issuer: "http://127.0.0.1:1" }, trashDays: 5 });
    assert.match(service.errors, /IDENTITY PROVIDER OF THE PROVISION FILE CANNOT BE USED/);
    assert.equal(await changes(), 2);
    await provisioned({ signOn, trashDays: 5 });
    assert.equal(await changes(), 3);
    const view = await shown();
    assert.deepEqual([view.settings?.issuer, view.settings?.publicClient], [provider.issuer, true]);
    assert.match((await lossless(owner, "trash", "keep")).stdout, /\b5\b/);
    await lossless(owner, "sign-on", "set", fileOf(JSON.stringify(signOnBody(provider.issuer))));
    await provisioned({ signOn: { ...signOn, forced: true }, trashDays: 5 });
    assert.equal((await shown()).settings?.clientId, publicClient.id, "the file's word counts");
    await provisioned({ signOn: { ...signOn, forced: true }, trashDays: 5 });
    assert.equal(await changes(), 4);
  });

  test("a new password, where passwords are the owners' alone", async () => {
    const data = ["--data", service.dataDirectory, "--base-url", service.baseUrl];
    const reset = (email: string) => lossless("", "people", "reset-password", email, ...data);
    const taken = async (email: string, password: string): Promise<number> => {
      const { stdout } = await reset(email);
      const token = new URL(stdout.trim()).searchParams.get("token");
      const path = "/api/v1/invitations/accept";
      return (await call(service.baseUrl, { path, body: { token, email, password } })).status;
    };
    const target = { baseUrl: service.baseUrl, observe() {} };
    const { email } = people.max;
    const refused = await reset(email);
    assert.deepEqual([refused.code, refused.stdout], [1, ""]);
    assert.match(
      refused.stderr,
      /acme takes passwords of owners alone.*people role max@acme\.test owner/,
    );
    const role = ["people", "role", email, "owner", "--organization", "acme"];
    assert.equal((await lossless("", ...role, "--data", service.dataDirectory)).code, 0);
    assert.equal(await taken(email, "a way back in"), 201);
    const again = await postSession(target, { email, password: "a way back in" });
    assert.equal(again.status, 201, again.text);
    assert.equal(await taken(people.ada.email, "another way in"), 201);
    const ada = await postSession(target, { ...people.ada, password: "another way in" });
    assert.equal(ada.status, 201, ada.text);
    // Bo, whom the other organization asks for a password, may have a new one for it.
    assert.equal(await taken(people.bo.email, "for the other one"), 201);
  });
});
