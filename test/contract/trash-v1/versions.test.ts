import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { ArtifactListReply, VersionRecord } from "@lossless/protocol";
import { call } from "../../http.ts";
import { organizations } from "../../service.ts";
import { ArtifactCaller } from "../artifact-caller.ts";
import { observed, uniqueName } from "../callers.ts";
import { refusedV1, signIn } from "../people.ts";
import { topic } from "../topic.ts";
import { oneFile, Writer } from "../writer.ts";
import { askTrash, entriesOf } from "./trash-calls.ts";

topic("versions in the trash", (system) => {
  let acme: ArtifactCaller;
  before(() => (acme = new ArtifactCaller(system, organizations.acme.key)));

  const written = async (...versions: string[]): Promise<Writer> => {
    const writer = await Writer.open(acme);
    for (const version of versions) await writer.write(version);
    return writer;
  };
  const deleted = (artifact: string, ...versions: string[]) =>
    entriesOf(askTrash(system, "versions", { body: { artifact, versions } }));
  const restored = (ids: string[]) => entriesOf(askTrash(system, "restore", { body: { ids } }));

  test("one that is deleted is in no list and no read, and comes back with its files", async () => {
    const { artifact } = await written("1", "2", "3");
    const before = await acme.list(artifact);
    const [entry] = await deleted(artifact, "3");
    assert.deepEqual(
      [entry.kind, entry.name, entry.version, entry.bytes],
      ["version", artifact, "3", oneFile["model.bin"].length],
    );
    assert.deepEqual((await acme.list(artifact)).versions.map(nameOf), ["1", "2"]);
    assert.equal((await acme.read(artifact)).version, "2");
    const query = { artifact, version: "3" };
    await refusedV1(acme.request("versions/read", query), 404, "not_found");
    const { artifacts } = await acme.artifacts({ under: artifact });
    assert.deepEqual(
      artifacts.map(({ latest, versions, bytes }) => [latest, versions, bytes]),
      [["2", 2, 14]],
    );
    assert.deepEqual(await deleted(artifact, "3"), [entry]);
    await restored([entry.id]);
    const after = await acme.list(artifact);
    assert.deepEqual(after.versions.map(withoutAddresses), before.versions.map(withoutAddresses));
    assert.equal((await acme.read(artifact)).version, "3");
  });

  test("names and epochs are given to nobody again, and the writer goes on above them", async () => {
    const writer = await written("1", "2");
    const { artifact, epoch } = writer;
    await deleted(artifact, "1", "2");
    const latest = { artifact, version: "latest" };
    await refusedV1(acme.request("versions/read", latest), 404, "not_found");
    await refusedV1(writer.tryBegin("2"), 409, "not_after_latest");
    await refusedV1(writer.tryBegin("1.5"), 409, "not_after_latest");
    await writer.write("3");
    assert.equal((await acme.read(artifact)).version, "3");
    assert.equal((await acme.open(artifact, "latest")).epoch, epoch + 1);
  });

  test("addresses that were signed before go on, also after a purge was asked for", async () => {
    const { artifact } = await written("1");
    const { files } = await acme.read(artifact, "1", { urls: "1" });
    const [{ id }] = await deleted(artifact, "1");
    const credential = await signIn(system, "ada");
    const [entry] = await entriesOf(askTrash(system, "purge", { body: { ids: [id] }, credential }));
    assert.equal(entry.purgeAtMs - entry.trashedAtMs, 60 * 60_000);
    const { origin, pathname, search } = new URL(files[0].url!);
    const reply = await call(origin, { path: pathname + search });
    assert.deepEqual([reply.status, reply.text], [200, "weights"]);
    await refusedV1(askTrash(system, "restore", { body: { ids: [id] } }), 409, "conflict");
  });

  test("an artifact of which no version is left is in no list, until it is written or restored", async () => {
    const root = `${uniqueName("gone")}/`;
    const writers = new Map<string, Writer>();
    for (const name of ["a/one", "a/two", "b/one"]) {
      const writer = await Writer.open(acme, root + name);
      await writer.write("1");
      writers.set(name, writer);
    }
    const listed = async (query: Record<string, string>): Promise<string[]> => {
      const words = new URLSearchParams(query);
      const path = `/api/views/v1/artifacts?${words.toString()}`;
      const credential = organizations.acme.key;
      const reply = await observed(system, { path, credential });
      const { folders, artifacts } = JSON.parse(reply.text) as ArtifactListReply;
      const found = [
        ...folders.map(({ path: folder, artifacts: count }) => `${folder} ${count}`),
        ...artifacts.map(({ artifact }) => artifact),
      ];
      return found.map((one) => one.slice(root.length));
    };
    assert.deepEqual(await listed({ under: root }), ["a/ 2", "b/ 1"]);
    await deleted(`${root}a/one`, "1");
    const [{ id }] = await deleted(`${root}b/one`, "1");
    assert.deepEqual(await listed({ under: root }), ["a/ 1"]);
    assert.deepEqual(await listed({ under: `${root}a/` }), ["a/two"]);
    assert.deepEqual(await listed({ search: `${root}*` }), ["a/two"]);
    assert.deepEqual(await listed({ under: root, sort: "newest" }), ["a/two"]);
    await writers.get("a/one")!.begin("2");
    assert.deepEqual(await listed({ under: root }), ["a/ 2"]);
    await restored([id]);
    assert.deepEqual(await listed({ under: root }), ["a/ 2", "b/ 1"]);
  });

  test("a version that is not there, and another organization's, is not found; all or none", async () => {
    const { artifact } = await written("1");
    const body = { artifact, versions: ["1", "2"] };
    await refusedV1(askTrash(system, "versions", { body }), 404, "not_found");
    assert.equal((await acme.read(artifact)).version, "1");
    const credential = organizations.rival.key;
    const foreign = { body: { artifact, versions: ["1"] }, credential };
    await refusedV1(askTrash(system, "versions", foreign), 404, "not_found");
    const none = { body: { artifact: uniqueName("none"), versions: ["1"] } };
    await refusedV1(askTrash(system, "versions", none), 404, "not_found");
  });
});

function nameOf({ version }: VersionRecord): string {
  return version;
}

function withoutAddresses({ files, ...record }: VersionRecord): object {
  return { ...record, files: files.map((file) => ({ ...file, url: undefined })) };
}
