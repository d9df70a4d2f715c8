import assert from "node:assert/strict";
import { test } from "node:test";
import type { LineageGraph } from "@lossless/client";
import { Random } from "../../../../test/random.ts";
import { type Folded, folded, type FoldedGraph } from "./folded.ts";
import { graphOf, linkOf, nodeOf, randomGraph } from "./random-graph.fixture.ts";

/** A graph of a version that this many runs used. */
function usedBy(runs: number): LineageGraph {
  const ids = Array.from({ length: runs }, (_, at) => `run ${at}`);
  const nodes = [nodeOf("data", "version", 0), ...ids.map((id) => nodeOf(id, "run", 1))];
  return graphOf(
    nodes,
    ids.map((id) => linkOf("data", id)),
  );
}

const nothing: ReadonlyMap<string, number> = new Map();
const sizes = ({ groups }: FoldedGraph) => groups.map(({ members }) => members.length);
const many = ({ groups }: FoldedGraph) => groups.filter(({ members }) => members.length > 1);

test("more than five nodes alike are one, and each opening takes 25 out", () => {
  assert.deepEqual(sizes(folded(usedBy(5), nothing)), [1, 1, 1, 1, 1, 1]);
  const graph = usedBy(57);
  const [all] = many(folded(graph, nothing));
  assert.equal(all.members.length, 57);
  for (const [times, left] of [
    [1, 32],
    [2, 7],
    [3, undefined],
  ] as const) {
    const found = folded(graph, new Map([[all.id, times]]));
    assert.deepEqual(
      many(found).map(({ id, members }) => [id, members.length]),
      left === undefined ? [] : [[all.id, left]],
    );
  }
  // One alone is drawn as itself.
  const [six] = many(folded(usedBy(26), nothing));
  const last = folded(usedBy(26), new Map([[six.id, 1]])).groups.at(-1)!;
  assert.deepEqual([last.id, last.members.length], ["run 25", 1]);
});

test("what hangs on folded nodes is folded, and links between groups count those of their nodes", () => {
  const runs = Array.from({ length: 8 }, (_, at) => `run ${at}`);
  const models = runs.map((id) => `model of ${id}`);
  const graph = graphOf(
    [
      nodeOf("data", "version", 0),
      ...runs.map((id) => nodeOf(id, "run", 1)),
      ...models.map((id) => nodeOf(id, "model", 2)),
    ],
    [
      ...runs.map((id, at) => linkOf("data", id, at === 3 ? "base" : "")),
      ...runs.map((id, at) => linkOf(id, models[at], "best")),
    ],
  );
  const { groups, edges } = folded(graph, nothing);
  assert.deepEqual(sizes({ groups, edges }), [1, 8, 8]);
  assert.deepEqual(
    edges.map(({ count, role }) => [count, role]),
    [
      [8, ""],
      [8, "best"],
    ],
  );
});

test("random graphs: each node and link is shown once, alike nodes together, and all opens", () => {
  for (let seed = 1; seed <= 60; seed++) {
    const random = new Random(seed);
    const graph = randomGraph(random);
    const opened = new Map<string, number>();
    for (let step = 0; ; step++) {
      const found = folded(graph, opened);
      check(graph, found, `seed ${seed}, step ${step}`);
      const closed = many(found);
      if (step === 0) checkFolded(graph, found, `seed ${seed}`);
      if (closed.length === 0) break;
      assert.ok(step < graph.nodes.length, `seed ${seed} does not open`);
      const { id } = random.pick(closed);
      opened.set(id, (opened.get(id) ?? 0) + 1);
    }
  }
});

/** More than five alike are one; a column has forty nodes, and one of each kind for all others. */
function checkFolded(graph: LineageGraph, { groups }: FoldedGraph, what: string): void {
  const ofNode = new Map(groups.flatMap(({ id, members }) => members.map((one) => [one.id, id])));
  const byId = new Map(graph.nodes.map((node) => [node.id, node]));
  for (const [distance, column] of Map.groupBy(groups, (group) => group.distance)) {
    assert.ok(column.length <= 44, `${what}: ${column.length} in column ${distance}`);
    const nodes = graph.nodes.filter((node) => node.distance === distance);
    const alike = Map.groupBy(nodes, ({ id, kind }) => {
      const inner = graph.edges.flatMap(({ source, target }) =>
        source === id ? [target] : target === id ? [source] : [],
      );
      const nearer = inner.filter(
        (other) => Math.abs(byId.get(other)!.distance) < Math.abs(distance),
      );
      return JSON.stringify([kind, [...new Set(nearer.map((one) => ofNode.get(one)))].toSorted()]);
    });
    if (column.length > 40) continue;
    for (const some of alike.values()) {
      const drawn = new Set(some.map(({ id }) => ofNode.get(id)));
      assert.ok(drawn.size === 1 || (some.length <= 5 && drawn.size === some.length), what);
    }
    for (const { members } of column)
      assert.ok([...alike.values()].some((some) => members.every((one) => some.includes(one))));
  }
}

function check(graph: LineageGraph, { groups, edges }: FoldedGraph, what: string): void {
  const members = groups.flatMap((group) => group.members.map(({ id }) => id));
  assert.deepEqual(members.toSorted(), graph.nodes.map(({ id }) => id).toSorted(), what);
  assert.equal(new Set(groups.map(({ id }) => id)).size, groups.length, what);
  const groupOf = new Map(
    groups.flatMap((group) => group.members.map(({ id }): [string, Folded] => [id, group])),
  );
  for (const node of graph.nodes) {
    const { kind, distance } = groupOf.get(node.id)!;
    assert.deepEqual([kind, distance], [node.kind, node.distance], what);
  }
  const wanted = Map.groupBy(graph.edges, ({ source, target }) =>
    JSON.stringify([groupOf.get(source)!.id, groupOf.get(target)!.id]),
  );
  const told = edges.map(({ source, target, ...rest }) => [JSON.stringify([source, target]), rest]);
  assert.deepEqual(
    Object.fromEntries(told),
    Object.fromEntries(
      [...wanted].map(([key, links]) => {
        const roles = new Set(links.map(({ role }) => role));
        return [key, { count: links.length, role: roles.size === 1 ? links[0].role : "" }];
      }),
    ),
    what,
  );
  assert.equal(told.length, wanted.size, what);
}
