import { originPart, originTags, tagsOfOrigin } from "@lossless/protocol/origin";
import { metaParams } from "@lossless/protocol/param";
import type { Tag } from "./change-folder.ts";

/** Tag that MLflow shows as a description; by default the experiment's own. */
export const noteTag = "mlflow.note.content";

/** Whether a tag is by default a member of the meta's source or environment. */
export function isOriginTag(key: string): boolean {
  return Object.hasOwn(originTags, key);
}

/** Condition that a meta has neither: only such runs have just the tags that were written. */
export const hasNoOrigin = `e.meta NOT LIKE '%"_source"%' AND e.meta NOT LIKE '%"_environment"%'`;

/** Returns the tags that MLflow's clients write about source and environment. */
export function nativeTags(metaText: string): Map<string, string> {
  if (!metaText.includes('"_source"') && !metaText.includes('"_environment"')) return new Map();
  return tagsOfOrigin(JSON.parse(metaText) as Record<string, unknown>);
}

/**
 * Returns the leaves of a meta as params, except those that were also written as params, and source
 * and environment.
 */
export function nativeParams(metaText: string, written: readonly Tag[]): Tag[] {
  if (metaText === "{}" || metaText === "") return [];
  const known = new Set(written.map(({ key }) => key));
  return [...metaParams(JSON.parse(metaText) as object)].filter(
    ({ key }) => !known.has(key) && originPart(key) === undefined,
  );
}

/** Returns one param from the meta; undefined where it has no such leaf. */
export function nativeParam(metaText: string, key: string): string | undefined {
  return nativeParams(metaText, []).find((param) => param.key === key)?.value;
}
