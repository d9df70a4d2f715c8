import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { limits } from "../protocol/src/limits.ts";
import { flagName, optionNames, options, variableName } from "../server/src/options.ts";
import { root } from "./planted.ts";

const text = (path: string) => readFile(join(root, path), "utf8");
const rowsOf = (document: string) =>
  document.split("\n").filter((line) => line.startsWith("| ") && !line.includes("---"));

test("docs/limits.md has a row for every limit of the protocol, with its value", async () => {
  const rows = rowsOf(await text("docs/limits.md"));
  const missing = Object.entries(limits).filter(([name, value]) => {
    const row = rows.find((line) => line.endsWith(`| \`${name}\` |`));
    return !row?.includes(value.toLocaleString("en-US"));
  });
  assert.deepEqual(missing, []);
});

test("docs/limits.md names no limit that there is not", async () => {
  const names = [...(await text("docs/limits.md")).matchAll(/\| `(\w+)` \|$/gm)].map(
    (m) => m[1] ?? "",
  );
  assert.deepEqual(
    names.filter((name) => !(name in limits)),
    [],
  );
});

/** What docs/operating.md says of an option, word for word from the option itself. */
function optionRow(name: (typeof optionNames)[number]): string {
  const { placeholder, shownDefault, help } = options[name];
  return `| \`--${flagName(name)} ${placeholder}\` | \`${variableName(name)}\` | ${shownDefault} | ${help} |`;
}

test("docs/operating.md lists exactly the options of the service", async () => {
  const rows = rowsOf(await text("docs/operating.md")).filter((row) => row.startsWith("| `--"));
  assert.deepEqual(rows, optionNames.map(optionRow));
});

test("the options that README.md lists have the flags, variables and defaults of the service", async () => {
  const rows = rowsOf(await text("README.md")).filter((row) => row.startsWith("| `--"));
  for (const row of rows) {
    const name = optionNames.find((one) => row.includes(`\`${variableName(one)}\``));
    assert.ok(name, row);
    const [, flag, , shownDefault] = row.split("|").map((cell) => cell.trim().replaceAll("`", ""));
    assert.equal(flag, `--${flagName(name)} ${options[name].placeholder}`);
    assert.equal(shownDefault, options[name].shownDefault);
  }
  assert.ok(rows.length > 0);
});
