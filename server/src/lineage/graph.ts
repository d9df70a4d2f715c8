import type { LineageGraph } from "@lossless/protocol";
import { limits } from "@lossless/protocol/limits";
import type { Reader } from "../database/database.ts";
import { isLineageBehind } from "../experiments/from-before.ts";
import { subjectOf } from "../experiments/lineage/subject.ts";
import { ServiceError } from "../ground/errors.ts";
import type { ReplyText } from "../ground/reply-text.ts";
import { byKind, type NodeId } from "./keys.ts";
import { type Neighbour, readNeighbours, type Way } from "./neighbours.ts";
import { readNodes } from "./nodes.ts";
import { meantVersion } from "./version.ts";

export interface ReadGraph {
  organizationId: string;
  from: { experimentId: string } | { artifact: string; version: string };
  ways: readonly Way[];
  /** Links between the first node and the farthest. */
  depth: number;
  /** Nodes of the reply. */
  nodes: number;
}

/**
 * `lineage.graph`: walks from one node to what it was made of, and to what was made of it, level by
 * level, as far as depth and number of nodes allow. Each node says how many of its neighbours the
 * reply lacks.
 */
export async function readGraph(reader: Reader, asked: ReadGraph, text: ReplyText): Promise<void> {
  const { organizationId } = asked;
  const root = await rootOf(reader, asked);
  const walk = new Walk(reader, asked, root);
  for (let level = 1; level <= asked.depth; level++) {
    for (const way of asked.ways) await walk.step(way, level);
  }
  for (const way of asked.ways) await walk.count(way);
  const nodes = await readNodes(reader, organizationId, walk.distances.keys());
  const shown = nodes.get(root);
  if (shown === undefined || (shown.state === "unknown" && walk.edges.size === 0)) {
    throw new ServiceError("not_found", "There is no such run, or no such version.");
  }
  const leftOut = walk.leftOut();
  const graph: LineageGraph = {
    root,
    nodes: [...walk.distances].flatMap(([id, distance]) => {
      const node = nodes.get(id);
      return node === undefined ? [] : [{ ...node, distance, leftOut: leftOut.get(id) ?? 0 }];
    }),
    edges: [...walk.edges.values()].filter(
      ({ source, target }) => nodes.has(source) && nodes.has(target),
    ),
    isCut: walk.isCut,
    isBehind: await isLineageBehind(reader, organizationId),
  };
  await text.add(JSON.stringify(graph));
}

async function rootOf(reader: Reader, { organizationId, from }: ReadGraph): Promise<NodeId> {
  if ("experimentId" in from) return `run:${from.experimentId}`;
  const { artifact } = from;
  const version = await meantVersion(reader, { organizationId, ...from });
  return `version:${subjectOf({ artifact, version })}`;
}

interface Edge extends Pick<Neighbour, "role" | "named" | "step" | "atMs"> {
  source: NodeId;
  target: NodeId;
}

class Walk {
  /** Nodes in the order in which they were reached; below 0: what the first one was made of. */
  readonly distances = new Map<NodeId, number>();
  readonly edges = new Map<string, Edge>();
  /** Whether nodes or links were left out for their number. */
  isCut = false;
  readonly #reader: Reader;
  readonly #asked: ReadGraph;
  /** Nodes whose neighbours come next. */
  readonly #ahead: Record<Way, NodeId[]>;
  readonly #passed: Record<Way, Set<NodeId>>;
  /** Neighbours that nodes have, and those that the reply has, by node. */
  readonly #totals = new Map<NodeId, number>();
  readonly #shown = new Map<NodeId, number>();

  constructor(reader: Reader, asked: ReadGraph, root: NodeId) {
    this.#reader = reader;
    this.#asked = asked;
    this.#ahead = { up: [root], down: [root] };
    this.#passed = { up: new Set([root]), down: new Set([root]) };
    this.distances.set(root, 0);
  }

  /** Takes one level: the neighbours of nodes reached before, of each node some in turn. */
  async step(way: Way, level: number): Promise<void> {
    const room = this.#asked.nodes - this.distances.size;
    const each = Math.min(limits.lineageLinksMax, Math.max(1, room));
    const found = await this.#neighbours(way, { each });
    this.#ahead[way] = [];
    const turns = [...found].flatMap(([id, neighbours]) =>
      neighbours.map((neighbour, turn) => ({ id, neighbour, turn })),
    );
    for (const { id, neighbour } of turns.toSorted((one, two) => one.turn - two.turn)) {
      const { other } = neighbour;
      const isNew = !this.distances.has(other);
      if (isNew && this.distances.size >= this.#asked.nodes) {
        this.isCut = true;
        continue;
      }
      if (!this.#add(way, id, neighbour)) continue;
      if (isNew) this.distances.set(other, way === "up" ? -level : level);
      if (this.#passed[way].has(other)) continue;
      this.#passed[way].add(other);
      this.#ahead[way].push(other);
    }
  }

  /** Counts the neighbours of the last nodes; links among nodes of the reply are in it, too. */
  async count(way: Way): Promise<void> {
    const asked = { each: limits.lineageLinksMax, among: this.distances.keys() };
    for (const [id, neighbours] of await this.#neighbours(way, asked)) {
      for (const neighbour of neighbours) this.#add(way, id, neighbour);
    }
  }

  /** Returns by node how many neighbours the reply lacks. */
  leftOut(): Map<NodeId, number> {
    const left = [...this.#totals].map(
      ([id, total]) => [id, total - (this.#shown.get(id) ?? 0)] as const,
    );
    return new Map(left);
  }

  /** Adds a link that a node has, and counts it there; false if there are too many. */
  #add(way: Way, id: NodeId, { other, role, named, step, atMs }: Neighbour): boolean {
    const [source, target] = way === "up" ? [other, id] : [id, other];
    const key = JSON.stringify([source, target, role]);
    if (!this.edges.has(key)) {
      if (this.edges.size >= limits.lineageEdgesMax) {
        this.isCut = true;
        return false;
      }
      this.edges.set(key, { source, target, role, named, step, atMs });
    }
    this.#shown.set(id, (this.#shown.get(id) ?? 0) + 1);
    return true;
  }

  async #neighbours(
    way: Way,
    { each, among }: { each: number; among?: Iterable<NodeId> },
  ): Promise<Map<NodeId, Neighbour[]>> {
    const { organizationId } = this.#asked;
    const byNode = new Map<NodeId, Neighbour[]>();
    for (const [kind, keys] of byKind(this.#ahead[way])) {
      const asked = { organizationId, kind, keys, way, each, among: among && [...among] };
      const { neighbours, totals } = await readNeighbours(this.#reader, asked);
      const total = totals.values().reduce((sum, one) => sum + one, 0);
      if (among === undefined && total > neighbours.length) this.isCut = true;
      for (const [key, total] of totals) {
        const id: NodeId = `${kind}:${key}`;
        this.#totals.set(id, (this.#totals.get(id) ?? 0) + total);
      }
      for (const neighbour of neighbours) {
        const id: NodeId = `${kind}:${neighbour.key}`;
        const own = byNode.get(id);
        if (own === undefined) byNode.set(id, [neighbour]);
        else own.push(neighbour);
      }
    }
    return byNode;
  }
}
