import assert from "node:assert/strict";
import { test } from "node:test";
import type { ArtifactReply } from "@lossless/protocol";
import { limits } from "@lossless/protocol/limits";
import { TestArtifacts } from "../../artifacts/rows/artifacts.fixture.ts";
import { onEachDatabase } from "../../database/databases.fixture.ts";
import { watchedReader } from "../../database/watched-reader.fixture.ts";
import { ReplyText } from "../../ground/reply-text.ts";
import { readArtifact } from "./one.ts";

onEachDatabase((fresh) => {
  const node = fresh.node();

  test("no meta is read that the page does not have", async () => {
    const artifacts = await TestArtifacts.open(node);
    const { organizationId } = artifacts;
    const names = Array.from({ length: 130 }, (_, at) => `v${String(at).padStart(5, "0")}`);
    await artifacts.commitAll("a", Object.fromEntries(names.map((name) => [name, ["f"]])));
    const metaText = `{"a":"${"é".repeat((limits.jsonMetaBytesMax - 8) / 2)}"}`;
    await node.execute(
      "UPDATE version SET meta = $2 WHERE artifact = (SELECT id FROM artifact WHERE organization = $1)",
      organizationId,
      metaText,
    );
    const page = (metas: boolean) =>
      node.database.read(async (reader) => {
        let metasRead = 0;
        const text = new ReplyText();
        const seen = watchedReader(reader, {
          onRows: (rows) => (metasRead += count(JSON.stringify(rows), "é")),
        });
        const named = { organizationId, artifact: "a", version: null, after: "" };
        await readArtifact(seen, { ...named, limit: limits.versionsPerPageMax, metas }, text);
        return { reply: JSON.parse(text.end().toString()) as ArtifactReply, metasRead };
      });
    const { reply, metasRead } = await page(true);
    assert.deepEqual([reply.versions.length, reply.next], [64, "v00066"]);
    assert.equal(JSON.stringify(reply.versions[63].meta), metaText);
    assert.equal(metasRead, 64 * count(metaText, "é"));
    const plain = await page(false);
    assert.deepEqual([plain.reply.versions.length, plain.reply.next], [130, null]);
    assert.equal(plain.metasRead, 0);
  });
});

function count(text: string, character: string): number {
  return text.split(character).length - 1;
}
