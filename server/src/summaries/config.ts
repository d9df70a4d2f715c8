import { keyText } from "@lossless/protocol/query-field";

/** What kinds of values a meta has, as `config_value` numbers them; a table sorts them so. */
export const ConfigKind = { null: 0, boolean: 1, number: 2, text: 3, list: 4, object: 5 } as const;

export interface ConfigLeaf {
  path: string;
  /** -1: the value itself; else its place in the list that stands at the path. */
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

/** The leaves of a meta, in its order; those beyond the limits are left out. */
export function configLeaves(meta: object): ConfigLeaf[] {
  const leaves: ConfigLeaf[] = [];
  for (const leaf of leavesOf(meta, "")) {
    if (leaves.length === leavesMax) break;
    if (Buffer.byteLength(leaf.path) <= pathBytesMax) leaves.push(leaf);
  }
  return leaves;
}

/** Member names, outermost first, as the path that a query writes behind `meta.`. */
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
