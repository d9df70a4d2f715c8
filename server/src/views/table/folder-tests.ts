import type { Query, QueryValue } from "@lossless/protocol";
import { TextExpression } from "@lossless/protocol/text-expression";
import type { FolderOrder } from "./folder-order.ts";
import { type PathPattern, TextPattern, WholePaths } from "../../ground/text-pattern.ts";

/** A query's test of a folder: that it is one of some paths, or like one. */
export type FolderTest = Extract<Query, { kind: "compare" | "in" }>;

/**
 * The folders that pass the tests of a query: all tests together in one list, whatever their
 * number, since each may find all folders. A folder stands for all below it.
 */
export class FolderTests {
  /** The bit of a test that was looked for. */
  readonly #bits: ReadonlyMap<string, number>;
  readonly #listed: string[] = [];

  private constructor(
    { ids }: FolderOrder,
    bits: ReadonlyMap<string, number>,
    passed: Uint32Array,
  ) {
    this.#bits = bits;
    for (const [position, id] of ids.entries()) {
      if (passed[position] === 0) continue;
      this.#listed.push(String(passed[position]).padStart(digits, "0") + id);
    }
  }

  /** Runs the folder tests of a query; undefined where it has none. */
  static async find(query: Query, folders: FolderOrder): Promise<FolderTests | undefined> {
    const tests = testsIn(query);
    if (tests.length === 0) return undefined;
    const bits = new Map<string, number>();
    const passed = new Uint32Array(folders.ids.length);
    for (const test of tests) {
      const key = keyOf(test);
      if (bits.has(key)) continue;
      const bit = 1 << bits.size;
      bits.set(key, bit);
      for (const pattern of patternsOf(test)) {
        const fitting = await folders.fitting(pattern, true);
        for (let at = 0; at < fitting.length; at++) if (fitting[at] === 1) passed[at] |= bit;
      }
    }
    return new FolderTests(folders, bits, passed);
  }

  /** The bit of a test among `tests` of the table that `listed` makes. */
  bitOf(test: FolderTest): number {
    return this.#bits.get(keyOf(test))!;
  }

  /** A JSON array of texts, of which `selected` makes the folders with the tests they pass. */
  get listed(): string {
    return JSON.stringify(this.#listed);
  }

  /**
   * A SELECT (id, tests) of a list of these texts: folders that pass none are left out. SQLite
   * looks ids up in it only where they are of the type of those that they are compared with.
   */
  static selected(list: string): string {
    const [tests, id] = [`substr(value, 1, ${digits})`, `substr(value, ${digits + 1})`];
    return `SELECT CAST(${id} AS TEXT), CAST(${tests} AS INTEGER) FROM ${list}`;
  }
}

/** Decimal digits of the bits of all tests that a query may have. */
const digits = 8;

function testsIn(query: Query): FolderTest[] {
  switch (query.kind) {
    case "and":
    case "or":
      return query.parts.flatMap(testsIn);
    case "not":
      return testsIn(query.part);
    case "compare":
    case "in":
      return isFolderTest(query) ? [query] : [];
    case "exists":
    case "search":
      return [];
  }
}

export function isFolderTest({ field }: FolderTest): boolean {
  return field.kind === "own" && field.name === "folder";
}

function keyOf(test: FolderTest): string {
  const values = valuesOf(test).map(({ kind, text }) => [kind === "expression", text]);
  return JSON.stringify([isPattern(test), ...values]);
}

function patternsOf(test: FolderTest): PathPattern[] {
  const isLike = isPattern(test);
  return valuesOf(test).map(({ kind, text }) => {
    if (!isLike) return TextPattern.exactly(text);
    if (kind !== "expression") return TextPattern.like(text);
    const expression = TextExpression.parse(text.slice(1, -1));
    return new WholePaths((path) => expression.holds(path));
  });
}

function isPattern(test: FolderTest): boolean {
  return test.kind === "compare" && test.operator === "~";
}

function valuesOf(test: FolderTest): QueryValue[] {
  const values = test.kind === "in" ? test.values : [test.value];
  return [...new Map(values.map((value) => [value.text, value])).values()];
}
