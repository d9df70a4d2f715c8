import assert from "node:assert/strict";
import { before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { ApiKey, OrganizationView, UsageRow } from "@lossless/protocol";
import { call, type HttpReply, ok, parseObject } from "../../http.ts";
import { organizations } from "../../service.ts";
import { ArtifactCaller, fails } from "../artifact-caller.ts";
import { OrganizationSetup } from "../organization-setup.ts";
import { signIn, signInCommandLine } from "../people.ts";
import { topic } from "../topic.ts";
import { Writer } from "../writer.ts";

const iso = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

topic(
  "organization",
  (system) => {
    let key: OrganizationSetup;
    let ada: OrganizationSetup;
    before(async () => {
      key = new OrganizationSetup(system, organizations.acme.key);
      ada = new OrganizationSetup(system, await signIn(system, "ada"));
    });

    const keysOf = async (caller: OrganizationSetup): Promise<ApiKey[]> =>
      ok<{ keys: ApiKey[] }>(await caller.request("GET", "api-keys"), 200).keys;

    const create = async (name: string): Promise<{ key: ApiKey; secret: string }> =>
      ok(await ada.request("POST", "api-keys", {}, { name }), 201);

    const bearer = (credential: string, organization?: string): Promise<HttpReply> =>
      call(system.baseUrl, {
        path: "/api/v1/whoami",
        credential,
        headers: organization === undefined ? {} : { "x-svc-organization": organization },
      });

    test("organization view, A42: its fields; ready out of the box (A59); for a key and a person", async () => {
      const view = await key.view();
      assert.deepEqual(Object.keys(view).sort(), [
        "connections",
        "issuer",
        "locations",
        "name",
        "orgId",
        "ready",
      ]);
      assert.deepEqual([view.name, view.ready, view.connections], ["acme", true, []]);
      const [builtIn] = view.locations as [OrganizationView["locations"][number]];
      const { kind, fallback, endpoint, state, protocol } = builtIn;
      assert.deepEqual(
        [kind, fallback, endpoint, state, protocol, builtIn.default],
        ["s3", true, system.baseUrl, "active", "s3", false],
      );
      assert.match(builtIn.created, iso, "A64");
      assert.deepEqual(await ada.view(), view);
      assert.ok(view.orgId !== (await rivalView()).orgId);
    });

    const rivalView = () => new OrganizationSetup(system, organizations.rival.key).view();

    test("whoami, A46: api_key, session and oauth", async () => {
      const { orgId } = await key.view();
      const whoami = async (reply: Promise<HttpReply>) => parseObject((await reply).text);
      assert.deepEqual(await whoami(key.request("GET", "whoami")), {
        orgId,
        userId: null,
        credential: "api_key",
      });
      const person = await whoami(ada.request("GET", "whoami"));
      assert.deepEqual([person.orgId, person.credential], [orgId, "session"]);
      assert.equal(typeof person.userId, "string");
      const token = await signInCommandLine(system, "bo", "acme");
      const program = await whoami(bearer(token, "acme"));
      assert.deepEqual([program.orgId, program.credential], [orgId, "oauth"]);
      const elsewhere = await whoami(bearer(token, "rival"));
      assert.deepEqual(
        [elsewhere.orgId, elsewhere.userId],
        [(await rivalView()).orgId, program.userId],
      );
      assert.equal((await bearer(token)).status, 400, "A44, T15");
      assert.equal((await bearer(token, "other")).status, 403, "T15");
    });

    test("api keys: the secret is in the create reply only; fields; A61, A64, A65", async () => {
      const { key: made, secret } = await create("ci");
      assert.match(secret, /^ak_[A-Za-z0-9_-]{37,}$/);
      assert.deepEqual(Object.keys(made).sort(), [
        "created",
        "createdBy",
        "id",
        "lastUsed",
        "name",
      ]);
      assert.match(made.created, iso);
      const { userId } = parseObject((await ada.request("GET", "whoami")).text);
      assert.deepEqual([made.name, made.createdBy, made.lastUsed], ["ci", userId, null]);
      const provisioned = (await keysOf(key)).find(({ name }) => name === "test");
      assert.equal(provisioned?.createdBy, "bootstrap");
      assert.ok(
        (await keysOf(key)).some(({ id }) => id === made.id),
        "A42: a key may list",
      );
      assert.equal((await bearer(secret)).status, 200);
      const list = await key.request("GET", "api-keys");
      assert.ok(!list.text.includes(secret) && !list.text.includes("secret"));
      const find = async () => (await keysOf(ada)).find(({ id }) => id === made.id)!;
      let used = await find();
      // It may be written down after the reply.
      for (const endMs = Date.now() + 60_000; used.lastUsed === null && Date.now() < endMs;) {
        await sleep(20);
        used = await find();
      }
      assert.ok(Math.abs(Date.parse(used.lastUsed!) - Date.now()) <= 120_000, "A61");
      assert.match(used.lastUsed!, iso);
      const again = await create("ci");
      assert.notEqual(again.key.id, made.id, "A65: names are not unique");
      assert.equal((await create("x".repeat(128))).key.name.length, 128);
      assert.equal((await create("\u{1f600}".repeat(128))).key.name, "\u{1f600}".repeat(128));
      for (const name of ["", "x".repeat(129), 1, null, undefined]) {
        await fails(ada.request("POST", "api-keys", {}, { name }), 400, "bad_request");
      }
      await fails(
        ada.request("POST", "api-keys", {}, { name: "x", role: "x" }),
        400,
        "bad_request",
      );
    });

    test("M16: one key serves both APIs", async () => {
      const { secret } = await create("both");
      const status = await call(system.baseUrl, {
        path: "/api/v2/auth/status",
        credential: secret,
      });
      assert.equal(status.status, 200);
      const caller = new ArtifactCaller(system, secret);
      await (await Writer.open(caller)).write("1");
    });

    test("A61: a revoked key vanishes and is refused at once; an unknown one is not_found", async () => {
      const { key: made, secret } = await create("short-lived");
      const { id } = made;
      assert.equal((await bearer(secret)).status, 200);
      await fails(key.request("DELETE", "api-keys", { id }), 403, "forbidden");
      const rita = new OrganizationSetup(system, await signIn(system, "rita"));
      await fails(rita.request("DELETE", "api-keys", { id }), 404, "not_found");
      const gone = await ada.request("DELETE", "api-keys", { id });
      assert.deepEqual([gone.status, gone.text], [204, ""]);
      await fails(bearer(secret), 401, "unauthorized");
      assert.ok(!(await keysOf(ada)).some((one) => one.id === id));
      await fails(ada.request("DELETE", "api-keys", { id }), 404, "not_found");
      await fails(ada.request("DELETE", "api-keys", { id: "none" }), 404, "not_found");
      await fails(ada.request("DELETE", "api-keys"), 400, "bad_request");
    });

    test("A60: usage of 1 to 366 days", async () => {
      for (const days of ["1", "30", "366", undefined]) await key.usage(days);
      const wrong = ["0", "367", "-1", "1.5", "x", "", "1e1", " 1", "+1", "999999999999999999999"];
      for (const days of wrong) {
        await fails(key.request("GET", "usage", { days }), 400, "bad_request");
      }
      const twice = await call(system.baseUrl, {
        path: "/api/v1/usage?days=1&days=1",
        credential: key.credential,
      });
      await fails(twice, 400, "bad_request");
    });

    test("usage row: its fields, of this organization alone", async () => {
      const caller = new ArtifactCaller(system, organizations.acme.key);
      const writer = await Writer.open(caller);
      await writer.write("1");
      const rows = await key.usage("1");
      const day = new Date().toISOString().slice(0, 10);
      const found = rows.find((row: UsageRow) => row.kind === "write" && row.day === day)!;
      assert.deepEqual(Object.keys(found).sort(), [
        "bytes",
        "count",
        "day",
        "kind",
        "location",
        "match",
        "placeCloud",
        "placeRegion",
        "transfer",
      ]);
      const rival = new OrganizationSetup(system, organizations.rival.key);
      assert.deepEqual(await rival.usage(), []);
    });

    test("unauthorized: no credential, or one that does not verify", async () => {
      for (const path of ["org", "usage", "api-keys", "whoami"]) {
        const bare = await call(system.baseUrl, { path: `/api/v1/${path}` });
        await fails(bare, 401, "unauthorized");
        assert.equal(bare.headers["www-authenticate"], "Bearer");
        const wrong = call(system.baseUrl, {
          path: `/api/v1/${path}`,
          credential: `${organizations.acme.key}x`,
        });
        await fails(wrong, 401, "unauthorized");
      }
    });
  },
  { alone: true },
);
