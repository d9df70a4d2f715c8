import assert from "node:assert/strict";
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { LosslessClient } from "@lossless/client";
import type { Page } from "playwright-core";
import { checkoutRoot } from "../service.ts";
import { suiteDirectory } from "../suite-service.ts";
import { pagesSuite } from "./pages-suite.ts";
import { until } from "./until.ts";

pagesSuite("an organization without experiments", (pages) => {
  const { service } = pages;
  const directory = suiteDirectory("first");
  const programs: ChildProcess[] = [];

  before(async () => {
    await symlink(join(checkoutRoot, "node_modules"), join(directory, "node_modules"));
    await writeFile(join(directory, "package.json"), '{ "type": "module" }\n');
  });
  after(async () => {
    // Its group: the Python client sends from a process of its own.
    for (const { pid } of programs) process.kill(-pid!);
  });

  test("a pasted program's curve grows on the page, in each language", async () => {
    const { page, seen } = await pages.open("/experiments");
    await page.getByRole("button", { name: "Create an API key" }).click();
    const texts = {
      Python: await programText(page, "Python"),
      curl: await programText(page, "curl"),
      TypeScript: await programText(page, "TypeScript"),
    };
    await start("python3", "first.py", endless(texts.Python));
    await growing(page, "first-project");
    await start("sh", "first.sh", endless(texts.curl));
    await page.goto(`${service.baseUrl}/experiments`);
    await growing(page, "first-curl");
    await start(process.execPath, "first.ts", endless(texts.TypeScript));
    await page.goto(`${service.baseUrl}/experiments`);
    await growing(page, "first-typescript");
    assert.deepEqual(seen.problems, []);
  });

  test("a member has a token where an admin has a key", async () => {
    const { name } = pages.organizations.rival;
    const { page } = await pages.open("/experiments", { person: "bo", organization: name });
    await page.getByRole("button", { name: "Create a token" }).click();
    const [apiKey] = /pt_\w{30,}/.exec(await programText(page, "Python"))!;
    const client = new LosslessClient({ baseUrl: service.baseUrl, apiKey });
    await client.openExperiment({ slug: "a-members", description: "" });
    await page.getByRole("link", { name: "a-members" }).waitFor();
  });

  async function start(command: string, name: string, text: string): Promise<void> {
    await writeFile(join(directory, name), text);
    const environment = { ...process.env, PYTHONPATH: join(checkoutRoot, "python/src") };
    const stdio = ["ignore", "ignore", "inherit"] as const;
    const options = { cwd: directory, env: environment, stdio: [...stdio], detached: true };
    const program = spawn(command, [name], options);
    programs.push(program);
    await once(program, "spawn");
  }
});

/** On a slow machine the half minute might be over before the browser looks. */
function endless(text: string): string {
  const longer = text.replace(/\b(600|59)\b/, "1000000");
  assert.notEqual(longer, text);
  return longer;
}

async function programText(page: Page, language: string): Promise<string> {
  const program = page.getByRole("region", { name: language }).locator("pre");
  await program.getByText(/(?:ak|pt)_\w{30,}/).waitFor();
  return (await program.textContent())!;
}

/** Nobody reloads: the table comes by itself, and the curve has more points each time one looks. */
async function growing(page: Page, slug: string): Promise<void> {
  const link = page.getByRole("link", { name: new RegExp(slug) }).first();
  const news = page.getByRole("button", { name: / new$/ });
  // The table was there before it, and does not jump; or it takes the row by itself meanwhile.
  await until(async () => {
    if (!(await link.isVisible())) await news.click({ timeout: 1_000 });
    assert.ok(await link.isVisible());
  });
  await link.click();
  let before = 0;
  for (let look = 0; look < 3; look++) {
    const caption = page.getByText(/^\d+ points, not sampled/).first();
    const points = async () => Number.parseInt((await caption.textContent())!, 10);
    await caption.waitFor();
    while ((await points()) <= before) await page.waitForTimeout(100);
    before = await points();
  }
  await page.getByText("running", { exact: true }).waitFor();
}
