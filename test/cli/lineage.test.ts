import assert from "node:assert/strict";
import { mkdtempDisposableSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite, test } from "node:test";
import { LosslessClient } from "@lossless/client";
import { organizations } from "../service.ts";
import { suiteService } from "../suite-service.ts";
import { finished, start } from "./command-line.ts";

suite("lossless lineage, models, and pull --model --for", () => {
  const service = suiteService();
  const done = async (line: string, expected = 0): Promise<string> => {
    const words = line.split(" ");
    const environment = { LOSSLESS_API_KEY: organizations.acme.key };
    const { code, stdout, stderr } = await finished(start(service.baseUrl, words, environment));
    assert.equal(code, expected, stderr);
    return expected === 0 ? stdout : stderr;
  };

  test("a pulled version of a model is in the lineage of its run, both ways", async () => {
    using directory = mkdtempDisposableSync(join(tmpdir(), "lossless-lineage-"));
    const file = join(directory.path, "weights");
    writeFileSync(file, "one");
    const client = new LosslessClient({ baseUrl: service.baseUrl, apiKey: organizations.acme.key });
    await (await client.record({ slug: "tune" })).finish();
    await done(`push ${file} base`);
    await client.models.link("bert", { artifact: "base", version: "000000000001" });
    await client.models.setAlias("bert", "good", 1);
    const out = join(directory.path, "out");
    await done(`pull --model bert@good ${out} --for tune --as start`);
    assert.equal(readFileSync(join(out, "weights"), "utf8"), "one");
    assert.match(await done("lineage tune"), /made of\n {2}run tune\n {4}<- start: base@0+1\n/);
    assert.match(await done("lineage base@1", 1), /no such/);
    assert.match(await done("lineage base"), /used for\n {2}base@0+1\n {4}-> start: run tune\n/);
    assert.match(await done("models list"), /^MODEL .*\nbert +1 +@good=1 /);
    assert.match(await done("models show bert"), /\n1 +@good +base@0+1 /);
    const graph = JSON.parse(await done("lineage tune --json --up")) as { nodes: unknown[] };
    assert.equal(graph.nodes.length, 2);
    const { experimentId } = await client.experiment({ experimentSlug: "tune" });
    await done(`pull base ${out} --force --for tune`);
    const { inputs } = await client.lineage.ofRun(experimentId);
    assert.deepEqual(inputs.map(({ role, named }) => [role, named]).toSorted(), [
      ["", "latest"],
      ["start", ""],
    ]);
    assert.match(await done("pull --model bert@none", 1), /alias/);
  });
});
