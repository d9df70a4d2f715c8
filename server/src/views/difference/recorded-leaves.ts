import type { ComparedValue } from "@lossless/protocol";
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
  yield* leavesOf(parse(meta, keepDigits) as object, "");
}

/** TypeScript does not know yet that a reviver is told how a value was written. */
const parse = JSON.parse as (
  text: string,
  revive: (name: string, value: unknown, written: { source?: string }) => unknown,
) => unknown;

/** JSON.parse rounds what a double does not hold. */
class WrittenNumber {
  readonly source: string;

  constructor(source: string) {
    this.source = source;
  }
}

function keepDigits(_: string, value: unknown, { source }: { source?: string }): unknown {
  return typeof value === "number" ? new WrittenNumber(source!) : value;
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

/** JSON with every number as it was written. */
function written(value: unknown): string {
  if (value instanceof WrittenNumber) return value.source;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(written).join(",")}]`;
  const members = Object.entries(value).map(
    ([name, own]) => `${JSON.stringify(name)}:${written(own)}`,
  );
  return `{${members.join(",")}}`;
}

/** The same for equal numbers, and whatever the order of an object's members. */
function identityOf(value: unknown): string {
  if (value instanceof WrittenNumber) return exactNumber(value.source);
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(identityOf).join(",")}]`;
  const members = Object.entries(value)
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([name, own]) => `${JSON.stringify(name)}:${identityOf(own)}`);
  return `{${members.join(",")}}`;
}

/** A decimal number: 1, 1.0, 10e-1 and 0.1e1 have one text, with all of their digits. */
function exactNumber(source: string): string {
  const [, sign, whole, fraction = "", exponent = "0"] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(source)!;
  const digits = (whole + fraction).replace(/^0+/, "");
  const significant = digits.replace(/0+$/, "");
  if (significant === "") return "0";
  const power = Number(exponent) - fraction.length + digits.length - significant.length;
  return `${sign}${significant}e${power}`;
}
