import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, suite, test } from "node:test";
import { Issuer, type IssuerDocuments } from "../places/issuer/issuer.ts";
import { migrate } from "../database/migrate.ts";
import { openSqlite } from "../database/sqlite.ts";
import { TestNode } from "../database/node.fixture.ts";
import { listIssuerKeys, rotateIssuerKey } from "./issuer-administration.ts";
import { ensureMasterKey, makeMasterKey } from "../settings/master-key.ts";
import { ConfigError } from "../settings/options.ts";
import { Sealing } from "../ground/sealing.ts";
import { NodeStorage } from "../artifacts/versions/walks.fixture.ts";

const hourMs = 60 * 60_000;

suite("the token issuer's keys, by hand", () => {
  const data = mkdtempSync(join(tmpdir(), "lossless-issuer-"));
  let documents: IssuerDocuments | undefined;
  const site = createServer((request, reply) => {
    const isKeys = request.url?.endsWith("jwks.json") === true;
    const document = isKeys ? documents?.keys : documents?.configuration;
    if (document === undefined) return void reply.writeHead(404).end();
    reply.writeHead(200).end(JSON.stringify(document));
  });
  let node: TestNode;
  let issuer: Issuer;
  let issuerUrl = "";
  before(async () => {
    await new Promise<void>((resolve) => site.listen(0, "127.0.0.1", resolve));
    issuerUrl = `http://127.0.0.1:${(site.address() as AddressInfo).port}/keys`;
    node = new TestNode(openSqlite({ directory: data }));
    await migrate(node.database);
    node.nowMs = Date.now() - 23 * hourMs;
    const storage = new NodeStorage(node);
    const sealing = new Sealing(ensureMasterKey(data));
    issuer = new Issuer({ storage, sealing, issuerUrl, clock: () => node.nowMs });
    await issuer.documents();
  });
  after(async () => {
    site.close();
    await node.database[Symbol.asyncDispose]();
    rmSync(data, { recursive: true });
  });
  const drivers = () => ({
    data,
    dataDirectory: data,
    databaseUrl: undefined,
    cacheDirectory: join(data, "cache"),
  });
  const rotate = (given: Partial<Parameters<typeof rotateIssuerKey>[0]> = {}) =>
    rotateIssuerKey({
      ...drivers(),
      masterKeyFile: undefined,
      issuerUrl: undefined,
      isForced: false,
      withdraws: false,
      ...given,
    });
  const nextId = async () =>
    (await listIssuerKeys(drivers())).find(({ state }) => state === "next")?.id;
  const age = (hours: number) =>
    node.execute("UPDATE issuer_key SET changed_at_ms = $1", Date.now() - hours * hourMs);

  test("the next key has to have been published for a day", async () => {
    documents = await issuer.documents();
    await assert.rejects(rotate({ issuerUrl }), /for 23 hours/);
    await age(25);
    const next = await nextId();
    const after = await rotate({ issuerUrl });
    assert.equal(after.find(({ state }) => state === "active")?.id, next);
    await assert.rejects(rotate({ issuerUrl }), /for 0 hours/);
    documents = undefined;
  });

  test("without an address nothing is rotated, but by force", async () => {
    await age(25);
    const before = await listIssuerKeys(drivers());
    await assert.rejects(rotate(), (error: Error) => {
      assert.ok(error instanceof ConfigError);
      assert.match(error.message, /--issuer-url.*--config.*LOSSLESS_BASE_URL.*--force/s);
      return true;
    });
    assert.deepEqual(await listIssuerKeys(drivers()), before);
  });

  test("it has to be found where it is published", async () => {
    await age(25);
    const before = await listIssuerKeys(drivers());
    await assert.rejects(rotate({ issuerUrl }), /answers 404/);
    const whole = await issuer.documents();
    const next = await nextId();
    const older = whole.keys.keys.filter(({ kid }) => kid !== next);
    documents = { ...whole, keys: { keys: older } };
    await assert.rejects(rotate({ issuerUrl }), /lossless issuer export/);
    assert.deepEqual(await listIssuerKeys(drivers()), before);
    documents = whole;
    const after = await rotate({ issuerUrl });
    assert.equal(after.find(({ state }) => state === "active")?.id, next);
  });

  test("another master key, or none, changes nothing", async () => {
    await age(25);
    const before = await listIssuerKeys(drivers());
    const masterKeyFile = join(data, "another.key");
    await assert.rejects(rotate({ masterKeyFile, issuerUrl }), ConfigError);
    makeMasterKey(masterKeyFile);
    await assert.rejects(rotate({ masterKeyFile, isForced: true }), /sealed under the master key/);
    assert.deepEqual(await listIssuerKeys(drivers()), before);
  });
});
