import assert from "node:assert/strict";
import { test } from "node:test";
import type { VersionRecord } from "@lossless/protocol";
import { ok } from "../../http.ts";
import { organizations } from "../../service.ts";
import {
  ArtifactCaller,
  fails,
  fetchBytes,
  type Files,
  place,
  type Query,
  sendParts,
} from "../artifact-caller.ts";
import { observed, uniqueName } from "../callers.ts";
import { topic } from "../topic.ts";
import { oneFile, Writer } from "../writer.ts";

topic("read", (system) => {
  const acme = new ArtifactCaller(system, organizations.acme.key);
  const rival = new ArtifactCaller(system, organizations.rival.key);

  const files: Files = {
    "a.bin": Buffer.from("abc"),
    "dir/ü": Buffer.alloc(0),
    z: Buffer.from("z"),
  };

  async function written(more: { meta?: object; source?: string } = {}): Promise<Writer> {
    const writer = await Writer.open(acme);
    const { meta = {}, source = "trainer-7" } = more;
    const upload = await writer.begin("1", files, { meta, place: { ...place, source } });
    ok(await writer.commit(upload.upload, await sendParts(upload, files)), 200);
    return writer;
  }

  test("version record: its fields, and what is in them", async () => {
    const meta = { step: 12, loss: 0.25, note: null };
    const { artifact } = await written({ meta });
    const record = await acme.read(artifact, "1");
    const { location, committed, ...rest } = record;
    assert.deepEqual(rest, {
      artifact,
      version: "1",
      transfer: "unknown",
      bytes: 4,
      meta,
      source: "trainer-7",
      expires: null,
      files: [
        { name: "a.bin", size: 3, url: null },
        { name: "dir/ü", size: 0, url: null },
        { name: "z", size: 1, url: null },
      ],
    });
    assert.match(committed, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/, "A64");
    assert.deepEqual(Object.keys(location).sort(), ["cloud", "id", "region"]);
    const view = ok<{ locations: { id: string; cloud: string; region: string }[] }>(
      await acme.request("org", {}),
      200,
    );
    const { id, cloud, region } = view.locations[0];
    assert.deepEqual(location, { id, cloud, region });
  });

  test("A29: source is the label in the writer's place", async () => {
    for (const source of ["", "x".repeat(128), "<b>\u{1f600}"]) {
      const { artifact } = await written({ source });
      const record = await acme.read(artifact);
      assert.ok(record.source === source || (source === "" && record.source === null));
    }
  });

  test("urls=1 signs every file; without it and with 0 none is signed", async () => {
    const { artifact } = await written();
    const signed = await acme.read(artifact, "1", { urls: "1" });
    const lifetimeMs = Date.parse(signed.expires!) - Date.now();
    assert.ok(Math.abs(lifetimeMs - 3_600_000) < 60_000, "limits: 60 minutes");
    for (const { name, url } of signed.files) {
      assert.ok(files[name].equals(await fetchBytes(url)), name);
    }
    const unsigned = await acme.read(artifact, "1");
    assert.deepEqual(await acme.read(artifact, "1", { urls: "0" }), unsigned);
    const strip = (record: VersionRecord) => ({
      ...record,
      expires: null,
      files: record.files.map((file) => ({ ...file, url: null })),
    });
    assert.deepEqual(strip(signed), unsigned);
  });

  test("rule 7: read signs a version of more than 100 files whole", async () => {
    const many: Files = {};
    for (let at = 0; at < 101; at++) many[`${at}`] = Buffer.alloc(0);
    const writer = await Writer.open(acme);
    await writer.write("1", many);
    const record = await acme.read(writer.artifact, "1", { urls: "1" });
    assert.equal(record.files.filter(({ url }) => url !== null).length, 101);
  });

  test("rule 6: latest is the newest committed version, at once", async () => {
    const writer = await Writer.open(acme);
    for (const version of ["1", "2", "3"]) {
      await writer.write(version);
      assert.equal((await acme.read(writer.artifact, "latest")).version, version);
      assert.equal((await acme.read(writer.artifact, version)).version, version);
    }
    await writer.sent("4");
    assert.equal((await acme.read(writer.artifact, "latest")).version, "3", "A30");
  });

  test("not_found: no such version or artifact; T09: another organization's", async () => {
    const { artifact } = await written();
    const read = (caller: ArtifactCaller, name: string, version: string) =>
      caller.request("versions/read", { artifact: name, version, urls: "1" });
    await fails(read(acme, artifact, "2"), 404, "not_found");
    await fails(read(acme, uniqueName("none"), "1"), 404, "not_found");
    await fails(read(acme, `${artifact}x`, "latest"), 404, "not_found");
    await fails(read(acme, artifact.slice(0, -1), "latest"), 404, "not_found");
    for (const version of ["1", "latest"]) {
      await fails(read(rival, artifact, version), 404, "not_found");
    }
    const foreign = await fails(read(rival, artifact, "1"), 404, "not_found");
    const missing = await fails(read(acme, uniqueName("none"), "1"), 404, "not_found");
    assert.equal(foreign, missing, "nothing tells that it exists elsewhere");
  });

  test("A31: read without version or artifact, and with another word in urls, is bad_request", async () => {
    const { artifact } = await written();
    const wrong: Query[] = [
      { artifact },
      { version: "1" },
      {},
      { artifact, version: "" },
      { artifact, version: "1", urls: "2" },
      { artifact, version: "1", urls: "true" },
      { artifact, version: "1", urls: "" },
      { artifact, version: "1", urls: "1 " },
    ];
    for (const query of wrong) {
      await fails(acme.request("versions/read", query), 400, "bad_request");
    }
  });

  test("A18, rule 9: transfer tells how the reader's place and the location relate", async () => {
    const { artifact } = await written();
    const { location } = await acme.read(artifact);
    const { cloud, region } = location;
    const cases: [Query, string][] = [
      [{}, "unknown"],
      [{ source: "reader" }, "unknown"],
      [{ cloud }, "unknown"],
      [{ cloud, region: "" }, "unknown"],
      [{ cloud: "", region }, "unknown"],
      [{ region }, "unknown"],
      [{ cloud, region }, "local"],
      [{ cloud, region, source: "reader" }, "local"],
      [{ cloud, region: `${region}-2` }, "cross-region"],
      [{ cloud: `${cloud}2`, region }, "cross-cloud"],
      [{ cloud: `${cloud}2`, region: "x" }, "cross-cloud"],
      [{ cloud: `${cloud}2` }, "cross-cloud"],
    ];
    for (const [query, transfer] of cases) {
      for (const urls of ["0", "1"]) {
        const record = await acme.read(artifact, "1", { ...query, urls });
        assert.equal(record.transfer, transfer, JSON.stringify(query));
      }
    }
    for (const name of ["cloud", "region", "source"]) {
      const long = { artifact, version: "1", [name]: "x".repeat(129) };
      await fails(acme.request("versions/read", long), 400, "bad_request");
      await acme.read(artifact, "1", { [name]: "x".repeat(128) });
    }
  });

  test("T36, A62: query parameters are decoded once; malformed ones are bad_request", async () => {
    const writer = await Writer.open(acme, uniqueName("a b+%2e%2e/c%2fd&é"));
    await writer.write("1", oneFile);
    const name = encodeURIComponent(writer.artifact);
    const status = async (query: string) => {
      const path = `/api/v1/versions/read?${query}`;
      const { credential } = acme;
      const reply = await observed(system, { path, credential });
      if (reply.status >= 400) {
        await fails(reply, reply.status, reply.status === 404 ? "not_found" : "bad_request");
      }
      return reply.status;
    };
    assert.equal(await status(`artifact=${name}&version=1`), 200);
    assert.equal(await status(`artifact=${name.replaceAll("%20", "+")}&version=1`), 200);
    assert.equal(await status(`version=1&unknown=x&artifact=${name}&&also`), 200, "A62");
    assert.equal(await status(`%61rtifact=${name}&version=%31`), 200);
    assert.equal(await status(`artifact=${encodeURIComponent(name)}&version=1`), 404);
    for (const literal of ["%252e%252e%252fx", "%2525", "x%252f..%252fy"]) {
      assert.equal(await status(`artifact=${literal}&version=1`), 404, literal);
    }
    for (const wrong of [
      "%2e%2e%2fx",
      "%2e%2e/x",
      "a%2f%2fb",
      "%2fa",
      "a%2f",
      "a%5cb",
      "a%00b",
      "a%0ab",
      "%7f",
      "%",
      "%f",
      "%zz",
      "%ff",
      "%c0%ae",
      "%ed%a0%80",
      "a%e2%82",
      "%u0061",
    ]) {
      assert.equal(await status(`artifact=${wrong}&version=1`), 400, wrong);
    }
    assert.equal(await status(`artifact=${name}&version=1&version=1`), 400, "A62");
    assert.equal(await status(`artifact=${name}&artifact=${name}&version=1`), 400, "A62");
    assert.equal(await status(`artifact=${name}&%61rtifact=x&version=1`), 400, "A62");
  });
});
