import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, suite, test } from "node:test";
import type { SignOnView } from "@lossless/protocol";
import { signIn } from "../contract/people.ts";
import { Service } from "../service.ts";
import { client, IdentityProvider } from "../sign-on/identity-provider.ts";
import { signInByProvider, signOnBody } from "../sign-on/sign-on-calls.ts";
import { type Finished, finished, start } from "./command-line.ts";

suite("lossless sign-on", () => {
  const directory = mkdtempSync(join(tmpdir(), "lossless-sign-on-"));
  let service: Service;
  let owner: string;
  let provider: IdentityProvider;
  before(async () => {
    service = await Service.start({ people: true, allowPrivate: ["127.0.0.0/8"] });
    owner = await signIn({ baseUrl: service.baseUrl, observe() {} }, "ada");
    const { redirectAddress } = await shown();
    provider = await IdentityProvider.start([redirectAddress]);
    provider.accounts.set("s-new", { email: "new@acme.test", email_verified: true });
    provider.account = "s-new";
  });
  after(async () => {
    await provider?.[Symbol.asyncDispose]();
    await service?.[Symbol.asyncDispose]();
    rmSync(directory, { recursive: true });
  });

  const lossless = (credential: string, ...words: string[]): Promise<Finished> =>
    finished(start(service.baseUrl, words, { LOSSLESS_API_KEY: credential }));

  async function shown(): Promise<SignOnView> {
    const { stdout, stderr, code } = await lossless(owner, "sign-on", "show", "--json");
    assert.equal(code, 0, stderr);
    return JSON.parse(stdout) as SignOnView;
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
    for (const line of [
      /^issuer +http:\/\/127/m,
      /^group ml +admin$/m,
      /^everybody else +member$/m,
    ])
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

  test("what cannot work is told and changes nothing", async () => {
    const body = signOnBody(`${provider.issuer}/nobody`);
    const wrong = await lossless(owner, "sign-on", "set", fileOf(JSON.stringify(body)));
    assert.equal(wrong.code, 1);
    assert.match(wrong.stderr, /openid-configuration|provider/i);
    const noJson = await lossless(owner, "sign-on", "set", fileOf("{"));
    assert.equal(noJson.code, 2);
    assert.match(noJson.stderr, /no JSON file/);
    assert.equal((await lossless(owner, "sign-on", "set", join(directory, "none"))).code, 2);
    const byKey = await finished(start(service.baseUrl, ["sign-on", "show"]));
    assert.match(byKey.stderr, /person/);
    assert.equal((await shown()).settings, null);
  });
});
