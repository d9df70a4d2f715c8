import assert from "node:assert/strict";
import { test } from "node:test";
import { Random } from "../../../../test/random.ts";
import { folded } from "./folded.ts";
import { nodeHeight, nodeWidth, placedGroups } from "./placed-groups.ts";
import { randomGraph } from "./random-graph.fixture.ts";

const randomGroups = (seed: number, linksMax: 1 | 2) =>
  folded(randomGraph(new Random(seed), linksMax), new Map());

test("random graphs: columns go by distance, within the drawing, and nothing covers another", () => {
  for (let seed = 1; seed <= 150; seed++) {
    const { groups, width, height } = placedGroups(randomGroups(seed, 2));
    const columns = [...Map.groupBy(groups, ({ distance }) => distance)].toSorted(
      ([one], [two]) => one - two,
    );
    let right = 0;
    for (const [distance, column] of columns) {
      const what = `seed ${seed}, column ${distance}`;
      const [{ x }] = column;
      assert.ok(x > right, what);
      right = x + nodeWidth;
      let bottom = 0;
      for (const group of column.toSorted((one, two) => one.y - two.y)) {
        assert.equal(group.x, x, what);
        assert.ok(group.y > bottom, what);
        bottom = group.y + nodeHeight;
      }
      assert.ok(bottom < height, what);
      const [first, last] = [Math.min, Math.max].map((of) => of(...column.map(({ y }) => y)));
      assert.ok(Math.abs((first + last + nodeHeight) / 2 - height / 2) < 1e-6, what);
    }
    assert.ok(right < width, `seed ${seed}`);
  }
});

test("random trees: no two lines between neighbouring columns cross", () => {
  let trees = 0;
  for (let seed = 1; seed <= 150; seed++) {
    const graph = randomGroups(seed, 1);
    // Others of a full column, folded together, may hang on several.
    if (graph.edges.length >= graph.groups.length) continue;
    trees++;
    const byId = new Map(placedGroups(graph).groups.map((group) => [group.id, group]));
    const lines = graph.edges.map(({ source, target }) => {
      const [left, right] = [byId.get(source)!, byId.get(target)!];
      return { column: left.distance, left: left.y, right: right.y };
    });
    for (const one of lines)
      for (const two of lines) {
        const isCrossing = one.left < two.left && one.right > two.right;
        assert.ok(one.column !== two.column || !isCrossing, `seed ${seed}`);
      }
  }
  assert.ok(trees > 50);
});
