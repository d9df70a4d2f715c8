import assert from "node:assert/strict";
import { test } from "node:test";
import { readAudit } from "../../../database/audit/audit.ts";
import { onEachDatabase } from "../../../database/databases.fixture.ts";
import { keptDays, provisionTrashDays } from "../../../trash/setting.ts";
import { provisionSignOn } from "./provisioned.ts";
import { readSignOn } from "./setting.ts";

onEachDatabase((fresh) => {
  const node = fresh.node();

  test("what was compared with another revision is compared again; what is in the trash stays", async () => {
    const organizationId = await node.newOrganization();
    const settings = {
      name: "Okta",
      issuer: "https://acme.okta.com",
      clientId: "0oa",
      scopes: "openid",
      domains: ["acme.test"],
      groupsClaim: null,
      roles: [],
      defaultRole: "member" as const,
      forced: false,
    };
    const provision = (seen: number | null, more = {}) =>
      node.write(provisionSignOn, {
        organizationId,
        settings: { ...settings, ...more },
        sealedSecret: new Uint8Array([1]),
        seen,
      });
    assert.equal(await provision(null), true);
    assert.equal(await provision(null), false);
    assert.equal(await provision(1, { name: "Entra" }), true);
    const stored = await node.read(readSignOn, { organizationId });
    assert.deepEqual([stored?.name, stored?.revision], ["Entra", 2]);

    await node.write(provisionTrashDays, { organizationId, days: 5 });
    await node.execute("UPDATE organization SET trashed_at_ms = 1 WHERE id = $1", organizationId);
    assert.equal(await provision(null, { name: "of the trash" }), true);
    await node.write(provisionTrashDays, { organizationId, days: 9 });
    await node.execute(
      "UPDATE organization SET trashed_at_ms = NULL WHERE id = $1",
      organizationId,
    );
    assert.equal((await node.read(readSignOn, { organizationId }))?.name, "Entra");
    assert.equal(await node.read((reader) => keptDays(reader, organizationId, 0), {}), 5);
    const question = { organizationId, before: null, limit: 10 };
    const events = (await node.read(readAudit, question)).map(({ action }) => action);
    assert.deepEqual(events.sort(), ["signOn.changed", "signOn.changed", "trash.set"]);
  });
});
