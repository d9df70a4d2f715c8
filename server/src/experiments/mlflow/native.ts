import { metaParams } from "@lossless/protocol/param";
import type { Tag } from "./change-folder.ts";

/** What an experiment's description is to MLflow, unless a tag says otherwise. */
export const noteTag = "mlflow.note.content";

/** The leaves of a meta as params, without those that were written as params besides. */
export function nativeParams(metaText: string, written: readonly Tag[]): Tag[] {
  if (metaText === "{}" || metaText === "") return [];
  const known = new Set(written.map(({ key }) => key));
  return [...metaParams(JSON.parse(metaText) as object)].filter(({ key }) => !known.has(key));
}

/** One of them; undefined where the meta has no such leaf. */
export function nativeParam(metaText: string, key: string): string | undefined {
  return nativeParams(metaText, []).find((param) => param.key === key)?.value;
}
