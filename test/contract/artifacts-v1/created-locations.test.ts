import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Connection, Location } from "@lossless/protocol";
import { ok } from "../../http.ts";
import { AwsDouble } from "../../clouds/aws/aws-double.ts";
import { QueryError } from "../../clouds/aws/query-error.ts";
import { trustConnection } from "../../clouds/aws/trusting-account.ts";
import { organizations } from "../../service.ts";
import { ArtifactCaller, fails, sendParts, sizes } from "../artifact-caller.ts";
import { OrganizationSetup } from "../organization-setup.ts";
import { signIn } from "../people.ts";
import { topic } from "../topic.ts";

const aws = await AwsDouble.start();
after(() => aws[Symbol.asyncDispose]());
const region = "us-east-1";
const files = { "model.bin": Buffer.alloc(9 * 1_048_576, 3), empty: Buffer.alloc(0) };

topic(
  "created locations",
  (system) => {
    /** ada owns acme, max is a member of it, rita owns rival. */
    let ada: OrganizationSetup;
    let max: OrganizationSetup;
    let rita: OrganizationSetup;
    let key: OrganizationSetup;
    let active: Connection;
    let pending: Connection;
    before(async () => {
      ada = new OrganizationSetup(system, await signIn(system, "ada"));
      max = new OrganizationSetup(system, await signIn(system, "max"));
      rita = new OrganizationSetup(system, await signIn(system, "rita"));
      key = new OrganizationSetup(system, organizations.acme.key);
      pending = await connect();
      const begun = await connect();
      const { id } = begun;
      const completed = ada.request("PUT", "connections", { id }, trustConnection(aws, begun));
      active = ok(await completed, 200);
    });

    const connect = async (): Promise<Connection> => {
      const body = { cloud: "aws", name: "account" };
      return ok(await ada.request("POST", "connections", {}, body), 201);
    };
    const bodyOf = (given: object = {}) => {
      return { kind: "created", connection: active.id, region, ...given };
    };
    const created = async (): Promise<Location> => {
      const { locations } = await ada.view();
      return locations.find(({ kind }) => kind === "created")!;
    };

    test("what a body must be", async () => {
      const wrong: object[] = [
        { region: undefined },
        { connection: undefined },
        ...["", "EU", "eu central", "eu_1", "eu.1", "../x", "r".repeat(65), 1].map((one) => ({ region: one })),
        { connection: 1 },
        { name: "" },
        { fallback: true },
        { bucket: "mine" },
        { cloud: "aws" },
      ]; // prettier-ignore
      for (const given of wrong) await fails(ada.tryAdd(bodyOf(given)), 400, "bad_request");
      assert.equal(await created(), undefined);
    });

    test("only a person who administers the organization makes one (A42, A43)", async () => {
      for (const caller of [max, key]) await fails(caller.tryAdd(bodyOf()), 403, "forbidden");
    });

    test("a connection of nobody and one of another organization are not there, a pending one is not ready", async () => {
      const asked = aws.calls.length;
      await fails(ada.tryAdd(bodyOf({ connection: "none" })), 404, "not_found");
      await fails(rita.tryAdd(bodyOf()), 404, "not_found");
      const refusal = ada.tryAdd(bodyOf({ connection: pending.id }));
      assert.match(await fails(refusal, 409, "conflict"), /setup script/);
      assert.equal(aws.calls.length, asked, "no cloud was asked");
    });

    test("a cloud that is away or refuses is upstream, with its code (A66)", async () => {
      for (const [code, status] of [
        ["ServiceUnavailable", 503],
        ["AccessDenied", 403],
      ] as const) {
        aws.stsFault = new QueryError(code, "secret words", status);
        // Credentials that were fetched before may last: another connection has none.
        const message = await fails(ada.tryAdd(bodyOf({ region: "eu-west-1" })), 502, "upstream");
        aws.stsFault = undefined;
        assert.match(message, new RegExp(`did not make the bucket: ${code}`));
        assert.ok(!message.includes("secret words"));
      }
      assert.equal(await created(), undefined);
    });

    test("a bucket is made, probed and saved, with the fields of the table", async () => {
      const added = await ada.add(bodyOf());
      const { id, bucket, created: time, ...fields } = added;
      assert.deepEqual(fields, {
        name: "aws-us-east-1",
        kind: "created",
        cloud: "aws",
        region,
        protocol: "s3",
        endpoint: aws.s3.endpoint,
        path: "",
        connection: active.id,
        fallback: false,
        default: false,
        state: "active",
      });
      assert.match(bucket, new RegExp(`^lossless-${active.id.slice(-10)}-`));
      assert.match(time, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      assert.deepEqual(await created(), added);
      assert.deepEqual([...aws.s3.objects(bucket).keys()], [], "the probe leaves nothing");
      assert.ok((await ada.request("GET", "audit")).text.includes(id));
    });

    test("it takes versions, also of clients that name empty ETags, and is retired as others are", async () => {
      const { id } = await created();
      const moved = await ada.change(id, { name: "ours", default: true, fallback: true });
      assert.deepEqual([moved.name, moved.default, moved.fallback], ["ours", true, true]);
      const caller = new ArtifactCaller(system, organizations.acme.key);
      const place = { cloud: "aws", region, source: "test" };
      const { epoch } = await caller.open("runs/created", "new");
      const body = { epoch, place, files: sizes(files), meta: {} };
      const query = { artifact: "runs/created", version: "1" };
      const begun = await caller.post("versions/begin", query, body);
      const upload = ok<Parameters<typeof sendParts>[0]>(begun, 201);
      assert.equal(upload.placement.location.id, id);
      const sent = await sendParts(upload, files);
      const empty = sent.map(({ name, etags }) => ({ name, etags: etags.map(() => "") }));
      const commit = { artifact: "runs/created", upload: upload.upload };
      ok(await caller.post("versions/commit", commit, { epoch, files: empty }), 200);
      await fails(ada.tryChange(id, { state: "retired" }), 409, "conflict");
      const { locations } = await ada.view();
      await ada.change(locations[0].id, { fallback: true });
      await fails(ada.request("DELETE", "connections", { id: active.id }), 409, "conflict");
      assert.equal((await ada.change(id, { state: "retired" })).state, "retired");
    });

    test("without its connection the version is still listed, and its bytes are out of reach", async () => {
      const removed = await ada.request("DELETE", "connections", { id: active.id });
      assert.equal(removed.status, 204, removed.text);
      const found = await created();
      assert.deepEqual(
        [found.kind, found.connection, found.state],
        ["created", active.id, "retired"],
      );
      const version = { artifact: "runs/created", version: "1" };
      ok(await ada.request("GET", "versions/read", version), 200);
      const signed = await ada.request("GET", "versions/read", { ...version, urls: "1" });
      assert.match(await fails(signed, 502, "upstream"), /connection of this location was removed/);
      await fails(ada.tryAdd(bodyOf()), 404, "not_found");
    });
  },
  { allowPrivate: ["127.0.0.0/8"], clouds: aws.addresses },
);
