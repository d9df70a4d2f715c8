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
    await writer.begin("5", oneFile, { meta: { experiment: slug } });
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

  test("another organization's experiment has none, nor has one that does not exist", async () => {
    const { slug, experimentId } = await system.acme.open();
    await write(await Writer.open(acme), "1", { experiment: slug });
    assert.equal((await read(system, system.acme, experimentId)).versions.length, 1);
    for (const id of [experimentId, "unknown"]) {
      const nothing = { versions: [], truncated: false };
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
