import assert from "node:assert/strict";
import { test } from "node:test";
import { onEachDatabase } from "../database/databases.fixture.ts";
import { TestNode } from "../database/node.fixture.ts";
import { openExperiment } from "../experiments/open.ts";
import { MetaIndexing, Recounting, type SummarizingParts } from "./summarizing.ts";

const running = new AbortController().signal;

onEachDatabase((fresh) => {
  test("those that fail keep no place of a round, and failing versions none from being counted", async () => {
    const database = await fresh.openMigrated();
    const node = new TestNode(database);
    const organizationId = await node.newOrganization();
    const ids: string[] = [];
    for (let number = 0; number < 1_002; number++) {
      const data = { slug: `run ${number}`, description: "", meta: "{}" };
      ids.push((await node.write(openExperiment, { organizationId, data })).experimentId);
    }
    await node.execute("UPDATE summarized SET counted = 0, indexed_version = meta_version - 1");
    // Those that come first in a round.
    const failing = new Set(ids.sort().slice(2));
    const [indexed, counted]: Set<string>[] = [new Set(), new Set()];
    const warnings: string[] = [];
    const into = (done: Set<string>) => async (id: string) => {
      if (failing.has(id)) throw new Error("planted");
      done.add(id);
    };
    const parts: SummarizingParts = {
      database,
      summarizer: { fold: async () => undefined, recount: into(counted) },
      trim: async () => undefined,
      indexMeta: into(indexed),
      noteVersions: () => Promise.reject(new Error("planted")),
      lease: undefined,
      warn: (message) => warnings.push(message),
    };
    for (const task of [new MetaIndexing(parts), new Recounting(parts)]) {
      for (let round = 0; round < 2; round++) await task.round(running);
    }
    const others = ids.filter((id) => !failing.has(id));
    assert.deepEqual([...indexed].sort(), others);
    assert.deepEqual([...counted].sort(), others);
    assert.match(warnings.join(), /Versions from before cannot be looked through/);
  });
});
