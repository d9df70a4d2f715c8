import type { AttributesResultData, ExperimentRecord } from "@lossless/client";
import { tagsOfOrigin } from "@lossless/protocol/origin";
import { metaParams, type Param, paramNumber } from "@lossless/protocol/param";
import { filterOf } from "./meta-tree.ts";

/**
 * A param or a tag written by MLflow's clients, with a test that finds experiments with the same.
 */
export interface WrittenPair extends Param {
  filter: string;
}

type Record = Pick<ExperimentRecord, "slug" | "description" | "meta">;

/**
 * Params and tags without those derived from the experiment: the leaves of its meta, its slug and
 * its description are shown elsewhere on the page.
 */
export function writtenPairs(
  { params, tags }: Pick<AttributesResultData, "params" | "tags">,
  { slug, description, meta }: Record,
): { params: WrittenPair[]; tags: WrittenPair[] } {
  const leaves = new Map([...metaParams(meta)].map(({ key, value }) => [key, value]));
  const own = new Map([
    ["mlflow.runName", slug],
    ...tagsOfOrigin(meta),
    ["mlflow.note.content", description],
  ]);
  return {
    params: params
      .filter(({ key, value }) => leaves.get(key) !== value)
      .map((pair) => ({ ...pair, filter: pairFilter("param", pair) })),
    tags: tags
      .filter(({ key, value }) => own.get(key) !== value)
      .map((pair) => ({ ...pair, filter: pairFilter("tag", pair) })),
  };
}

/** Pairs whose key or value contains the words. */
export function foundPairs<Found extends Param>(pairs: readonly Found[], search: string): Found[] {
  const wanted = search.trim().toLowerCase();
  return pairs.filter(({ key, value }) => `${key}\n${value}`.toLowerCase().includes(wanted));
}

/** Returns the value of a tag; undefined: there is none. */
export function tagOf(tags: readonly Param[] | undefined, key: string): string | undefined {
  return tags?.find((tag) => tag.key === key)?.value;
}

/** The description, or the note of MLflow's clients; empty: there is none. */
export function notesOf(
  { description }: Pick<ExperimentRecord, "description">,
  tags: readonly Param[] | undefined,
): string {
  return description || (tagOf(tags, "mlflow.note.content") ?? "");
}

/** Longer texts are stored in part only, so they cannot be compared. */
const comparedCharactersMax = 60;

/** The test that finds experiments with the same param or tag. */
export function pairFilter(kind: "param" | "tag", { key, value }: Param): string {
  const path = [kind, ...key.split(".")];
  const number = kind === "param" ? paramNumber(value) : undefined;
  if (number !== undefined) return filterOf(path, number);
  return filterOf(path, value.length > comparedCharactersMax ? {} : value);
}
