import { fieldText } from "@lossless/protocol/query-field";
import { differing, type MetaFields } from "../../chart/grouping.ts";

/**
 * The leaves of a meta, lists as wholes, each as its text by its field in the query language's
 * spelling. Keys that begin with `_` are not what was chosen for a run, and are left out.
 */
export function metaFieldsOf(meta: unknown): Map<string, string> {
  const fields = new Map<string, string>();
  const walk = (value: unknown, path: readonly string[]): void => {
    const isTree = typeof value === "object" && value !== null && !Array.isArray(value);
    const entries = isTree ? Object.entries(value).filter(([key]) => !key.startsWith("_")) : [];
    for (const [key, each] of entries) walk(each, [...path, key]);
    if (path.length > 0 && (!isTree || Object.keys(value).length === 0))
      fields.set(fieldText({ kind: "meta", path: [...path] }), shownText(value));
  };
  walk(meta, []);
  return fields;
}

/** As JSON; a text that nobody takes for anything else stands without its quotation marks. */
function shownText(value: unknown): string {
  if (typeof value !== "string") return JSON.stringify(value);
  const isPlain = /^[\p{L}_][\p{L}\p{N}_./@:+-]*$/u.test(value) && !isWordOfJson(value);
  return isPlain ? value : JSON.stringify(value);
}

function isWordOfJson(text: string): boolean {
  return text === "true" || text === "false" || text === "null" || text === "none";
}

/** The fields in which experiments differ, by name. */
export function differingFields(metas: Iterable<MetaFields>): string[] {
  return differing([...metas]);
}
