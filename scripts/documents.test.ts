import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { parse } from "yaml";
import { limits } from "../protocol/src/limits.ts";
import { flagName, optionNames, options, variableName } from "../server/src/settings/options.ts";
import { checkProvision } from "../server/src/settings/provision-file.ts";
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

/** The row of an option in docs/operating.md, word for word from the option itself. */
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

/** Code blocks of a language, with the page that they are in. */
async function blocksOf(language: string): Promise<{ page: string; block: string }[]> {
  const pages = (await readdir(join(root, "docs"))).filter((page) => page.endsWith(".md"));
  const found = pages.map(async (page) => {
    const fence = new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, "gms");
    return [...(await text(`docs/${page}`)).matchAll(fence)].map(([, block = ""]) => ({
      page,
      block,
    }));
  });
  return (await Promise.all(found)).flat();
}

test("what the pages show as JSON and YAML is that", async () => {
  const [json, yaml] = [await blocksOf("json"), await blocksOf("yaml")];
  for (const { page, block } of json) assert.ok(JSON.parse(block) as unknown, page);
  for (const { page, block } of yaml) assert.ok(parse(block) as unknown, page);
  assert.ok(json.length > 5 && yaml.length > 2);
});

test("the sign-ons of docs/sign-on.md can be set, and Dex's is the one that its configuration has", async () => {
  const settings = (await blocksOf("json"))
    .filter(({ page }) => page === "sign-on.md")
    .map(({ block }) => JSON.parse(block) as { issuer: string; clientId: string });
  for (const signOn of settings) {
    checkProvision({ organizations: [{ name: "acme", signOn }] }, "sign-on.md");
  }
  const [dex] = (await blocksOf("yaml")).filter(({ page }) => page === "sign-on.md");
  const { issuer, staticClients } = parse(dex.block) as {
    issuer: string;
    staticClients: { id: string; secret: string; redirectURIs: string[] }[];
  };
  const [{ id, secret, redirectURIs }] = staticClients;
  const own = settings.find((signOn) => signOn.issuer === issuer);
  assert.deepEqual({ ...own, clientId: id, clientSecret: secret }, own);
  assert.match(redirectURIs[0], /^https:\/\/[^/]+\/sign-on\/[^/]+\/callback$/);
});
