import type { ComparedValue } from "@lossless/protocol";
import { identityOf, parseExact, WrittenNumber, written } from "../../ground/exact-json.ts";
import {
  attributeValues,
  configPath,
  type RunAttribute,
} from "../../experiments/summaries/config.ts";

/** A value of a meta as it was recorded. Two are the same value when their identities are. */
export interface RecordedLeaf {
  /** The path as a query writes it behind `meta.`. */
  path: string;
  kind: ComparedValue["kind"];
  text: string;
  identity: string;
}

/** The leaves of a meta, in its order: a list is one, and so is an object without members. */
export function* recordedLeaves(meta: string): Generator<RecordedLeaf> {
  yield* leavesOf(parseExact(meta) as object, "");
}

/**
 * Yields the params and tags of a run, at the paths where queries find them; a text that reads as a
 * number is one.
 */
export function* attributeLeaves(attributes: readonly RunAttribute[]): Generator<RecordedLeaf> {
  for (const attribute of attributes)
    for (const { path, value } of attributeValues(attribute)) {
      const isNumber = typeof value === "number";
      yield leafOf(path, isNumber ? new WrittenNumber(numberText(attribute.value)) : value);
    }
}

/** Returns a number as JSON writes it: no plus, and digits on both sides of a point. */
function numberText(text: string): string {
  return text
    .replace(/^\+/, "")
    .replace(/(?<!\d)\./, "0.")
    .replace(/\.(?!\d)/, "");
}

function* leavesOf(object: object, above: string): Generator<RecordedLeaf> {
  for (const [name, value] of Object.entries(object) as [string, unknown][]) {
    const path = above === "" ? configPath([name]) : `${above}.${configPath([name])}`;
    const isInner = kindOf(value) === "object" && Object.keys(value as object).length > 0;
    if (isInner) yield* leavesOf(value as object, path);
    else yield leafOf(path, value);
  }
}

function leafOf(path: string, value: unknown): RecordedLeaf {
  const kind = kindOf(value);
  const text = kind === "text" ? (value as string) : written(value);
  return { path, kind, text, identity: identityOf(value) };
}

function kindOf(value: unknown): ComparedValue["kind"] {
  if (value === null) return "null";
  if (typeof value === "boolean") return "boolean";
  if (typeof value === "string") return "text";
  if (value instanceof WrittenNumber) return "number";
  return Array.isArray(value) ? "list" : "object";
}
