import type { LineageLink } from "@lossless/protocol";
import { limits } from "@lossless/protocol/limits";
import type { Reader } from "../database/database.ts";
import type { Kind } from "./keys.ts";
import { readNeighbours, type Way } from "./neighbours.ts";
import { readNodes } from "./nodes.ts";

interface OfNode {
  organizationId: string;
  kind: Kind;
  key: string;
  way: Way;
}

/** Reads the neighbours of one node with what they are, and counts those beyond the limit. */
export async function readLinks(
  reader: Reader,
  { key, ...asked }: OfNode,
): Promise<{ links: LineageLink[]; leftOut: number }> {
  const each = limits.lineageLinksMax;
  const { neighbours, totals } = await readNeighbours(reader, { ...asked, keys: [key], each });
  const others = neighbours.map(({ other }) => other);
  const nodes = await readNodes(reader, asked.organizationId, others);
  const links = neighbours.flatMap(({ other, role, named, step, atMs }) => {
    const node = nodes.get(other);
    return node === undefined ? [] : [{ node, role, named, step, atMs }];
  });
  return { links, leftOut: (totals.get(key) ?? 0) - neighbours.length };
}
