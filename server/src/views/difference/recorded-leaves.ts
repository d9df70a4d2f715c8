import type { ComparedValue } from "@lossless/protocol";
import { identityOf, parseExact, WrittenNumber, written } from "../../ground/exact-json.ts";
import { configPath } from "../../summaries/config.ts";

/** A value of a meta as it was recorded. Two are the same value when their identities are. */
export interface RecordedLeaf {
  /** As a query writes it behind `meta.`. */
  path: string;
  kind: ComparedValue["kind"];
  text: string;
  identity: string;
}

/** The leaves of a meta, in its order: a list is one, and so is an object without members. */
export function* recordedLeaves(meta: string): Generator<RecordedLeaf> {
  yield* leavesOf(parseExact(meta) as object, "");
}

function* leavesOf(object: object, above: string): Generator<RecordedLeaf> {
  for (const [name, value] of Object.entries(object) as [string, unknown][]) {
    const path = above === "" ? configPath([name]) : `${above}.${configPath([name])}`;
    const kind = kindOf(value);
    if (kind === "object" && Object.keys(value as object).length > 0) {
      yield* leavesOf(value as object, path);
    } else {
      const text = kind === "text" ? (value as string) : written(value);
      yield { path, kind, text, identity: identityOf(value) };
    }
  }
}

function kindOf(value: unknown): ComparedValue["kind"] {
  if (value === null) return "null";
  if (typeof value === "boolean") return "boolean";
  if (typeof value === "string") return "text";
  if (value instanceof WrittenNumber) return "number";
  return Array.isArray(value) ? "list" : "object";
}
