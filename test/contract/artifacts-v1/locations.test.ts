import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Location } from "@lossless/protocol";
import type { HttpReply } from "../../http.ts";
import { organizations, Service } from "../../service.ts";
import type { S3Double } from "../../stores/s3-double.ts";
import { fails } from "../artifact-caller.ts";
import { locationBody, OrganizationSetup, startStore } from "../organization-setup.ts";
import { signIn } from "../people.ts";
import { ownServices, type System, topic } from "../topic.ts";

const options = { allowPrivate: ["127.0.0.0/8"] };

function define(system: System): void {
  let store: S3Double;
  /** ada owns acme, rita owns rival. */
  let ada: OrganizationSetup;
  let rita: OrganizationSetup;
  let first: Location;
  before(async () => {
    store = await startStore();
    ada = new OrganizationSetup(system, await signIn(system, "ada"));
    rita = new OrganizationSetup(system, await signIn(system, "rita"));
    first = await ada.add(locationBody(store, { path: "first/place" }));
  });
  after(() => store[Symbol.asyncDispose]());

  const byId = async (id: string) => (await ada.view()).locations.find((one) => one.id === id);

  test("a new organization is ready: the built-in location is its fallback (A59)", async () => {
    const view = await rita.view();
    assert.equal(view.name, "rival");
    assert.equal(view.issuer, system.baseUrl);
    assert.deepEqual(view.connections, []);
    assert.equal(view.ready, true);
    const [{ id: _, created, ...builtIn }, ...more] = view.locations as [Location];
    assert.deepEqual(more, []);
    assert.ok(Math.abs(Date.parse(created) - Date.now()) < 10 * 60_000);
    assert.deepEqual(builtIn, {
      name: "built-in",
      kind: "s3",
      cloud: "local",
      region: "local",
      protocol: "s3",
      endpoint: system.baseUrl,
      bucket: "built-in",
      path: "",
      connection: null,
      fallback: true,
      default: false,
      state: "active",
    });
    const byKey = new OrganizationSetup(system, organizations.rival.key);
    assert.deepEqual(await byKey.view(), view);
  });

  test("a probed store becomes a location, which is neither fallback nor default by itself", async () => {
    const { id, created, ...fields } = first;
    assert.deepEqual(fields, {
      name: "models",
      kind: "s3",
      cloud: "aws",
      region: "us-east-1",
      protocol: "s3",
      endpoint: store.endpoint,
      bucket: "models",
      path: "first/place",
      connection: null,
      fallback: false,
      default: false,
      state: "active",
    });
    assert.match(created, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    assert.deepEqual(await byId(id), first);
    assert.deepEqual([...store.objects("models").keys()], []);
    assert.ok(store.requests.some(({ operation }) => operation === "CompleteMultipartUpload"));
    assert.equal((await rita.view()).locations.length, 1);
  });

  test("the secret is in no reply, no file and no line of the log (T19, T62)", async () => {
    const replies = await ada.request("GET", "org");
    const audit = await ada.request("GET", "audit");
    assert.ok(audit.text.includes("location.added"));
    const { secretAccessKey } = store;
    const files = readdirSync(system.service.dataDirectory, {
      recursive: true,
      withFileTypes: true,
    });
    const contents = files
      .filter((file) => file.isFile())
      .map((file) => readFileSync(join(file.parentPath, file.name), "latin1"));
    const { output, errors } = system.service;
    for (const text of [replies.text, audit.text, output, errors, ...contents]) {
      assert.equal(text.includes(secretAccessKey), false);
    }
  });

  test("only a person who administers the organization adds and changes (A42, A43, T14)", async () => {
    const max = new OrganizationSetup(system, await signIn(system, "max"));
    const key = new OrganizationSetup(system, organizations.acme.key);
    for (const caller of [max, key]) {
      await fails(caller.tryAdd(locationBody(store, { path: "x" })), 403, "forbidden");
      await fails(caller.tryChange(first.id, { name: "x" }), 403, "forbidden");
      assert.equal((await caller.view()).locations.length, 2);
      await caller.usage();
    }
  });

  test("what a body must be (A62, T45)", async () => {
    const wrong: object[] = [
      { extra: 1 },
      { kind: "gcs" },
      { pathStyle: "true" },
      { fallback: null },
      { name: "" },
      { name: "x".repeat(129) },
      { cloud: "" },
      { region: "x".repeat(129) },
      { signingRegion: "us east" },
      { accessKeyId: "" },
      { secretAccessKey: "a b" },
      { secretAccessKey: 1 },
      ...["", "a", "a#b", "a?b", "a@b", "a\r\nb", "a b", "../b", "a/b"].map((bucket) => ({ bucket })),
      ...["/a", "a/", "a//b", "..", "a/../b", ".", "a?b", "a b", "a\nb"].map((path) => ({ path })),
    ]; // prettier-ignore
    for (const given of wrong) {
      await fails(ada.tryAdd({ ...locationBody(store), ...given }), 400, "bad_request");
    }
    for (const field of Object.keys(locationBody(store))) {
      await fails(ada.tryAdd({ ...locationBody(store), [field]: undefined }), 400, "bad_request");
    }
  });

  test("endpoints that are no endpoints, or that nobody may reach (T43, T45)", async () => {
    const sent = store.requests.length;
    const { port } = new URL(store.endpoint);
    for (const endpoint of [
      "",
      "s3.example.com",
      "file:///etc/passwd",
      "gopher://127.0.0.1/",
      `http://u:p@127.0.0.1:${port}`,
      `${store.endpoint}/path`,
      `${store.endpoint}?a`,
      `${store.endpoint}#a`,
      `${store.endpoint} `,
      `http://127.0.0.1:${port}\r\n`,
      "http://169.254.169.254",
      "http://[::ffff:169.254.169.254]",
      "http://0xa9fea9fe",
      "http://2852039166",
      "http://metadata.google.internal",
      "http://10.0.0.1",
      "http://[fe80::1]",
      system.baseUrl,
      system.baseUrl.replace("127.0.0.1", "localhost"),
    ]) {
      const message = await fails(
        ada.tryAdd(locationBody(store, { endpoint })),
        400,
        "bad_request",
      );
      assert.equal(message.includes(store.secretAccessKey), false);
    }
    assert.equal(store.requests.length, sent);
  });

  test("the same place twice is a conflict (A57)", async () => {
    const sent = store.requests.length;
    const body = locationBody(store, { path: "first/place", endpoint: `${store.endpoint}/` });
    await fails(ada.tryAdd(body), 409, "conflict");
    assert.equal(store.requests.length, sent);
  });

  test("a store that fails its probe is told by step and code (A58)", async () => {
    store.faults.add({ operation: "UploadPart", fault: "slowDown" });
    const reply = ada.tryAdd(locationBody(store, { path: "failing" }));
    const message = await fails(reply, 400, "bad_request");
    store.faults.clear();
    assert.match(message, /at the step "signed upload of parts": SlowDown\.$/);
    const wrong = locationBody(store, { path: "wrong", secretAccessKey: "another" });
    assert.match(await fails(ada.tryAdd(wrong), 400, "bad_request"), /SignatureDoesNotMatch\.$/);
    assert.equal((await ada.view()).locations.length, 2);
  });

  test("an organization has 60 probes a minute", async () => {
    const nobody = locationBody(store, { endpoint: "http://127.0.0.1:1" });
    // A slow machine turns some of them away, with a sentence of its own.
    const probe = async (count: number) => {
      const all = await Promise.all(Array.from({ length: count }, () => rita.tryAdd(nobody)));
      return all.filter(({ text }) => !text.includes("probed at this moment"));
    };
    for (const reply of await probe(10))
      assert.match(await fails(reply, 400, "bad_request"), /refused/);
    // The allowance grows by one a second: a slow machine gets some more, 20 at once exceed it.
    let reply: HttpReply | undefined;
    for (let more = 0; reply === undefined && more < 40; more += 1)
      reply = (await probe(20)).find(({ status }) => status !== 400);
    assert.ok(reply);
    assert.match(await fails(reply, 429, "rate_limited"), /60 times a minute/);
    assert.ok(Number(reply.headers["retry-after"]) >= 1);
  });

  test("changes that are none, or are not to be had (A54, T61)", async () => {
    const unchanged = await byId(first.id);
    for (const body of [
      {},
      { fallback: false },
      { default: false },
      { state: "active" },
      { state: "deleted" },
      { name: "" },
      { name: null },
      { orgId: "x" },
      { id: "x", name: "n" },
      { kind: "s3", name: "n" },
      { secretAccessKey: "x", name: "n" },
      { orgId: "x", id: "x", kind: "s3", secretAccessKey: "x", state: "active" },
      [],
      "x",
    ]) {
      await fails(ada.tryChange(first.id, body), 400, "bad_request");
    }
    await fails(ada.tryChange(undefined, { name: "n" }), 400, "bad_request");
    const path = `locations?id=${first.id}&id=${first.id}`;
    await fails(ada.request("PATCH", path, {}, { name: "n" }), 400, "bad_request");
    await fails(ada.tryChange("none", { name: "n" }), 404, "not_found");
    await fails(rita.tryChange(first.id, { name: "n" }), 404, "not_found");
    assert.deepEqual(await byId(first.id), unchanged);
  });

  test("fallback, default, name and state of locations move as the tables say (A53 to A56)", async () => {
    const [builtIn] = (await ada.view()).locations as [Location];
    const second = await ada.add(
      locationBody(store, { path: "second", name: "Zweiter Ort ✓", fallback: true }),
    );
    assert.equal(second.name, "Zweiter Ort ✓");
    assert.equal(second.fallback, true);
    assert.equal((await byId(builtIn.id))?.fallback, false);
    await fails(ada.tryChange(second.id, { state: "retired" }), 409, "conflict");
    await fails(ada.tryChange(first.id, { state: "retired", default: true }), 409, "conflict");

    assert.equal((await ada.change(second.id, { default: true })).default, true);
    const changed = await ada.change(first.id, { name: "1st", default: true, fallback: true });
    assert.deepEqual(changed, { ...first, name: "1st", default: true, fallback: true });
    assert.deepEqual(await byId(second.id), { ...second, fallback: false, default: false });

    await ada.change(second.id, { default: true });
    const elsewhere = await ada.add(locationBody(store, { path: "third", cloud: "gcp" }));
    await ada.change(elsewhere.id, { default: true });
    assert.equal((await byId(second.id))?.default, true, "each cloud has its own");
    await ada.change(elsewhere.id, { state: "retired" });
    const retired = await ada.change(second.id, { state: "retired" });
    assert.deepEqual(retired, { ...second, fallback: false, default: false, state: "retired" });
    assert.deepEqual(await ada.change(second.id, { state: "retired" }), retired);
    await fails(ada.tryChange(second.id, { fallback: true }), 409, "conflict");
    await fails(ada.tryChange(second.id, { default: true }), 409, "conflict");
    await fails(ada.tryAdd(locationBody(store, { path: "second" })), 409, "conflict");
    assert.equal((await ada.change(second.id, { name: "old" })).name, "old");
    assert.equal((await ada.view()).ready, true);
  });

  test("100 changes at once leave one fallback that is active (R17)", async () => {
    const active = (await ada.view()).locations.filter(({ state }) => state === "active");
    assert.equal(active.length, 2);
    const replies = await Promise.all(
      Array.from({ length: 100 }, (_, index) =>
        ada.tryChange(
          active[index % 2].id,
          index % 5 === 4 ? { state: "retired" } : { fallback: true },
        ),
      ),
    );
    assert.ok(replies.every(({ status }) => status === 200 || status === 409));
    const { locations, ready } = await ada.view();
    const fallbacks = locations.filter(({ fallback, state }) => fallback && state === "active");
    assert.equal(fallbacks.length, 1);
    assert.equal(ready, true);
    const events = (await ada.request("GET", "audit")).text;
    for (const action of ["added", "renamed", "retired", "fallbackMoved", "defaultMoved"]) {
      assert.ok(events.includes(`location.${action}`), action);
    }
  });
}

topic("locations", define, options);

ownServices("locations of the provision file", () => {
  test("are added at the start, followed when they change, and opened with the master key alone", async () => {
    await using store = await startStore();
    const locations = [locationBody(store, { name: "main", fallback: true })];
    await using service = new Service({ locations, allowPrivate: options.allowPrivate });
    await service.start();
    const target = { baseUrl: service.baseUrl, observe: () => {} };
    const view = await new OrganizationSetup(target, organizations.acme.key).view();
    const [main, ...more] = view.locations as [Location];
    assert.deepEqual(more, []);
    assert.deepEqual([main.name, main.fallback, main.bucket], ["main", true, "models"]);
    assert.equal(view.ready, true);
    assert.equal(await service.stop(), 0);

    const key = join(service.dataDirectory, "master.key");
    const right = readFileSync(key);
    writeFileSync(key, `${"ab".repeat(32)}\n`);
    await assert.rejects(service.start(), /ended with 2.*sealed under the master key/s);
    rmSync(key);
    await assert.rejects(service.start(), /ended with 2.*and there is none at .*master\.key/s);
    assert.equal(existsSync(key), false, "no other key lies where this one belongs");
    writeFileSync(key, right, { mode: 0o600 });
    await service.start();
  });

  test("a store that is away keeps no service from starting, and the log says so", async () => {
    const store = await startStore();
    const locations = [locationBody(store)];
    await store[Symbol.asyncDispose]();
    const { allowPrivate } = options;
    await using service = await Service.start({ locations, allowPrivate });
    assert.match(service.errors, /FAILED ITS PROBE/);
    assert.equal(service.errors.includes(store.secretAccessKey), false);
    const target = { baseUrl: service.baseUrl, observe: () => {} };
    const view = await new OrganizationSetup(target, organizations.acme.key).view();
    assert.equal(view.locations.length, 1);
    assert.equal(view.ready, false, "no location is the fallback (A52)");
  });

  test("what cannot be is refused with exit code 2", async () => {
    await using store = await startStore();
    const created = { kind: "created", connection: "c", region: "r" };
    const cases: [unknown[], string[] | undefined, RegExp][] = [
      [[created], undefined, /locations add --connection/],
      [[locationBody(store)], undefined, /private range/],
      [[locationBody(store, { bucket: "a b" })], options.allowPrivate, /\/bucket/],
      [[locationBody(store), locationBody(store)], options.allowPrivate, /is repeated/],
    ];
    for (const [locations, allowPrivate, sentence] of cases) {
      const given = allowPrivate === undefined ? {} : { allowPrivate };
      await using service = new Service({ locations, ...given });
      await assert.rejects(service.start(), (error: Error) => {
        assert.match(error.message, /ended with 2/);
        assert.match(error.message, sentence);
        assert.equal(error.message.includes(store.secretAccessKey), false);
        return true;
      });
    }
    assert.equal(store.requests.length, 0);
  });
});
