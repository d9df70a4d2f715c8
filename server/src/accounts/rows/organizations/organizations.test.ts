import assert from "node:assert/strict";
import { test } from "node:test";
import { limits } from "@lossless/protocol";
import { readAudit } from "../../../database/audit/audit.ts";
import { onEachDatabase } from "../../../database/databases.fixture.ts";
import { failsWith } from "../../../database/node.fixture.ts";
import { hashSecret, newSecret } from "../../../ground/secrets.ts";
import { noteCredentialUses } from "../credential-uses.ts";
import { findCredential } from "./credential.ts";
import { createKey, listKeys, listLivingKeys, revokeKey } from "./keys.ts";
import { requireOrganization } from "./organization.ts";
import { provision, ProvisionConflict } from "./provision.ts";

const admin = { actor: "admin", address: "::1" };
const byAdmin = { createdBy: "admin", address: "::1" };

onEachDatabase((fresh) => {
  const node = fresh.node();
  const other = fresh.node();

  const find = (secret: string) =>
    node.read(findCredential, { kind: "api_key", hash: hashSecret(secret), organization: null });
  const apply = (name: string, keys: Record<string, string>, on = node) =>
    on.write(provision, {
      organizations: [
        {
          name,
          quota: {},
          apiKeys: Object.entries(keys).map(([key, secret]) => ({
            name: key,
            hash: hashSecret(secret),
          })),
        },
      ],
    });
  const keysOf = (organization: string) => node.read(listKeys, { organization });

  test("a use is never moved back; the operator revokes a key for good", async () => {
    await apply("keys", {});
    const organization = await node.read(requireOrganization, "keys");
    await node.addMember(organization.id, "admin", "admin");
    const key = await node.write(createKey, { organization, name: "ci", ...byAdmin });
    const uses = [5_000, 4_000].map((atMs) => ({ kind: "api_key" as const, id: key.keyId, atMs }));
    await node.write(noteCredentialUses, { uses });
    const [used] = await keysOf("keys");
    assert.deepEqual(used, {
      keyId: key.keyId,
      organization: key.organization,
      name: "ci",
      createdBy: "admin",
      createdAtMs: node.nowMs,
      lastUsedAtMs: 5_000,
      revokedAtMs: null,
    });
    const revoked = { ...used, revokedAtMs: node.nowMs };
    for (let round = 0; round < 2; round += 1) {
      await node.write(revokeKey, { keyId: key.keyId, ...admin });
      assert.deepEqual(await keysOf("keys"), [revoked]);
      node.nowMs += 1;
    }
    assert.deepEqual(await node.read(listKeys, {}), [revoked]);
    const question = { organizationId: organization.id, before: null, limit: 10 };
    const events = await node.read(readAudit, question);
    assert.deepEqual(
      events
        .filter(({ subject }) => subject === key.keyId)
        .map(({ action }) => action)
        .sort(),
      ["apiKey.created", "apiKey.revoked"],
    );
  });

  test("who is no admin any more makes and revokes no key", async () => {
    const organizationId = await node.newOrganization();
    const organization = { id: organizationId, name: organizationId };
    const boss = await node.addMember(organizationId, "admin");
    const member = await node.addMember(organizationId, "member");
    const foreign = await node.addMember(await node.newOrganization(), "owner");
    const by = { createdBy: boss, address: "::1" };
    const { keyId } = await node.write(createKey, { organization, name: "ci", ...by });
    for (const actor of [member, foreign, "nobody"]) {
      const input = { organization, name: "stolen", createdBy: actor, address: "::1" };
      await assert.rejects(node.write(createKey, input), failsWith("forbidden"));
      const end = { keyId, organizationId, actor, address: "::1" };
      await assert.rejects(node.write(revokeKey, end), failsWith("forbidden"));
    }
    const living = await node.read(listLivingKeys, { organizationId });
    assert.deepEqual(
      living.map(({ name }) => name),
      ["ci"],
    );
  });

  test("an organization has at most so many living keys; a revoked one makes room", async () => {
    const organizationId = await node.newOrganization();
    const actor = await node.addMember(organizationId, "admin");
    await node.database.write(async (transaction) => {
      for (let index = 0; index < limits.apiKeysPerOrganizationMax; index += 1) {
        await transaction.run(
          `INSERT INTO api_key (id, organization, name, hash, created_by, created_at_ms)
           VALUES ($1, $2, $1, $3, $1, 0)`,
          `${organizationId} ${index}`,
          organizationId,
          hashSecret(`${organizationId} ${index}`),
        );
      }
    });
    const organization = { id: organizationId, name: organizationId };
    const input = { organization, name: "more", createdBy: actor, address: "::1" };
    await assert.rejects(node.write(createKey, input), failsWith("conflict"));
    const end = { keyId: `${organizationId} 0`, organizationId, actor, address: "::1" };
    await node.write(revokeKey, end);
    await node.write(createKey, input);
    await assert.rejects(node.write(createKey, input), failsWith("conflict"));
  });

  test("an unknown organization or key is told as such", async () => {
    await assert.rejects(
      node.write(revokeKey, { keyId: "nowhere", ...admin }),
      failsWith("not_found"),
    );
    await assert.rejects(keysOf("nowhere"), failsWith("not_found"));
  });

  test("a provision file can be applied again and again, and takes nothing away", async () => {
    const [a, b] = [newSecret("ak_"), `ak_${"own".repeat(20)}`];
    await apply("acme", { ci: a, laptop: b });
    const before = await keysOf("acme");
    assert.equal(before.length, 2);
    const log = () => node.read(readAudit, { organizationId: null, before: null, limit: 1_000 });
    const events = await log();
    const words = ["organization.created", "apiKey.created", "apiKey.created"];
    const acme = await node.read(requireOrganization, "acme");
    const own = await node.read(readAudit, { organizationId: acme.id, before: null, limit: 9 });
    assert.deepEqual(own.map(({ action }) => action).sort(), words.sort());
    await apply("acme", { ci: a, laptop: b });
    await apply("acme", {});
    assert.deepEqual(await keysOf("acme"), before);
    assert.deepEqual(await log(), events);
    assert.ok((await find(a)) !== null && (await find(b)) !== null);
  });

  test("another secret under a name replaces the one before, also back again", async () => {
    const [first, second] = [newSecret("ak_"), newSecret("ak_")];
    for (const [now, then] of [
      [first, second],
      [second, first],
      [first, second],
    ]) {
      await apply("rotating", { ci: now });
      assert.ok((await find(now)) !== null);
      assert.equal(await find(then), null);
    }
  });

  test("secrets may change their names, also against each other", async () => {
    const [a, b, c] = [newSecret("ak_"), newSecret("ak_"), newSecret("ak_")];
    await apply("renaming", { one: a, two: b });
    for (let start = 0; start < 2; start++) {
      await apply("renaming", { one: b, two: a });
      assert.ok((await find(a)) !== null && (await find(b)) !== null);
    }
    await apply("renaming", { one: c, three: b });
    assert.ok((await find(a)) !== null && (await find(b)) !== null && (await find(c)) !== null);
    assert.deepEqual((await keysOf("renaming")).map(({ name }) => name).sort(), [
      "one",
      "three",
      "two",
    ]);
  });

  test("a key that was revoked stays revoked until the file gives it a new secret", async () => {
    const [first, second] = [newSecret("ak_"), newSecret("ak_")];
    await apply("revoking", { ci: first });
    const [{ keyId }] = await keysOf("revoking");
    await node.write(revokeKey, { keyId, ...admin });
    await apply("revoking", { ci: first });
    assert.equal(await find(first), null);
    await apply("revoking", { ci: second });
    assert.ok((await find(second)) !== null);
    assert.equal(await find(first), null);
  });

  test("one secret cannot be the key of two organizations, and nothing of such a file is applied", async () => {
    const secret = newSecret("ak_");
    await apply("one", { ci: secret });
    await assert.rejects(apply("two", { ci: secret }), ProvisionConflict);
    await assert.rejects(keysOf("two"), failsWith("not_found"));
  });

  if (fresh.dialect === "postgres") {
    test("several nodes apply one file at once", async () => {
      const secret = newSecret("ak_");
      const nodes = [node, other, node, other];
      await Promise.all(nodes.map((one) => apply("cluster", { ci: secret }, one)));
      assert.equal((await keysOf("cluster")).length, 1);
    });
  }
});
