import assert from "node:assert/strict";
import { test } from "node:test";
import { onEachDatabase } from "../../../database/databases.fixture.ts";
import { failsWith } from "../../../database/node.fixture.ts";
import { hashSecret } from "../../../ground/secrets.ts";
import { findCredential } from "../organizations/credential.ts";
import { forgetEnded } from "../people/forget-ended.ts";
import { changeRole, removePerson } from "../people/memberships.ts";
import { provisionPeople } from "../people/provision.ts";
import { createLink, listLinks } from "./links.ts";
import { openLink } from "./visit.ts";

const dayMs = 24 * 60 * 60 * 1_000;
const address = "192.0.2.1";

onEachDatabase((fresh) => {
  const node = fresh.node();

  async function share(days = 7) {
    const organizationId = await node.newOrganization();
    const owner = await node.addMember(organizationId, "owner");
    const maker = await node.addMember(organizationId, "member");
    const shows = { isAnonymous: false, showsConsole: false, showsFiles: false };
    const of = { organizationId, experimentIds: [], reportId: "report", ...shows };
    const by = { actor: maker, address };
    const { link, secret } = await node.write(createLink, { ...of, name: "x", days, ...by });
    const hash = hashSecret(secret);
    return { organizationId, owner, maker, link, hash };
  }

  const find = (hash: Uint8Array) =>
    node.read(findCredential, { kind: "guest", hash, organization: null });

  test("a link ends at its time, and is forgotten later", async () => {
    const { organizationId, hash, link } = await share(7);
    node.nowMs += 7 * dayMs - 1;
    assert.equal((await find(hash))?.kind, "guest");
    assert.equal((await node.write(openLink, { hash, address })).linkId, link.id);
    node.nowMs += 1;
    assert.equal(await find(hash), null);
    await assert.rejects(node.write(openLink, { hash, address }), failsWith("unauthorized"));
    assert.deepEqual((await node.read(listLinks, { organizationId })).links, []);
    const stored = () => node.all("SELECT id FROM guest_link WHERE id = $1", link.id);
    assert.equal((await stored()).length, 1);
    node.nowMs += 365 * dayMs;
    await node.write(forgetEnded, { limit: 1_000 });
    assert.equal((await stored()).length, 0);
  });

  test("the links of a person end when they leave, or may only read", async () => {
    const left = await share();
    const by = { actor: left.owner, address };
    const { organizationId, maker: personId } = left;
    await node.write(removePerson, { organizationId, personId, ...by });
    assert.equal(await find(left.hash), null);
    const lower = await share();
    const of = { organizationId: lower.organizationId, personId: lower.maker };
    const who = { ...of, actor: lower.owner, address };
    await node.write(changeRole, { ...who, role: "admin" });
    assert.ok((await find(lower.hash)) !== null);
    await node.write(changeRole, { ...who, role: "viewer" });
    assert.equal(await find(lower.hash), null);
    // The provision file at a start.
    const provisioned = await share();
    const [{ email }] = await node.all<{ email: string }>(
      "SELECT email FROM person WHERE id = $1",
      provisioned.maker,
    );
    for (const [role, isValid] of [
      ["admin", true],
      ["viewer", false],
    ] as const) {
      const memberships = [{ organization: provisioned.organizationId, role }];
      await node.write(provisionPeople, { people: [{ email, password: undefined, memberships }] });
      assert.equal((await find(provisioned.hash)) !== null, isValid, role);
    }
  });
});
