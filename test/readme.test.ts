import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempDisposable, readFile, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { checkoutRoot, organizations } from "./service.ts";
import { suiteService } from "./suite-service.ts";

const run = promisify(execFile);
const key = organizations.acme.key;
const service = suiteService();

/** The only block of the README in this language. */
async function block(language: string): Promise<string> {
  const text = await readFile(join(checkoutRoot, "README.md"), "utf8");
  const blocks = [...text.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].filter(
    ([, name]) => name === language,
  );
  assert.equal(blocks.length, 1, `README.md has one ${language} block`);
  return blocks[0][2];
}

test("the curl lines of the README record a point and read it back", async () => {
  const script = (await block("sh"))
    .replace(/^KEY=.*$/m, `KEY=${key}`)
    .replace(/^URL=.*$/m, `URL=${service.baseUrl}`);
  const { stdout } = await run("sh", ["-eu", "-c", script]);
  assert.match(stdout, /svc\.v2\.metricRecorded/);
  assert.match(stdout, /"value":\[2\.302585092994046\]/);
  assert.match(stdout, /"svc\.v2\.query\.series\.done".*"points":1/);
});

test("the TypeScript program of the README records 1,000 points and reads them back", async () => {
  await using directory = await mkdtempDisposable(join(tmpdir(), "lossless-readme-"));
  await symlink(join(checkoutRoot, "node_modules"), join(directory.path, "node_modules"));
  await writeFile(join(directory.path, "package.json"), '{ "type": "module" }\n');
  await writeFile(join(directory.path, "first.ts"), await block("ts"));
  const { stdout } = await run(process.execPath, ["first.ts"], {
    cwd: directory.path,
    env: { ...process.env, LOSSLESS_URL: service.baseUrl, LOSSLESS_API_KEY: key },
  });
  assert.match(stdout, new RegExp(`loss 1000 points, the last ${Math.exp(-999 / 200)}`));
});
