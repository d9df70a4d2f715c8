import type { LineageGraph } from "@lossless/client";

export type GraphNode = LineageGraph["nodes"][number];

/** One node, or several alike that are drawn as one. */
export interface Folded {
  id: string;
  members: readonly GraphNode[];
  kind: GraphNode["kind"];
  /** The column: links to the first node, below 0 on the left. */
  distance: number;
}

export interface FoldedEdge {
  source: string;
  target: string;
  /** Links that it stands for. */
  count: number;
  role: string;
}

export interface FoldedGraph {
  groups: Folded[];
  edges: FoldedEdge[];
}

/** More nodes than this that are alike are one, until it is opened. */
const alikeMax = 5;
/** Nodes of one column; beyond it fewer alike are folded, and then all of a kind. */
const columnMax = 40;
/** Members that one opening takes out. */
export const openedAtOnce = 25;

/**
 * Folds nodes of one kind that hang on the same neighbours towards the first node, column by
 * column from there, so that what hangs on folded nodes is folded, too. `opened` says by id of a
 * group how often it was opened.
 */
export function folded(graph: LineageGraph, opened: ReadonlyMap<string, number>): FoldedGraph {
  const groupOf = new Map<string, string>();
  const groups: Folded[] = [];
  const neighbours = neighboursOf(graph);
  const columns = Map.groupBy(graph.nodes, ({ distance }) => distance);
  const order = [...columns.keys()].toSorted((one, two) => Math.abs(one) - Math.abs(two));
  for (const distance of order) {
    const alike = Map.groupBy(columns.get(distance)!, (node) => {
      const inner = (neighbours.get(node.id) ?? [])
        .filter((other) => isInner(other, distance))
        .map((other) => groupOf.get(other.id) ?? other.id);
      return JSON.stringify([node.kind, distance, [...new Set(inner)].toSorted()]);
    });
    for (const group of foldedColumn(alike, distance, opened)) {
      groups.push(group);
      for (const { id } of group.members) groupOf.set(id, group.id);
    }
  }
  return { groups, edges: edgesOf(graph, groupOf) };
}

function foldedColumn(
  alike: ReadonlyMap<string, GraphNode[]>,
  distance: number,
  opened: ReadonlyMap<string, number>,
): Folded[] {
  const singles = (most: number) => {
    const sizes = [...alike.values()].map(({ length }) => (length > most ? 1 : length));
    return sizes.reduce((sum, size) => sum + size, 0);
  };
  const most = singles(alikeMax) > columnMax ? 1 : alikeMax;
  const found = [...alike].flatMap(([key, members]) => part(key, members, most, opened));
  const isOpened = [...alike.keys()].some((key) => opened.has(key));
  if (found.length <= columnMax || isOpened) return found;
  // Too many for a column are folded by kind.
  const rest = Map.groupBy(found.slice(columnMax), ({ kind }) => kind);
  const others = [...rest].flatMap(([kind, some]) => {
    const members = some.flatMap((one) => one.members);
    return part(JSON.stringify([kind, distance, "others"]), members, 1, opened);
  });
  return [...found.slice(0, columnMax), ...others];
}

/** The nodes that were taken out of a group, and the group of the others. */
function part(
  key: string,
  members: readonly GraphNode[],
  most: number,
  opened: ReadonlyMap<string, number>,
): Folded[] {
  const out = members.length > most ? (opened.get(key) ?? 0) * openedAtOnce : members.length;
  const single = members.slice(0, out).map((node) => {
    const { id, kind, distance } = node;
    return { id, members: [node], kind, distance };
  });
  const left = members.slice(out);
  if (left.length === 0) return single;
  const [{ kind, distance }] = left;
  // One alone is drawn as itself.
  const id = left.length === 1 ? left[0].id : key;
  return [...single, { id, members: left, kind, distance }];
}

function isInner({ distance }: GraphNode, of: number): boolean {
  return Math.abs(distance) < Math.abs(of) && (distance === 0 || distance > 0 === of > 0);
}

function neighboursOf({ nodes, edges }: LineageGraph): Map<string, GraphNode[]> {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const found = new Map<string, GraphNode[]>(nodes.map(({ id }) => [id, []]));
  for (const { source, target } of edges) {
    found.get(source)?.push(byId.get(target)!);
    found.get(target)?.push(byId.get(source)!);
  }
  return found;
}

function edgesOf(graph: LineageGraph, groupOf: ReadonlyMap<string, string>): FoldedEdge[] {
  const found = new Map<string, FoldedEdge>();
  for (const edge of graph.edges) {
    const source = groupOf.get(edge.source)!;
    const target = groupOf.get(edge.target)!;
    const key = JSON.stringify([source, target]);
    const before = found.get(key);
    if (before === undefined) found.set(key, { source, target, count: 1, role: edge.role });
    else {
      before.count++;
      if (before.role !== edge.role) before.role = "";
    }
  }
  return [...found.values()];
}
