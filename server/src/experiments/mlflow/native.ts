import { metaParams } from "@lossless/protocol/param";
import type { Tag } from "./change-folder.ts";

/** Tag that MLflow shows as a description; by default the experiment's own. */
export const noteTag = "mlflow.note.content";

/** Returns the leaves of a meta as params, except those that were also written as params. */
export function nativeParams(metaText: string, written: readonly Tag[]): Tag[] {
  if (metaText === "{}" || metaText === "") return [];
  const known = new Set(written.map(({ key }) => key));
  return [...metaParams(JSON.parse(metaText) as object)].filter(({ key }) => !known.has(key));
}

/** Returns one param from the meta; undefined where it has no such leaf. */
export function nativeParam(metaText: string, key: string): string | undefined {
  return nativeParams(metaText, []).find((param) => param.key === key)?.value;
}
