import { isIndexedPath } from "@lossless/protocol/origin";
import { paramNumber } from "@lossless/protocol/param";
import { keyText } from "@lossless/protocol/query-field";

/** Kinds of values in a meta, as numbered in `config_value`; a table sorts them in this order. */
export const ConfigKind = { null: 0, boolean: 1, number: 2, text: 3, list: 4, object: 5 } as const;

export interface ConfigLeaf {
  path: string;
  /** -1: the value itself; else its index in the list at the path. */
  element: number;
  kind: number;
  number: number | null;
  text: string;
}

/** Rows of one experiment. */
const leavesMax = 1_000;
const pathBytesMax = 512;
const textBytesMax = 256;
const cut = "…";

/** A param or a tag of a run of MLflow's. */
export interface RunAttribute {
  kind: "param" | "tag";
  key: string;
  value: string;
}

/**
 * Returns the leaves of a meta, in its order, and then of a run's params and tags where the meta
 * has none of that path; those beyond the limits are left out.
 */
export function configLeaves(meta: object, attributes: readonly RunAttribute[] = []): ConfigLeaf[] {
  const leaves: ConfigLeaf[] = [];
  for (const leaf of leavesOf(meta, "")) {
    if (leaves.length === leavesMax) break;
    if (Buffer.byteLength(leaf.path) <= pathBytesMax && isIndexedPath(leaf.path)) leaves.push(leaf);
  }
  const taken = new Set(leaves.map(({ path }) => path));
  for (const { path, value } of attributes.flatMap(attributeValues)) {
    if (leaves.length >= leavesMax) break;
    if (taken.has(path) || Buffer.byteLength(path) > pathBytesMax) continue;
    taken.add(path);
    leaves.push({ path, element: -1, ...valueOf(value) });
  }
  return leaves;
}

/**
 * Returns the values of attributes. A param is text; one that reads as a number becomes one here,
 * so that tables sort and compare it.
 */
export function attributeValues({
  kind,
  key,
  value,
}: RunAttribute): { path: string; value: number | string }[] {
  const path = configPath([kind, ...key.split(".")]);
  const number = kind === "param" ? paramNumber(value) : undefined;
  const leaf = { path, value: number ?? value };
  const own = kind === "tag" ? metaOfTag.get(key) : undefined;
  return own === undefined ? [leaf] : [leaf, { ...leaf, path: own }];
}

/** Tags that MLflow's clients write by themselves, with the paths at which a meta has the same. */
const metaOfTag: ReadonlyMap<string, string> = new Map([
  ["mlflow.runName", "_name"],
  ["mlflow.source.git.commit", "_source.commit"],
  ["mlflow.source.git.branch", "_source.branch"],
]);

/** Returns member names, outermost first, as the path that a query writes after `meta.`. */
export function configPath(names: readonly string[]): string {
  return storable(names.map(keyText).join("."));
}

function* leavesOf(object: object, path: string): Generator<ConfigLeaf> {
  for (const [name, value] of Object.entries(object) as [string, unknown][]) {
    const own = path === "" ? configPath([name]) : `${path}.${configPath([name])}`;
    const isInner = typeof value === "object" && value !== null && !Array.isArray(value);
    if (isInner && Object.keys(value).length > 0) yield* leavesOf(value, own);
    else yield { path: own, element: -1, ...valueOf(value) };
    if (!Array.isArray(value)) continue;
    for (const [element, each] of value.entries()) {
      if (typeof each !== "object" || each === null) yield { path: own, element, ...valueOf(each) };
    }
  }
}

function valueOf(value: unknown): Omit<ConfigLeaf, "path" | "element"> {
  const text = shortened(typeof value === "string" ? value : JSON.stringify(value));
  if (typeof value === "boolean") return { kind: ConfigKind.boolean, number: Number(value), text };
  if (typeof value === "number") return { kind: ConfigKind.number, number: value, text };
  if (typeof value === "string") return { kind: ConfigKind.text, number: null, text };
  const kind = Array.isArray(value) ? ConfigKind.list : ConfigKind.object;
  return { kind: value === null ? ConfigKind.null : kind, number: null, text };
}

function shortened(text: string): string {
  const whole = storable(text);
  if (Buffer.byteLength(whole) <= textBytesMax) return whole;
  const room = textBytesMax - Buffer.byteLength(cut);
  const { read } = new TextEncoder().encodeInto(whole, new Uint8Array(room));
  return whole.slice(0, read) + cut;
}

/** Columns of text hold no U+0000. */
function storable(text: string): string {
  return text.replaceAll("\0", "\uFFFD");
}
