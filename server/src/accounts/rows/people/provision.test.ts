import assert from "node:assert/strict";
import { test } from "node:test";
import type { Role } from "@lossless/protocol";
import { readAudit } from "../../../database/audit/audit.ts";
import { onEachDatabase } from "../../../database/databases.fixture.ts";
import { hashSecret } from "../../../ground/secrets.ts";
import { createInvitation, listInvitations } from "./invitations.ts";
import { changePassword } from "./password.ts";
import { findForSignIn } from "./person.ts";
import { provisionedPasswords, provisionPeople } from "./provision.ts";

onEachDatabase((fresh) => {
  const node = fresh.node();
  const other = fresh.dialect === "postgres" ? fresh.node() : node;

  /** One start with a file that gives this password; its "hash" is its text with a number. */
  let hashes = 0;
  async function start(email: string, password: string, roles: [string, Role][], on = node) {
    const [seen = null] = await on.read(provisionedPasswords, { emails: [email] });
    const isOld = seen?.startsWith(`${password} `) ?? false;
    hashes += 1;
    const news = isOld ? undefined : { seen, hash: `${password} ${hashes}` };
    const memberships = roles.map(([organization, role]) => ({ organization, role }));
    return on.write(provisionPeople, { people: [{ email, password: news, memberships }] });
  }
  const find = async (email: string) => {
    const [found] = await node.read(findForSignIn, { email });
    assert.ok(found !== undefined);
    return found;
  };
  const eventCount = async () =>
    (await node.read(readAudit, { organizationId: null, before: null, limit: 1_000 })).length;

  test("a second start changes nothing; the file's role counts; nobody is removed", async () => {
    const [acme, rival] = await Promise.all([1, 2].map(() => node.newOrganization()));
    await start("Ada@acme.test", "one", [
      [acme, "owner"],
      [rival, "member"],
    ]);
    const first = await find("ada@acme.test");
    assert.equal(first.person.email, "ada@acme.test");
    assert.deepEqual(
      new Map(first.organizations.map(({ name, role }) => [name, role])),
      new Map([
        [acme, "owner"],
        [rival, "member"],
      ]),
    );
    const events = await eventCount();
    await start("ada@acme.test", "one", [
      [acme, "owner"],
      [rival, "member"],
    ]);
    assert.deepEqual(await find("ada@acme.test"), first);
    assert.equal(await eventCount(), events);
    await start("ada@acme.test", "one", [[acme, "admin"]]);
    const roles = (await find("ada@acme.test")).organizations.map(({ role }) => role);
    assert.deepEqual(roles.sort(), ["admin", "member"]);
  });

  test("a role that the file takes away takes the links with it that it made", async () => {
    const acme = await node.newOrganization();
    const email = "dee@acme.test";
    await start(email, "one", [[acme, "owner"]]);
    const { person } = await find(email);
    for (const role of ["owner", "member"] as const) {
      const input = { organizationId: acme, email: null, role, actor: person.id, address: null };
      await node.write(createInvitation, input);
    }
    const open = async () =>
      (await node.read(listInvitations, { organizationId: acme })).map(({ role }) => role);
    await start(email, "one", [[acme, "admin"]]);
    assert.deepEqual(await open(), ["member"]);
    await start(email, "one", [[acme, "member"]]);
    assert.deepEqual(await open(), []);
  });

  test("a password that the person changed stays, until the file says another one", async () => {
    const acme = await node.newOrganization();
    const email = "bo@acme.test";
    await start(email, "one", [[acme, "member"]]);
    const { person } = await find(email);
    const keptSession = hashSecret("none");
    await node.write(changePassword, {
      personId: person.id,
      seenPassword: person.password,
      password: "own",
      keptSession,
      address: "::1",
    });
    await start(email, "one", [[acme, "member"]]);
    assert.equal((await find(email)).person.password, "own");
    await start(email, "two", [[acme, "member"]]);
    assert.match((await find(email)).person.password, /^two /);
  });

  test("several nodes start with one file at once", async () => {
    const acme = await node.newOrganization();
    const nodes = [node, other, node, other];
    await Promise.all(nodes.map((one) => start("cy@acme.test", "one", [[acme, "owner"]], one)));
    const { person, organizations } = await find("cy@acme.test");
    assert.equal(organizations.length, 1);
    const provisioned = await node.read(provisionedPasswords, { emails: [person.email, "nobody"] });
    assert.deepEqual(provisioned, [person.password, null]);
  });
});
