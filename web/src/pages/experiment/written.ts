import type { AttributesResultData, ExperimentRecord } from "@lossless/client";
import { filterOf } from "./meta-tree.ts";

export interface Pair {
  key: string;
  value: string;
}

/** A param or a tag that MLflow's clients wrote, and a test that finds others with the same. */
export interface WrittenPair extends Pair {
  filter: string;
}

type Record = Pick<ExperimentRecord, "slug" | "description" | "meta">;

/**
 * Params and tags without those that the experiment itself says: the leaves of its meta, its slug
 * and its description stand elsewhere on the page.
 */
export function writtenPairs(
  { params, tags }: Pick<AttributesResultData, "params" | "tags">,
  { slug, description, meta }: Record,
): { params: WrittenPair[]; tags: WrittenPair[] } {
  const leaves = new Map(leavesOf(meta, ""));
  const own = new Map([
    ["mlflow.runName", slug],
    ["mlflow.note.content", description],
  ]);
  return {
    params: params
      .filter(({ key, value }) => !isLeaf(leaves.get(key), value))
      .map((pair) => ({ ...pair, filter: pairFilter("param", pair) })),
    tags: tags
      .filter(({ key, value }) => own.get(key) !== value)
      .map((pair) => ({ ...pair, filter: pairFilter("tag", pair) })),
  };
}

/** Those whose key or value contains the words. */
export function foundPairs<Found extends Pair>(pairs: readonly Found[], search: string): Found[] {
  const wanted = search.trim().toLowerCase();
  return pairs.filter(({ key, value }) => `${key}\n${value}`.toLowerCase().includes(wanted));
}

/** The value of a tag; undefined: there is none. */
export function tagOf(tags: readonly Pair[] | undefined, key: string): string | undefined {
  return tags?.find((tag) => tag.key === key)?.value;
}

/** So many characters of a leaf are a param; what is behind them is cut. */
const paramCharacters = 5_999;

function isLeaf(leaf: string | undefined, value: string): boolean {
  return leaf === value || (value.length >= paramCharacters && leaf?.startsWith(value) === true);
}

function* leavesOf(meta: object, above: string): Generator<[string, string]> {
  for (const [name, value] of Object.entries(meta) as [string, unknown][]) {
    const path = above === "" ? name : `${above}.${name}`;
    const isInner = typeof value === "object" && value !== null && !Array.isArray(value);
    if (isInner && Object.keys(value).length > 0) yield* leavesOf(value, path);
    else yield [path, typeof value === "string" ? value : JSON.stringify(value)];
  }
}

/** Longer texts are known by their beginning only, so they are not compared. */
const comparedCharactersMax = 60;

/** A param that reads as a number is one in queries. */
function pairFilter(kind: "param" | "tag", { key, value }: Pair): string {
  const path = [kind, ...key.split(".")];
  const isNumber = kind === "param" && /^[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?$/i.test(value);
  if (isNumber && Number.isFinite(Number(value))) return filterOf(path, Number(value));
  return filterOf(path, value.length > comparedCharactersMax ? {} : value);
}
