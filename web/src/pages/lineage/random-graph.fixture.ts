import type { LineageGraph } from "@lossless/client";
import type { Random } from "../../../../test/random.ts";
import type { GraphNode } from "./folded.ts";

export function nodeOf(id: string, kind: GraphNode["kind"], distance: number): GraphNode {
  return { id, kind, name: id, state: "present", distance, leftOut: 0 };
}

export function linkOf(source: string, target: string, role = ""): LineageGraph["edges"][number] {
  return { source, target, role, named: "", step: null, atMs: null };
}

export function graphOf(nodes: LineageGraph["nodes"], edges: LineageGraph["edges"]): LineageGraph {
  return { root: nodes[0].id, nodes, edges, isCut: false, isBehind: false };
}

/** A graph as the service walks it: each node hangs on one or two that are one step nearer. */
export function randomGraph(random: Random, linksMax: 1 | 2 = 2): LineageGraph {
  const nodes = [nodeOf("root", "run", 0)];
  const edges: LineageGraph["edges"] = [];
  for (const side of [-1, 1]) {
    let nearer = [nodes[0]];
    const depth = 1 + random.below(4);
    for (let level = 1; level <= depth; level++) {
      const column: GraphNode[] = [];
      for (let at = random.below(random.chance(0.3) ? 120 : 12); at >= 0; at--) {
        const kind = random.pick(["run", "version", "model", "dataset"] as const);
        const node = nodeOf(`${side * level} ${at}`, kind, side * level);
        column.push(node);
        // Many hang on the same few.
        const few = nearer.slice(0, 1 + random.below(nearer.length));
        const inner = new Set([random.pick(few), ...(linksMax > 1 ? [random.pick(few)] : [])]);
        for (const { id } of inner) {
          const [source, target] = side < 0 ? [node.id, id] : [id, node.id];
          edges.push(linkOf(source, target, random.pick(["", "", "base"])));
        }
      }
      nodes.push(...column);
      nearer = column;
    }
  }
  return graphOf(nodes, edges);
}
