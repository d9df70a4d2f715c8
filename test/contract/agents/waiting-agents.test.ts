import assert from "node:assert/strict";
import { Agent as Connections } from "node:http";
import { test } from "node:test";
import { Figures } from "../../figures.ts";
import { call } from "../../http.ts";
import { organizations } from "../../service.ts";
import { until } from "../../web/until.ts";
import { uniqueName } from "../callers.ts";
import { type System, topic } from "../topic.ts";
import { agentOf, message, toolCall } from "./agent.ts";

const { acme, rival } = organizations;
/** Half of all that are answered at once. */
const ofOneOrganization = 128;
const figures = await Figures.onFreePort();
const flags = [...figures.flags, "--rate-limit", "0"];

topic(
  "agents that wait",
  (system) => {
    const waits = (number: number) =>
      until(async () => assert.equal(await figures.value("lossless_waits"), number));

    for (const mode of ["auto", "legacy"] as const)
      test(`${mode}: a client that goes away ends its wait`, async () => {
        const { slug } = await system.acme.open();
        await using agent = await agentOf(system, { credential: acme.key, mode });
        const left = new AbortController();
        const given = { experiment: slug, until: "loss < 0", seconds: 25 };
        const waiting = agent.ask("wait_until", given, left.signal);
        const ended = assert.rejects(waiting);
        await waits(1);
        left.abort();
        await ended;
        // A client of the revisions before July 2026 leaves the connection open until it is closed.
        if (mode === "legacy") await agent.client.close();
        await waits(0);
        // A wait that had gone on to its end would have been answered.
        assert.doesNotMatch(await figures.text(), /views\/v1\/wait",status="200"/);
        assert.doesNotMatch(system.service.errors, /the tool wait_until failed/);
      });

    test("an organization has a bounded number of calls at once, others still have theirs", async () => {
      const { slug } = await system.acme.open();
      const connections = new Connections({ maxSockets: Infinity });
      const waiting = Array.from({ length: ofOneOrganization }, () =>
        wait(system, slug, connections).catch(() => undefined),
      );
      await waits(ofOneOrganization);
      const question = toolCall("find_experiments", {});
      const refused = await message(system, acme.key, question);
      assert.deepEqual([refused.status, refused.headers["retry-after"]], [503, "1"]);
      assert.match(refused.text, /Too many requests of the organization's agents/);
      assert.equal((await message(system, rival.key, question)).status, 200);
      connections.destroy();
      await Promise.all(waiting);
      await waits(0);
      assert.equal((await message(system, acme.key, question)).status, 200);
    });

    test("a service that stops answers who waits", async () => {
      const { slug } = await system.acme.open(uniqueName("stopped"));
      const waiting = wait(system, slug, new Connections());
      await waits(1);
      assert.equal(await system.service.stop(), 0);
      const { status, text } = await waiting;
      assert.equal(status, 200);
      assert.match(text, /call wait_until again|shutting down/);
      await system.service.start();
    });
  },
  { flags },
);

function wait(system: System, experiment: string, agent: Connections) {
  const body = toolCall("wait_until", { experiment, until: "loss < 0", seconds: 25 });
  return call(system.baseUrl, { path: "/mcp", credential: acme.key, body, agent });
}
