import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Location, Place, UploadReply, VersionRecord } from "@lossless/protocol";
import { ok } from "../../http.ts";
import { organizations, Service } from "../../service.ts";
import type { S3Double } from "../../stores/s3-double.ts";
import { ArtifactCaller, fails, fetchBytes, sendParts } from "../artifact-caller.ts";
import { uniqueName } from "../callers.ts";
import { locationBody, OrganizationSetup, startStore } from "../organization-setup.ts";
import { signIn } from "../people.ts";
import { ownServices, type System, topic } from "../topic.ts";
import { oneFile, Writer } from "../writer.ts";

const options = { allowPrivate: ["127.0.0.0/8"] };
const size = oneFile["model.bin"].length;

function place(cloud: string, region: string): Place {
  return { cloud, region, source: "test" };
}

function define(system: System): void {
  let store: S3Double;
  let ada: OrganizationSetup;
  let acme: ArtifactCaller;
  let builtIn: Location;
  let east: Location;
  let west: Location;
  before(async () => {
    store = await startStore();
    ada = new OrganizationSetup(system, await signIn(system, "ada"));
    acme = new ArtifactCaller(system, organizations.acme.key);
    [builtIn] = (await ada.view()).locations as [Location];
    east = await ada.add(locationBody(store, { name: "east", path: "a/b" }));
    west = await ada.add(locationBody(store, { name: "west", path: "c", region: "us-west-2" }));
    await ada.change(west.id, { default: true });
  });
  after(() => store[Symbol.asyncDispose]());

  const placed = ({ placement, warning }: UploadReply) => {
    const { id, cloud, region } = placement.location;
    const at = [builtIn, east, west].find((one) => one.id === id);
    assert.deepEqual([at?.cloud, at?.region], [cloud, region]);
    return [at?.name, placement.match, warning === null ? "" : "warned"].join(" ").trim();
  };

  test("where a version goes, and why (A16, A17)", async () => {
    const writer = await Writer.open(acme);
    const matrix: [Place, string[], string][] = [
      [place("aws", "us-east-1"), [], "east region"],
      [place("aws", "us-west-2"), [], "west region"],
      [place("aws", "eu-west-1"), [], "west cloud"],
      [place("gcp", "us-east-1"), [], "built-in "],
      [place("AWS", "us-east-1"), [], "built-in "],
      [place("", ""), [], "built-in "],
      [place("aws", "us-east-1"), [east.id], "west cloud warned"],
      [place("aws", "us-east-1"), [east.id, west.id, "unknown"], "built-in  warned"],
      [place("local", "local"), [], "built-in region"],
    ];
    for (const [index, [at, exclude, expected]] of matrix.entries()) {
      const upload = await writer.begin(`v${index}`, oneFile, { place: at, exclude });
      assert.equal(placed(upload), expected.trim(), JSON.stringify([at, exclude]));
    }
    const exclude = [east.id, west.id, builtIn.id];
    const reply = writer.tryBegin("v9", { place: place("aws", "us-east-1"), exclude });
    await fails(reply, 409, "not_ready");
  });

  test("bytes go to the store and come from it, under the location's path", async () => {
    const artifact = uniqueName("läufe/run 7");
    const writer = await Writer.open(acme, artifact);
    const begun = await writer.begin("v1", oneFile, { place: place("aws", "us-east-1") });
    const [part] = begun.files[0].parts;
    assert.ok(part.url.startsWith(`${store.endpoint}/models/a/b/`));
    ok(await writer.commit(begun.upload, await sendParts(begun, oneFile)), 200);
    const keys = [...store.objects("models").keys()].filter((key) => key.includes(artifact));
    assert.equal(keys.length, 2);
    assert.ok(keys.every((key) => key.startsWith("a/b/")));
    const record = await acme.read(artifact, "latest", { urls: "1" });
    assert.deepEqual(record.location, { id: east.id, cloud: "aws", region: "us-east-1" });
    assert.deepEqual(await fetchBytes(record.files[0].url), oneFile["model.bin"]);
  });

  test("a store that fails makes the version go elsewhere, with a warning", async () => {
    store.faults.add({ operation: "CreateMultipartUpload", key: /^a\/b/, fault: "internalError" });
    const writer = await Writer.open(acme);
    const upload = await writer.begin("v1", oneFile, { place: place("aws", "us-east-1") });
    store.faults.clear();
    assert.equal(placed(upload), "west cloud warned");
  });

  test("usage is counted once for what was committed, and for every signed read (A32)", async () => {
    const rita = new OrganizationSetup(system, await signIn(system, "rita"));
    const rival = new ArtifactCaller(system, organizations.rival.key);
    const store1 = await rita.add(locationBody(store, { path: "rival" }));
    assert.deepEqual(await rita.usage(), []);
    const writer = await Writer.open(rival);
    const at = place("aws", "us-east-1");

    const begun = await writer.begin("v1", oneFile, { place: at });
    ok(await writer.resign(begun.upload), 200);
    const given = await writer.begin("v1", oneFile, { place: at });
    assert.deepEqual(await rita.usage(), [], "nothing is committed yet");
    const sent = await sendParts(begun, oneFile);
    const committed = await writer.commit(begun.upload, sent);
    assert.deepEqual(ok(await writer.commit(begun.upload, sent), 200), ok(committed, 200));
    await fails(writer.commit(given.upload, sent), 409, "not_after_latest");
    const usage = await rita.usage();
    const day = usage[0]?.day ?? "";
    assert.ok(Math.abs(Date.parse(day) - Date.now()) < 48 * 60 * 60_000);
    const group = { day, placeCloud: "aws", placeRegion: "us-east-1", location: store1.id };
    const write = { ...group, kind: "write", match: "region", transfer: "local" };
    assert.deepEqual(usage, [{ ...write, bytes: size, count: 1 }]);

    const read = (query: object): Promise<VersionRecord> =>
      rival.read(writer.artifact, "latest", query as Record<string, string>);
    assert.equal((await read({ cloud: "aws", region: "us-east-1" })).transfer, "local");
    const transfers: string[] = [];
    for (const query of [
      {},
      { cloud: "aws", region: "us-east-1" },
      { cloud: "aws", region: "us-east-1" },
      { cloud: "aws", region: "eu-west-1" },
      { cloud: "gcp", region: "us-east-1" },
    ]) {
      transfers.push((await read({ ...query, urls: "1" })).transfer);
    }
    const [nearly, cross] = ["cross-region", "cross-cloud"];
    assert.deepEqual(transfers, ["unknown", "local", "local", nearly, cross]);
    const rows = await settled(() => rita.usage(), 5);
    const reading = { day, kind: "read", location: store1.id, match: null };
    assert.deepEqual(rows, [
      { ...reading, placeCloud: "", placeRegion: "", transfer: "unknown", bytes: size, count: 1 },
      {
        ...reading,
        placeCloud: "aws",
        placeRegion: "eu-west-1",
        transfer: nearly,
        bytes: size,
        count: 1,
      },
      { ...reading, ...group, transfer: "local", bytes: 2 * size, count: 2 },
      {
        ...reading,
        placeCloud: "gcp",
        placeRegion: "us-east-1",
        transfer: cross,
        bytes: size,
        count: 1,
      },
      { ...write, bytes: size, count: 1 },
    ]);
    assert.deepEqual(await rita.usage("1"), rows);
    assert.deepEqual(await rita.usage("366"), rows);
    const byKey = new OrganizationSetup(system, organizations.rival.key);
    assert.deepEqual(await byKey.usage(), rows);
    for (const days of ["0", "367", "-1", "1.5", "x", "", "1e2", "01"]) {
      await fails(rita.request("GET", "usage", { days }), 400, "bad_request");
    }
    await fails(rita.request("GET", "usage?days=1&days=2"), 400, "bad_request");
    assert.deepEqual(
      (await ada.usage()).filter(({ location }) => location === store1.id),
      [],
    );
  });

  test("a retired location takes no new version; what it has stays, and what was begun may end (A56)", async () => {
    const writer = await Writer.open(acme);
    const at = place("aws", "us-east-1");
    const first = await writer.begin("v1", oneFile, { place: at });
    const second = await writer.begin("v2", oneFile, { place: at });
    ok(await writer.commit(first.upload, await sendParts(first, oneFile)), 200);
    await ada.change(east.id, { state: "retired" });
    const third = await writer.begin("v3", oneFile, { place: at });
    assert.equal(placed(third), "west cloud");
    const again = ok<UploadReply>(await writer.resign(second.upload), 200);
    ok(await writer.commit(second.upload, await sendParts(again, oneFile)), 200);
    for (const version of ["v1", "v2"]) {
      const { location, files } = await acme.read(writer.artifact, version, { urls: "1" });
      assert.equal(location.id, east.id);
      assert.deepEqual(await fetchBytes(files[0].url), oneFile["model.bin"]);
    }
    const inCloud = await writer.begin("v4", oneFile, { place: place("aws", "x") });
    assert.equal(placed(inCloud), "west cloud");
    await ada.change(west.id, { state: "retired" });
    const last = await writer.begin("v5", oneFile, { place: at });
    assert.equal(placed(last), "built-in");
  });
}

topic("placement and usage", define, options);

/** Reads may be counted a moment later. */
async function settled<Row>(ask: () => Promise<Row[]>, rows: number): Promise<Row[]> {
  const until = Date.now() + 60_000;
  for (;;) {
    const found = await ask();
    if (found.length >= rows || Date.now() > until) return found;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

ownServices("placement without a fallback", () => {
  test("without a fallback nothing is written, wherever the writer is", async () => {
    await using store = await startStore();
    const { allowPrivate } = options;
    await using service = await Service.start({ locations: [locationBody(store)], allowPrivate });
    const target = { baseUrl: service.baseUrl, observe: () => {} };
    const writer = await Writer.open(new ArtifactCaller(target, organizations.acme.key));
    await fails(writer.tryBegin("v1", { place: place("gcp", "x") }), 409, "not_ready");
    await fails(writer.tryBegin("v1", { place: place("aws", "us-east-1") }), 409, "not_ready");
  });
});
