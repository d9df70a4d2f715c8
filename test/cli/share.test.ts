import assert from "node:assert/strict";
import { before, suite, test } from "node:test";
import type { CreateGuestLinkReply } from "@lossless/protocol";
import { OrganizationCaller, targetOf } from "../contract/callers.ts";
import { signIn } from "../contract/people.ts";
import { organizations } from "../service.ts";
import { suiteService } from "../suite-service.ts";
import { type Finished, finished, start } from "./command-line.ts";

suite("lossless share", () => {
  const service = suiteService({ people: true });
  let person: string;
  before(async () => {
    const target = targetOf(service);
    person = await signIn(target, "ada");
    const acme = new OrganizationCaller(target, organizations.acme.key);
    for (const slug of ["one", "two"]) await acme.open(slug);
  });

  const lossless = (line: string): Promise<Finished> =>
    finished(start(service.baseUrl, line.split(" "), { LOSSLESS_API_KEY: person }));

  test("prints a link once, lists it, and ends it", async () => {
    const made = await lossless("share one two --days 3 --anonymous --json");
    assert.equal(made.code, 0, made.stderr);
    const { link, address } = JSON.parse(made.stdout) as CreateGuestLinkReply;
    assert.deepEqual(
      [link.kind, link.isAnonymous, link.name],
      ["comparison", true, "one and 1 more"],
    );
    const listed = await lossless("share list");
    assert.match(
      listed.stdout,
      new RegExp(`^ID .*\\n${link.id} +one and 1 more +comparison +ada@`),
    );
    assert.ok(!listed.stdout.includes(address.split("#")[1]));
    const revoked = await lossless(`share revoke ${link.id}`);
    assert.equal(revoked.stdout, `${link.id} is revoked\n`);
    assert.equal((await lossless("share one")).stdout.split("#")[0], `${service.baseUrl}/guest`);
  });

  test("names what is near, and says what is wrong", async () => {
    const unknown = await lossless("share onee");
    assert.match(unknown.stderr, /there is no experiment onee.*one/);
    for (const line of ["share one --days 91", "share"])
      assert.equal((await lossless(line)).code, 2, line);
  });
});
