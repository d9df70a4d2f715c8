import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { ExperimentArtifactsReply } from "@lossless/protocol";
import { ok } from "../../http.ts";
import { organizations } from "../../service.ts";
import { ArtifactCaller, sendParts } from "../artifact-caller.ts";
import { observed, uniqueName, type OrganizationCaller } from "../callers.ts";
import { topic, type System } from "../topic.ts";
import { oneFile, Writer } from "../writer.ts";

topic("experiment-artifacts", (system) => {
  let acme: ArtifactCaller;
  before(() => void (acme = new ArtifactCaller(system, organizations.acme.key)));

  const write = async (writer: Writer, version: string, meta: object) => {
    const upload = await writer.begin(version, oneFile, { meta });
    const reply = await writer.commit(upload.upload, await sendParts(upload, oneFile));
    assert.equal(reply.status, 200, reply.text);
  };

  test("an experiment has the versions whose meta names it, newest first, with their steps", async () => {
    const { slug, experimentId } = await system.acme.open();
    const { slug: other } = await system.acme.open();
    const writer = await Writer.open(acme, uniqueName(`${slug}/model`));
    await write(writer, "1", { experiment: slug, step: 100 });
    await write(writer, "2", { experiment: slug });
    await write(writer, "3", { experiment: other, step: 5 });
    await write(writer, "4", {});
    const { versions, truncated } = await read(system, system.acme, experimentId);
    assert.equal(truncated, false);
    assert.ok(versions[0].committedAtMs >= versions[1].committedAtMs);
    const own = { artifact: writer.artifact, bytes: 7, files: 1, epoch: writer.epoch };
    const { committedAtMs } = versions[0];
    assert.deepEqual(versions.map((one) => ({ ...one, committedAtMs })).sort(byVersion), [
      { ...own, version: "1", step: 100, committedAtMs },
      { ...own, version: "2", step: null, committedAtMs },
    ]);
  });

  test("its uploads under way are those whose meta names it, until they are committed", async () => {
    for (const slug of [uniqueName("é/two\\words 100%_*"), uniqueName("a/plain_one")]) {
      const { experimentId } = await system.acme.open(slug);
      const writer = await Writer.open(acme, uniqueName("uploaded"));
      await writer.begin("1", oneFile, { meta: { experiment: `${slug}, no` } });
      await writer.begin("2", oneFile, { meta: { of: { experiment: slug } } });
      const { upload, ...begun } = await writer.begin("3", oneFile, { meta: { experiment: slug } });
      const { versions, uploads } = await read(system, system.acme, experimentId);
      const { beganAtMs, ...shown } = uploads[0];
      const named = { artifact: writer.artifact, version: "3", upload, bytes: 7, files: 1 };
      assert.deepEqual([versions, uploads.length, shown], [[], 1, named]);
      assert.ok(Math.abs(Date.now() - beganAtMs) < 600_000, String(beganAtMs));
      assert.deepEqual((await read(system, system.rival, experimentId)).uploads, []);
      const sent = await sendParts({ upload, ...begun }, oneFile);
      assert.equal((await writer.commit(upload, sent)).status, 200);
      const after = await read(system, system.acme, experimentId);
      assert.deepEqual([after.versions.length, after.uploads], [1, []]);
    }
  });

  test("another organization's experiment has none, nor has one that does not exist", async () => {
    const { slug, experimentId } = await system.acme.open();
    await write(await Writer.open(acme), "1", { experiment: slug });
    assert.equal((await read(system, system.acme, experimentId)).versions.length, 1);
    for (const id of [experimentId, "unknown"]) {
      const nothing = { versions: [], truncated: false, uploads: [] };
      assert.deepEqual(await read(system, system.rival, id), nothing);
    }
  });

  test("a question without an experiment is refused", async () => {
    const path = "/api/views/v1/experiment-artifacts";
    const { credential } = system.acme;
    const reply = await observed(system, { path, credential });
    assert.equal(reply.status, 400, reply.text);
    assert.match(reply.text, /experimentId/);
  });
});

const byVersion = (one: { version: string }, other: { version: string }) =>
  one.version < other.version ? -1 : 1;

async function read(
  system: System,
  { credential }: OrganizationCaller,
  experimentId: string,
): Promise<ExperimentArtifactsReply> {
  const path = `/api/views/v1/experiment-artifacts?experimentId=${experimentId}`;
  return ok<ExperimentArtifactsReply>(await observed(system, { path, credential }));
}
