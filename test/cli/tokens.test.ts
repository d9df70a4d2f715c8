import assert from "node:assert/strict";
import { before, suite, test } from "node:test";
import type { CreateTokenReply, PersonalToken } from "@lossless/protocol";
import { signIn } from "../contract/people.ts";
import { suiteService } from "../suite-service.ts";
import { type Finished, finished, start } from "./command-line.ts";

suite("lossless tokens", () => {
  const service = suiteService({ people: true });
  let person: string;
  before(async () => {
    person = await signIn({ baseUrl: service.baseUrl, observe() {} }, "ada");
  });

  /** Acts with the credential, whatever kind it is. */
  const lossless = (credential: string, line: string): Promise<Finished> =>
    finished(start(service.baseUrl, line.split(" "), { LOSSLESS_API_KEY: credential }));

  test("a person makes one, sees it and revokes it; programs act with it", async () => {
    const made = await lossless(person, "tokens create --name job --scope read --days 7 --json");
    assert.equal(made.code, 0, made.stderr);
    const { secret, token } = JSON.parse(made.stdout) as CreateTokenReply;
    const listed = await lossless(person, "tokens list");
    assert.match(listed.stdout, /^ID .*\n\w+ +job +read +ada@acme\.test /);
    const who = await lossless(secret, "whoami");
    assert.match(who.stdout, /^credential +personal token .*\nperson +ada@acme\.test$/m);
    const answer = await lossless(secret, "whoami --json");
    const { credential, userId } = JSON.parse(answer.stdout) as Record<string, unknown>;
    assert.deepEqual([credential, userId], ["personal_token", token.person]);
    const revoked = await lossless(person, `tokens revoke ${token.id}`);
    assert.equal(revoked.stdout, `${token.id} is revoked\n`);
    assert.equal((await lossless(secret, "whoami")).code, 1);
  });

  test("a service account has its own; an API key makes none, and odd words are a mistake of usage", async () => {
    const made = await lossless(person, "tokens create --name ci --service-account --days none");
    assert.match(made.stdout, /^pt_\w{38}\n$/);
    const all = await lossless(person, "tokens list --all --json");
    const tokens = JSON.parse(all.stdout) as PersonalToken[];
    assert.deepEqual(
      tokens.map(({ owner, expires }) => [owner, expires]),
      [["ci", null]],
    );
    const byKey = await finished(start(service.baseUrl, ["tokens", "list"]));
    assert.equal(byKey.code, 1);
    assert.match(byKey.stderr, /person/);
    for (const more of ["--scope all", "--days 0", "--days soon"]) {
      assert.equal((await lossless(person, `tokens create --name x ${more}`)).code, 2);
    }
  });
});
