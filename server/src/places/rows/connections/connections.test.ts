import assert from "node:assert/strict";
import { test } from "node:test";
import { limits } from "@lossless/protocol/limits";
import { queueRemoval } from "../../../artifacts/rows/removal.ts";
import { onEachDatabase } from "../../../database/databases.fixture.ts";
import { failsWith, type TestNode } from "../../../database/node.fixture.ts";
import { completeConnection, refuseConnection } from "./complete.ts";
import type { CloudIdentifiers } from "./connection.ts";
import { createConnection } from "./create.ts";
import { removeConnection } from "./remove.ts";
import { findConnection, listConnections, type StoredConnection } from "./stored-connection.ts";

const by = { actor: "person", address: "192.0.2.1" };
const identifiersOf = (role: string): CloudIdentifiers => {
  return { cloud: "aws", aws: { roleArn: `arn:aws:iam::123456789012:role/${role}` } };
};

onEachDatabase((fresh) => {
  const node = fresh.node();

  const newOrganization = async (role: "owner" | "admin" | "member" = "admin"): Promise<string> => {
    const id = await node.newOrganization();
    await node.addMember(id, role, by.actor);
    return id;
  };
  /** Ids sort by time. */
  const later = (): TestNode => {
    node.nowMs += 1;
    return node;
  };
  const create = (organizationId: string, name = "account") =>
    later().write(createConnection, { organizationId, cloud: "aws" as const, name, by });
  const complete = (
    { organizationId, id }: StoredConnection,
    role: string,
    reached: readonly string[] = [],
  ) => {
    const identifiers = identifiersOf(role);
    return later().write(completeConnection, { organizationId, id, identifiers, reached, by });
  };
  const refuse = ({ organizationId, id }: StoredConnection, error: string) =>
    later().write(refuseConnection, { organizationId, id, error, by });
  const remove = ({ organizationId, id }: Pick<StoredConnection, "organizationId" | "id">) =>
    later().write(removeConnection, { organizationId, id, by });
  const list = (organizationId: string) => node.read(listConnections, { organizationId });
  const find = ({ organizationId, id }: StoredConnection) =>
    node.read(findConnection, { organizationId, id });
  const auditOf = async (organizationId: string) => {
    const rows = await node.all<{ action: string; subject: string; details: string }>(
      "SELECT action, subject, details FROM audit WHERE organization = $1 ORDER BY id",
      organizationId,
    );
    return rows.map(({ details, ...row }) => ({ ...row, details: JSON.parse(details) as unknown }));
  };
  const addLocation = async (
    { organizationId, id }: StoredConnection,
    locationId: string,
    state: "active" | "retired",
  ): Promise<void> => {
    await node.execute(
      `INSERT INTO location (id, organization, driver, name, cloud, region, endpoint, bucket, path, connection,
         capabilities, is_fallback, is_default, state, created_at_ms)
       VALUES ($1, $2, 'aws', $1, 'aws', 'r', 'https://s3.test', $1, '', $3, '{}', 0, 0, $4, $5)`,
      locationId,
      organizationId,
      id,
      state,
      (node.nowMs += 1),
    );
  };
  const addUpload = async (organizationId: string, location: string, state: string) => {
    const id = `upload-${crypto.randomUUID()}`;
    await node.execute(
      `INSERT INTO artifact (id, organization, path, epoch, versions, bytes) VALUES ($1, $2, $1, 1, 0, 0)`,
      id,
      organizationId,
    );
    await node.execute(
      `INSERT INTO upload (id, artifact, organization, version, epoch, state, location, place, meta, prefix, files,
         bytes, created_at_ms) VALUES ($1, $1, $2, '1', 1, $4, $3, '{}', '{}', $1, 1, 7, 0)`,
      id,
      organizationId,
      location,
      state,
    );
    await node.execute("INSERT INTO upload_files (upload, files) VALUES ($1, '[]')", id);
    return id;
  };
  const queue = (id: string) =>
    node.write(
      (transaction, uploadId: string, moment) =>
        queueRemoval(transaction, uploadId, "expired", moment),
      id,
    );
  const countOf = async (table: string, upload: string) =>
    (await node.all(`SELECT upload FROM ${table} WHERE upload = $1`, upload)).length;

  test("only who is an admin at that moment; another organization's connection does not exist", async () => {
    const organizationId = await newOrganization();
    const made = await create(organizationId);
    const foreign = { ...made, organizationId: await newOrganization("owner") };
    for (const work of [() => complete(foreign, "r"), () => refuse(foreign, "e")]) {
      await assert.rejects(work, failsWith("not_found"));
    }
    await assert.rejects(remove(foreign), failsWith("not_found"));
    assert.equal(await find(foreign), null);
    assert.deepEqual(await list(foreign.organizationId), []);
    await node.execute(
      "UPDATE membership SET role = 'member' WHERE organization = $1",
      organizationId,
    );
    await assert.rejects(create(organizationId), failsWith("forbidden"));
    await assert.rejects(complete(made, "r"), failsWith("forbidden"));
    await assert.rejects(refuse(made, "e"), failsWith("forbidden"));
    await assert.rejects(remove(made), failsWith("forbidden"));
    assert.deepEqual(await find(made), made);
  });

  test("the number of connections is limited; names are not unique (A65)", async () => {
    const organizationId = await newOrganization();
    await node.execute(
      `INSERT INTO connection (id, organization, cloud, name, state, created_at_ms)
       WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < $2)
       SELECT $1 || '-' || i, $1, 'gcp', 'account', 'pending', 0 FROM n`,
      organizationId,
      limits.connectionsPerOrganizationMax - 1,
    );
    const last = await create(organizationId);
    await assert.rejects(create(organizationId), failsWith("conflict"));
    await remove(last);
    await create(organizationId);
  });

  test("a connection that an active location uses stays (A50); the refusal names the locations", async () => {
    const organizationId = await newOrganization();
    const made = await create(organizationId);
    for (let at = 1; at <= 7; at++) await addLocation(made, `${made.id}-l${at}`, "active");
    const named = (error: Error & { code?: string }) => {
      assert.equal(error.code, "conflict");
      assert.ok(error.message.includes(`${made.id}-l1 (${made.id}-l1)`));
      assert.match(error.message, /-l5\) and 2 more\. Retire them first\.$/);
      return true;
    };
    await assert.rejects(remove(made), named);
    assert.deepEqual(await find(made), made);
  });

  test("removing leaves what says what was stored, and takes what nobody can work on any more", async () => {
    const organizationId = await newOrganization();
    const made = await create(organizationId);
    const other = await create(organizationId);
    const [at, elsewhere] = [`${made.id}-l`, `${other.id}-l`];
    await addLocation(made, at, "retired");
    await addLocation(other, elsewhere, "retired");
    for (const state of ["committed", "committed", "pending"]) {
      await addUpload(organizationId, at, state);
    }
    const left = await addUpload(organizationId, at, "abandoned");
    const kept = await addUpload(organizationId, elsewhere, "abandoned");
    await queue(left);
    await queue(kept);
    const contents = { locations: 1, versions: 2, bytes: 14, uploads: 1 };
    assert.deepEqual(await remove(made), contents);
    assert.equal(await find(made), null);
    assert.deepEqual([await countOf("removal", left), await countOf("removal", kept)], [0, 1]);
    assert.equal(await countOf("upload_files", left), 0);
    assert.equal(await countOf("upload_files", kept), 1);
    const details = (await auditOf(organizationId)).at(-1)?.details;
    assert.deepEqual(details, { cloud: "aws", name: "account", ...contents, removals: 1 });
    await queue(left);
    assert.equal(await countOf("removal", left), 0, "nothing there is queued again");
    await queue(kept);
    assert.equal(await countOf("removal", kept), 1);
    await assert.rejects(remove(made), failsWith("not_found"));
  });
});
