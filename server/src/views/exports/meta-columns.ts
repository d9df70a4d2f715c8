import { limits } from "@lossless/protocol/limits";
import { isIndexedPath } from "@lossless/protocol/origin";
import type { Cell, ColumnDefinition, ColumnType } from "../../ground/parquet/column.ts";
import { attributeValues, type RunAttribute } from "../../experiments/summaries/config.ts";
import { recordedLeaves, type RecordedLeaf } from "../difference/recorded-leaves.ts";

interface SeenKey {
  path: string;
  /** Number of experiments that have the key. */
  count: number;
  type: ColumnType | undefined;
}

type Leaf = Pick<RecordedLeaf, "kind" | "text">;

/**
 * Turns keys of metas into columns, those that most experiments have; a key whose values differ in
 * kind becomes text.
 */
export class MetaColumns {
  readonly #seen = new Map<string, SeenKey>();

  add(meta: string, attributes: readonly RunAttribute[]): void {
    for (const [path, leaf] of leavesOf(meta, attributes)) {
      // The column of the whole meta has all packages.
      if (!isIndexedPath(path)) continue;
      let key = this.#seen.get(path);
      if (key === undefined) {
        key = { path, count: 0, type: undefined };
        this.#seen.set(path, key);
      }
      key.count++;
      const type = typeOf(leaf);
      if (type !== undefined)
        key.type = key.type === undefined || key.type === type ? type : "text";
    }
  }

  /** Returns the columns, ordered by path. */
  definitions(): (ColumnDefinition & { path: string })[] {
    const common = [...this.#seen.values()]
      .sort((left, right) => right.count - left.count || compare(left.path, right.path))
      .slice(0, limits.exportMetaColumnsMax);
    return common
      .sort((left, right) => compare(left.path, right.path))
      .map(({ path, type = "text" }) => ({
        path,
        name: `meta.${path}`,
        type,
        isOptional: true,
      }));
  }
}

/** The cells of an experiment for columns; null for a key that it lacks, or that is null. */
export function metaCells(
  meta: string,
  attributes: readonly RunAttribute[],
  columns: readonly { path: string; type: ColumnType }[],
): Cell[] {
  const leaves = leavesOf(meta, attributes);
  return columns.map(({ path, type }) => {
    const leaf = leaves.get(path);
    if (leaf === undefined || leaf.kind === "null") return null;
    if (type === "double") return Number(leaf.text);
    return type === "boolean" ? leaf.text === "true" : leaf.text;
  });
}

/**
 * By path: a meta's, and then those of a run's params and tags where the meta has none of that
 * path, as in the table, but whole.
 */
function leavesOf(meta: string, attributes: readonly RunAttribute[]): Map<string, Leaf> {
  const leaves = new Map<string, Leaf>();
  for (const { path, kind, text } of recordedLeaves(meta)) leaves.set(path, { kind, text });
  for (const attribute of attributes)
    for (const { path, value } of attributeValues(attribute)) {
      const kind = typeof value === "number" ? "number" : "text";
      if (!leaves.has(path)) leaves.set(path, { kind, text: attribute.value });
    }
  return leaves;
}

/**
 * Returns the type of a leaf; undefined for null. A whole number that no double holds stays as
 * written.
 */
function typeOf({ kind, text }: Leaf): ColumnType | undefined {
  if (kind === "null") return undefined;
  if (kind === "boolean") return "boolean";
  if (kind !== "number") return "text";
  const number = Number(text);
  const isHeld =
    Number.isFinite(number) && (!/^-?\d+$/.test(text) || BigInt(number) === BigInt(text));
  return isHeld ? "double" : "text";
}

function compare(left: string, right: string): number {
  return left < right ? -1 : 1;
}
