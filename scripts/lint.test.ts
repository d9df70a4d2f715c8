import assert from "node:assert/strict";
import { test } from "node:test";
import { lintPlanted } from "./planted.ts";

const lines = (count: number) => "\n  void 0;".repeat(count);

/** One fault for each rule that carries the design; the file's name is the name of the rule. */
const faults: Record<string, string> = {
  "no-floating-promises": "export const work = async () => 1;\nwork();\n",
  "no-misused-promises": "export const f = (x: string[]) => x.forEach(async () => {});\n",
  "switch-exhaustiveness-check":
    'export function f(x: "a" | "b") {\n  switch (x) {\n    case "a":\n      return 1;\n  }\n  return 2;\n}\n',
  "consistent-type-imports":
    'import { Other } from "./other.ts";\nexport const x: Other = { a: 1 };\n',
  "no-cycle": 'import { b } from "./cycle-b.ts";\nexport const a = () => b;\n',
  "no-explicit-any": "export const x = (y: any) => y;\n",
  "ban-ts-comment": "// @ts-ignore\nexport const x: number = 1;\n",
  "max-lines": `export const x = 1;${"\nvoid x;".repeat(401)}\n`,
  "max-lines-per-function": `export function f() {${lines(71)}\n}\n`,
  "return-await":
    "export async function f(x: Promise<number>) {\n  try {\n    return x;\n  } catch {\n    return 0;\n  }\n}\n",
  "prefer-node-protocol": 'import fs from "fs";\nexport const x = fs;\n',
  eqeqeq: "export const f = (x: unknown) => x == 1;\n",
};

test("each rule reports the fault planted for it", async () => {
  const path = (rule: string) => `server/src/experiments/series/${rule}.ts`;
  const found = await lintPlanted({
    ...Object.fromEntries(Object.entries(faults).map(([rule, text]) => [path(rule), text])),
    "server/src/experiments/series/other.ts": "export interface Other {\n  a: number;\n}\n",
    "server/src/experiments/series/cycle-b.ts":
      'import { a } from "./no-cycle.ts";\nexport const b = () => a;\n',
    "server/src/experiments/series/BadName.ts": "export const x = 1;\n",
    "server/src/experiments/series/clean.test.ts": `export function f() {${lines(500)}\n}\n`,
  });
  const missed = Object.keys(faults).filter((rule) => !found.get(path(rule))?.has(rule));
  assert.deepEqual(missed, []);
  assert.ok(found.get("server/src/experiments/series/BadName.ts")?.has("filename-case"));
  assert.deepEqual([...(found.get("server/src/experiments/series/clean.test.ts") ?? [])], []);
});
