import assert from "node:assert/strict";
import { test } from "node:test";
import { LosslessClient } from "@lossless/client";
import { agentOf } from "../contract/agents/agent.ts";
import { sharedPostgres } from "../postgres.ts";
import { organizations, Service } from "../service.ts";

const { key } = organizations.acme;

for (const mode of ["auto", "legacy"] as const)
  test(`${mode}: an agent's messages go to any node, and a wait hears of the others' points`, async () => {
    const databaseUrl = await (await sharedPostgres()).createDatabase();
    await using first = await Service.start({ databaseUrl });
    await using second = await Service.start({ databaseUrl });
    const nodes = [first, second];
    let messages = 0;
    await using agent = await agentOf(first, {
      credential: key,
      mode,
      fetch: (address, init) => {
        const { pathname } = new URL(address as string | URL);
        return fetch(nodes[messages++ % nodes.length].baseUrl + pathname, init);
      },
    });
    for (const node of nodes) {
      const client = new LosslessClient({ baseUrl: node.baseUrl, apiKey: key });
      const recorder = await client.record({ slug: `of-node-${nodes.indexOf(node)}` });
      const { experimentId: experiment } = recorder;
      const waiting = agent.ask("wait_until", { experiment, until: "loss < 1", seconds: 25 });
      recorder.record("loss", 0.5, 1);
      await recorder.finish();
      assert.equal((await waiting)["outcome"], "holds");
    }
    assert.ok(messages >= 3, `${messages} messages`);
  });
