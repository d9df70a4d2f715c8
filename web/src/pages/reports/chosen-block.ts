import type { ChartBlock } from "@lossless/protocol";
import { countedText, countText } from "../../parts/words.ts";
import { idsOfQuery, withoutExclusions } from "../compare/compare-address.ts";

/** The experiments of a chart or of media: chosen ones, or what a query finds at each view. */
export type Chosen = Pick<ChartBlock, "experimentIds" | "query" | "folderId" | "sort">;

/** A block of these experiments. */
export function withIds<Block extends Chosen>(block: Block, experimentIds: string[]): Block {
  return { ...unnamed(block), experimentIds };
}

/** A block that finds its experiments by a query. */
export function withLive<Block extends Chosen>(
  block: Block,
  part: { query?: string; folderId?: string | undefined; sort?: string | undefined },
): Block {
  const { query = "", folderId, sort } = { ...block, ...part };
  return {
    ...unnamed(block),
    query,
    ...(folderId !== undefined && { folderId }),
    ...(sort !== undefined && { sort }),
  };
}

/** A block without its experiments, and the time when they were fixed. */
function unnamed<Block extends Chosen & Pick<ChartBlock, "pinned">>(block: Block): Block {
  const { experimentIds: _ids, query: _query, folderId: _folder, sort: _sort, ...rest } = block;
  const { pinned: _pinned, ...unfixed } = rest;
  return unfixed as Block;
}

/**
 * Says which experiments a query finds, in a folder and in an order. Those that it names by their
 * ids are counted.
 */
export function foundWords({ query = "", folderId, sort }: Chosen, folder: string): string {
  const where = folderId === undefined ? "" : ` in ${folder || "a folder"}`;
  const order = sort === undefined ? "" : `, sorted by ${sort}`;
  const chosen = idsOfQuery(query);
  if (chosen !== undefined)
    return `${countedText(new Set(chosen).size, "chosen experiment")}${where}${order}`;
  const { rest, excluded } = withoutExclusions(query);
  const found = rest === "" ? "all experiments" : `experiments found by “${rest}”`;
  const but = excluded === 0 ? "" : ` except ${countText(excluded)}`;
  return `${found}${where}${but}${order}`;
}
