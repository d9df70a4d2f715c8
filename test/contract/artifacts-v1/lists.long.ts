import assert from "node:assert/strict";
import { Agent } from "node:http";
import { after, test } from "node:test";
import type { UploadReply, VersionRecord } from "@lossless/protocol";
import { call } from "../../http.ts";
import { inParallel } from "@lossless/client/in-parallel";
import { organizations } from "../../service.ts";
import { address, ArtifactCaller, place, type Query, type SentFile } from "../artifact-caller.ts";
import { topic } from "../topic.ts";

const versionsOf = ({ versions }: { versions: VersionRecord[] }) =>
  versions.map(({ version }) => version);

/** Much work for one number each: `npm run test:long`. Unit tests hold the scripts to the same. */
topic("long lists", (system) => {
  const agent = new Agent({ keepAlive: true });
  after(() => agent.destroy());
  const { key: credential } = organizations.acme;

  async function post<Reply>(path: string, query: Query, body: object): Promise<Reply> {
    const reply = await call(system.baseUrl, {
      method: "POST",
      path: address(path, query),
      credential,
      body,
      agent,
    });
    assert.ok(reply.status < 300, reply.text);
    return JSON.parse(reply.text) as Reply;
  }

  async function write(artifact: string, version: string, fileCount: number): Promise<void> {
    const files = Array.from({ length: fileCount }, (_, at) => ({ name: `${at}`, size: 0 }));
    const body = { epoch: 1, place, files, meta: {} };
    const begun = await post<UploadReply>("versions/begin", { artifact, version }, body);
    const sent: SentFile[] = [];
    await inParallel(8, begun.files, async ({ name, parts }) => {
      const { pathname, search } = new URL(parts[0].url);
      const path = pathname + search;
      const { headers } = await call(system.baseUrl, {
        method: "PUT",
        path,
        body: Buffer.alloc(0),
        agent,
      });
      sent.push({ name, etags: [String(headers.etag)] });
    });
    const query = { artifact, upload: begun.upload };
    await post("versions/commit", query, { epoch: 1, files: sent });
  }

  test("limits: a page of versions holds 5,000 files", async () => {
    const acme = new ArtifactCaller(system, credential);
    const artifact = "many files";
    await acme.open(artifact);
    await write(artifact, "1", 4_999);
    for (const version of ["2", "3"]) await write(artifact, version, 1);
    const first = await acme.list(artifact);
    assert.deepEqual([versionsOf(first), first.next], [["1", "2"], "2"]);
    const rest = await acme.list(artifact, { after: "2" });
    assert.deepEqual([versionsOf(rest), rest.next], [["3"], null]);
  });

  test("limits: a page of artifacts holds 1,000", async () => {
    const acme = new ArtifactCaller(system, credential);
    const names = Array.from({ length: 1_001 }, (_, at) => `many/${String(at).padStart(4, "0")}`);
    await inParallel(8, names, async (artifact) => {
      await post("artifacts/open", { artifact }, { mode: "new", place });
      await write(artifact, "1", 1);
    });
    const first = await acme.artifacts({ under: "many/" });
    assert.deepEqual(
      first.artifacts.map(({ artifact }) => artifact),
      names.slice(0, 1_000),
    );
    assert.equal(first.next, "many/0999");
    const rest = await acme.artifacts({ under: "many/", after: first.next });
    assert.deepEqual([rest.artifacts.length, rest.next], [1, null]);
    const exact = await acme.artifacts({ under: "many/", after: "many/0000" });
    assert.deepEqual([exact.artifacts.length, exact.next], [1_000, null]);
  });
});
