import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { checkoutRoot, organizations } from "./service.ts";
import { suiteService } from "./suite-service.ts";

const run = promisify(execFile);
const service = suiteService();

async function blocks(language: string): Promise<string[]> {
  const text = await readFile(join(checkoutRoot, "docs/write-a-client.md"), "utf8");
  const found = [...text.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)];
  return found.flatMap(([, name, block]) => (name === language ? [block] : []));
}

async function output(program: string, words: string[]): Promise<string> {
  const env = { ...process.env, URL: service.baseUrl, KEY: organizations.acme.key };
  return (await run(program, words, { env })).stdout;
}

test("the programs record, read and push", async () => {
  const programs = await blocks("js");
  const said: string[] = [];
  for (const program of programs) {
    said.push(await output(process.execPath, ["--input-type=module", "--eval", program]));
  }
  assert.equal(said.length, 3);
  assert.match(said[0], /^recorded \w+\n$/);
  assert.equal(said[1], "read 2500\n");
  assert.match(said[2], /^pushed \d+\n$/);
});

test("each case is answered as the page says", async () => {
  const [cases = "", ...others] = await blocks("sh");
  assert.equal(others.length, 0);
  const stdout = await output("sh", ["-eu", "-c", cases]);
  assert.equal(stdout.match(/^ok: /gm)?.length, cases.match(/^expect "/gm)?.length, stdout);
});
