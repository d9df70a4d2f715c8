import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { after, before, test } from "node:test";
import type { Connection } from "@lossless/protocol";
import { AwsDouble } from "../../clouds/aws/aws-double.ts";
import { QueryError } from "../../clouds/aws/query-error.ts";
import { trustConnection } from "../../clouds/aws/trusting-account.ts";
import { call, ok } from "../../http.ts";
import { organizations } from "../../service.ts";
import { fails } from "../artifact-caller.ts";
import { OrganizationSetup } from "../organization-setup.ts";
import { signIn } from "../people.ts";
import { topic } from "../topic.ts";

/** The account of acme, and another one. */
const [account, elsewhere] = ["111111111111", "222222222222"];
const aws = await AwsDouble.start({ accounts: [account, elsewhere] });
after(() => aws[Symbol.asyncDispose]());

const roleOf = (name: string) => {
  return { cloud: "aws", aws: { roleArn: `arn:aws:iam::${account}:role/${name}` } };
};
const gcp = {
  projectId: "acme-data",
  projectNumber: "42",
  poolId: "pool",
  providerId: "provider",
  serviceAccountEmail: "lossless@acme-data.iam.gserviceaccount.com",
};

topic(
  "connections",
  (system) => {
    /** ada owns acme, max is a member of it, rita owns rival. */
    let ada: OrganizationSetup;
    let max: OrganizationSetup;
    let rita: OrganizationSetup;
    let key: OrganizationSetup;
    before(async () => {
      ada = new OrganizationSetup(system, await signIn(system, "ada"));
      max = new OrganizationSetup(system, await signIn(system, "max"));
      rita = new OrganizationSetup(system, await signIn(system, "rita"));
      key = new OrganizationSetup(system, organizations.acme.key);
    });

    const create = async (given: object = {}, who = ada): Promise<Connection> => {
      const body = { cloud: "aws", name: "account", ...given };
      return ok(await who.request("POST", "connections", {}, body), 201);
    };
    const tryComplete = (id: string | undefined, body: unknown, who = ada) =>
      who.request("PUT", "connections", { id }, body);
    const tryRemove = (id: string | undefined, who = ada) =>
      who.request("DELETE", "connections", { id });
    const find = async (id: string) => (await ada.view()).connections.find((one) => one.id === id);
    /** Acts as the setup script, and returns the body that it prints. */
    const trust = (connection: Connection, accountId = account) =>
      trustConnection(aws, connection, { accountId });

    test("a new connection is pending, and says whom the cloud has to trust", async () => {
      const { orgId, issuer } = await ada.view();
      assert.equal(issuer, system.baseUrl);
      const audiences = {
        aws: "sts.amazonaws.com",
        gcp: "lossless",
        azure: "api://AzureADTokenExchange",
      };
      for (const [cloud, audience] of Object.entries(audiences)) {
        const { id, setup, created, ...fields } = await create({ cloud });
        const subject = `org:${orgId}:conn:${id}`;
        assert.deepEqual(fields, {
          cloud,
          name: "account",
          state: "pending",
          subject,
          issuer,
          audience,
          identifiers: null,
          error: null,
        });
        assert.match(created, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/, "A64");
        for (const word of [subject, issuer, audience, id]) assert.ok(setup.includes(word), word);
        assert.ok(setup.includes("not an https address"), "no cloud can reach this issuer");
        assert.equal((await find(id))!.setup, setup);
      }
    });

    test("every credential of the organization reads connections; another organization has none", async () => {
      const { connections } = await ada.view();
      assert.ok(connections.length >= 3);
      assert.deepEqual((await key.view()).connections, connections);
      assert.deepEqual((await max.view()).connections, connections);
      assert.deepEqual((await rita.view()).connections, []);
    });

    test("names are labels (A65) and stand in no script (T47)", async () => {
      const hostile = ["x'; touch p; '", "$(id)", "`id`", 'a\' "$(touch p)" `touch p` \\'];
      for (const cloud of ["aws", "gcp", "azure"]) {
        for (const name of [...hostile, "\u{1f600}".repeat(128), "account", "account"]) {
          const { name: kept, setup, id } = await create({ cloud, name });
          assert.equal(kept, name);
          assert.equal(spawnSync("bash", ["-n"], { input: setup }).status, 0);
          if (name !== "account") assert.ok(!setup.includes(name));
          await tryRemove(id);
        }
      }
      for (const name of ["", " ", "a\nb", "a\0b", "x".repeat(129), 1, null, undefined]) {
        const body = { cloud: "aws", name };
        await fails(ada.request("POST", "connections", {}, body), 400, "bad_request");
      }
      const wrong = [
        {},
        { name: "n" },
        { cloud: "x", name: "n" },
        { cloud: "aws", name: "n", a: 1 },
      ];
      for (const body of wrong) {
        await fails(ada.request("POST", "connections", {}, body), 400, "bad_request");
      }
    });

    test("only a person who administers the organization sets up (A42, A43)", async () => {
      const { id } = await create();
      for (const who of [key, max]) {
        const body = { cloud: "aws", name: "n" };
        await fails(who.request("POST", "connections", {}, body), 403, "forbidden");
        await fails(tryComplete(id, roleOf("r"), who), 403, "forbidden");
        await fails(tryRemove(id, who), 403, "forbidden");
      }
      const bare = { method: "DELETE", path: `/api/v1/connections?id=${id}` };
      await fails(call(system.baseUrl, bare), 401, "unauthorized");
      await fails(tryComplete(id, roleOf("r"), rita), 404, "not_found");
      await fails(tryRemove(id, rita), 404, "not_found");
      assert.equal((await find(id))!.state, "pending");
    });

    test("what PUT takes: the block of the connection's own cloud (A47, A62)", async () => {
      const { id } = await create();
      const wrong = [
        {},
        { cloud: "aws" },
        { cloud: "aws", aws: {} },
        { cloud: "aws", aws: { roleArn: "x" } },
        { cloud: "aws", aws: { roleArn: "arn:aws:iam::1:role/r" } },
        { cloud: "aws", aws: { roleArn: "arn:aws:iam::123456789012:role/r\n" } },
        { cloud: "aws", gcp },
        { ...roleOf("r"), gcp },
        { cloud: "gcp", gcp },
        { cloud: "gcp", gcp: { ...gcp, projectNumber: 42 } },
        { cloud: "azure", azure: { tenantId: "x" } },
      ];
      for (const body of wrong) await fails(tryComplete(id, body), 400, "bad_request");
      assert.deepEqual([(await find(id))!.state, (await find(id))!.error], ["pending", null]);
      await fails(tryComplete("none", roleOf("r")), 404, "not_found");
      await fails(tryComplete(undefined, roleOf("r")), 400, "bad_request");
    });

    test("A47, A48: refused, down, accepted, replaced; A50: in use, unused, removed", async () => {
      const made = await create();
      const { id } = made;
      const message = await fails(tryComplete(id, roleOf("nobody")), 400, "bad_request");
      assert.match(message, /^AWS refused: \w+\. \w/);
      assert.deepEqual(await find(id), { ...made, error: message });

      const identifiers = trust(made);
      aws.stsFault = new QueryError("ServiceUnavailable", "down", 503);
      await fails(tryComplete(id, identifiers), 502, "upstream");
      aws.stsFault = undefined;
      assert.deepEqual(await find(id), { ...made, error: message });

      const active = { ...made, state: "active", identifiers, error: null };
      assert.deepEqual(ok(await tryComplete(id, identifiers), 200), active);
      const refused = await fails(tryComplete(id, roleOf("nobody")), 400, "bad_request");
      assert.deepEqual(await find(id), { ...active, error: refused });
      const moved = trust(made, elsewhere);
      const replaced = { ...active, identifiers: moved };
      assert.deepEqual(ok(await tryComplete(id, moved), 200), replaced);
      assert.deepEqual(await find(id), replaced);

      const body = { kind: "created", connection: id, region: "us-east-1" };
      const location = await ada.add(body);
      const used = await fails(tryRemove(id), 409, "conflict");
      assert.ok(used.includes(location.id) && used.includes(location.name));
      await ada.change(location.id, { state: "retired" });
      const gone = await tryRemove(id);
      assert.deepEqual([gone.status, gone.text], [204, ""]);
      assert.equal(await find(id), undefined);
      await fails(tryRemove(id), 404, "not_found");
      await fails(tryComplete(id, moved), 404, "not_found");
      const after = (await ada.view()).locations.find((one) => one.id === location.id);
      assert.equal(after?.connection, id, "the location says where it was");
    });

    test("the audit log has every step, and no secret", async () => {
      const { text } = await ada.request("GET", "audit");
      for (const action of ["created", "refused", "completed", "removed"]) {
        assert.ok(text.includes(`"connection.${action}"`), action);
      }
      assert.ok(!text.includes("eyJ"), "no token");
    });

    test("another organization's role cannot be used: the trust names one subject (T64)", async () => {
      const made = await create();
      const theirs = await create({}, rita);
      const identifiers = trust(made);
      const message = await fails(tryComplete(theirs.id, identifiers, rita), 400, "bad_request");
      assert.match(message, /AccessDenied/);
    });

    test("clouds are asked 60 times a minute for one organization", async () => {
      const { id } = await create({}, rita);
      const statuses: number[] = [];
      // The allowance grows by one a second: a slow machine gets some more, 20 at once exceed it.
      while (!statuses.includes(429) && statuses.length < 600) {
        const trying = Array.from({ length: 20 }, () => tryComplete(id, roleOf("nobody"), rita));
        statuses.push(...(await Promise.all(trying)).map(({ status }) => status));
      }
      assert.ok(statuses.includes(429));
      assert.ok(statuses.filter((status) => status === 400).length >= 50);
    });

    test("without an id, DELETE is a bad request", async () => {
      await fails(tryRemove(undefined), 400, "bad_request");
      await fails(tryRemove("none"), 404, "not_found");
    });
  },
  { allowPrivate: ["127.0.0.0/8"], clouds: aws.addresses },
);
