import type { Tag } from "./change-folder.ts";

const charactersMax = 6_000;

/** What an experiment's description is to MLflow, unless a tag says otherwise. */
export const noteTag = "mlflow.note.content";

/** The leaves of a meta as params, without those that were written as params besides. */
export function nativeParams(metaText: string, written: readonly Tag[]): Tag[] {
  if (metaText === "{}" || metaText === "") return [];
  const known = new Set(written.map(({ key }) => key));
  return [...leavesOf(JSON.parse(metaText) as object, "")].filter(({ key }) => !known.has(key));
}

/** One of them; undefined where the meta has no such leaf. */
export function nativeParam(metaText: string, key: string): string | undefined {
  return nativeParams(metaText, []).find((param) => param.key === key)?.value;
}

function* leavesOf(object: object, path: string): Generator<Tag> {
  for (const [name, value] of Object.entries(object) as [string, unknown][]) {
    const key = path === "" ? name : `${path}.${name}`;
    const isInner = typeof value === "object" && value !== null && !Array.isArray(value);
    if (isInner && Object.keys(value).length > 0) yield* leavesOf(value, key);
    else yield { key, value: cut(textOf(value)) };
  }
}

/** A character of two units is kept whole or left out. */
function cut(text: string): string {
  const start = text.slice(0, charactersMax);
  return start.length < text.length && /[\uD800-\uDBFF]$/.test(start) ? start.slice(0, -1) : start;
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
