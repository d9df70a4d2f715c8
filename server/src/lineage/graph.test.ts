import assert from "node:assert/strict";
import { test } from "node:test";
import type { LineageGraph } from "@lossless/protocol";
import { limits } from "@lossless/protocol/limits";
import type { Reader } from "../database/database.ts";
import { onEachDatabase } from "../database/databases.fixture.ts";
import { TestNode } from "../database/node.fixture.ts";
import { openExperiment } from "../experiments/open.ts";
import { ReplyText } from "../ground/reply-text.ts";
import { type ReadGraph, readGraph } from "./graph.ts";

onEachDatabase((fresh) => {
  test("a graph reads and has a bounded number of links, and counts the others", async () => {
    const database = await fresh.openMigrated();
    const node = new TestNode(database);
    const organizationId = await node.newOrganization();
    const ids: string[] = [];
    for (let at = 0; at < 21; at++) {
      const data = { slug: `run${at}`, description: "", meta: "{}" };
      const { experimentId } = await node.write(openExperiment, { organizationId, data });
      ids.push(experimentId);
    }
    // Each run used one version, and wrote the same 1,000.
    const link = (direction: number, subject: string) =>
      `INSERT INTO lineage (experiment, direction, subject, role, organization, named, step, at_ms)
       SELECT id, ${direction}, ${subject}, '', organization, '', NULL, 5 FROM experiment`;
    await node.execute(link(0, "'data@1'"));
    await node.execute(
      `${link(1, "'made@' || number")} CROSS JOIN (
         WITH RECURSIVE counted (number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM counted WHERE number < 1000)
         SELECT number FROM counted) AS numbers WHERE organization IS NOT NULL`,
    );
    let mostRows = 0;
    const counting = (reader: Reader) =>
      new Proxy(reader, {
        get(target, name) {
          const member = Reflect.get(target, name, target) as unknown;
          if (typeof member !== "function") return member;
          if (name !== "all") return member.bind(target) as unknown;
          return async (...given: [string]) => {
            const rows = (await member.apply(target, given)) as unknown[];
            mostRows = Math.max(mostRows, rows.length);
            return rows;
          };
        },
      });
    const read = (asked: Pick<ReadGraph, "depth" | "nodes">) =>
      database.read(async (reader) => {
        const text = new ReplyText();
        const from = { artifact: "data", version: "1" };
        const ways = ["down"] as const;
        await readGraph(counting(reader), { organizationId, from, ways, ...asked }, text);
        return JSON.parse(text.end().toString()) as LineageGraph;
      });
    const left = ({ nodes }: LineageGraph) => nodes.reduce((sum, one) => sum + one.leftOut, 0);
    const whole = await read({ depth: 3, nodes: limits.lineageNodesMax });
    assert.equal(whole.edges.length, limits.lineageEdgesMax);
    assert.equal(whole.isCut, true);
    assert.equal(left(whole), 21 + 21_000 - limits.lineageEdgesMax);
    const named = new Set(whole.edges.flatMap(({ source, target }) => [source, target]));
    assert.ok(whole.nodes.every(({ id }) => named.has(id)));
    assert.ok(mostRows <= 20_000, `${mostRows} rows`);
    // Links of the farthest nodes are only counted.
    mostRows = 0;
    const near = await read({ depth: 1, nodes: limits.lineageNodesMax });
    assert.deepEqual([near.nodes.length, near.isCut, left(near)], [22, false, 21_000]);
    assert.equal(mostRows, 21);
  });
});
