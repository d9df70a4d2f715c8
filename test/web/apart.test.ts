import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { LosslessClient } from "@lossless/client";
import type { Locator, Page } from "playwright-core";
import { pagesSuite } from "./pages-suite.ts";
import { counted } from "./recorded-runs.ts";

pagesSuite("what sets experiments apart, in a browser", (pages) => {
  const ids: string[] = [];

  before(async () => {
    const { client } = pages;
    for (let number = 0; number < 8; number++)
      ids.push(await recordRun(client, `run-${number}`, number));
    await recordRun(client, "elsewhere", 50);
    await counted(client);
  });

  const all = "/compare?q=slug ~ run-*&sort=slug";

  test("the best by a metric against the rest: keys by how well they part them, with counts", async () => {
    const { page, seen } = await pages.open(all);
    await page.getByRole("button", { name: "best by a metric" }).click();
    await panel(page).getByText("3 of 4 keys tell A from B").waitFor();
    assert.deepEqual(await rowsOf(page), [
      ["lr", "<= 0.1", "2 of 2", "0 of 5", "100 %"],
      ["opt", "= muon", "2 of 2", "1 of 5", "80 %"],
      ["warmup", "there is one", "2 of 2", "1 of 5", "80 %"],
    ]);
    // Nobody is left out without a word, and no more is claimed than was counted.
    await panel(page).getByText("On neither side, because they have no loss: run-7.").waitFor();
    await panel(page)
      .getByText(/need not be the reason.* With only 2 experiments on one side/)
      .waitFor();
    await panel(page).getByLabel("size of A").fill("3");
    await page.keyboard.press("Enter");
    await panel(page).getByText("3 of 3").first().waitFor();
    await panel(page).getByLabel("which is best").selectOption("most");
    await panel(page).getByRole("columnheader", { name: "A: highest loss min (3)" }).waitFor();
    const before = await rowsOf(page);
    assert.deepEqual(before[0], ["lr", ">= 0.4", "3 of 3", "0 of 4", "100 %"]);
    await page.reload();
    await panel(page).getByRole("columnheader", { name: "A: highest loss min (3)" }).waitFor();
    assert.deepEqual(await rowsOf(page), before);
    assert.deepEqual(seen.problems, []);
  });

  test("a click on a test filters, on group and sort groups and sorts; ids become a query", async () => {
    const { page } = await pages.open(`/compare?e=${ids.join()}&apart=best`);
    const row = (key: string) => panel(page).getByRole("row", { name: new RegExp(`^${key} `) });
    await row("opt").getByRole("button", { name: "group" }).click();
    await page.waitForURL(/group=meta\.opt/);
    await row("opt").getByRole("button", { name: "group", pressed: true }).waitFor();
    await row("lr").getByRole("button", { name: "sort" }).click();
    await row("lr").getByRole("button", { name: "sort", pressed: true }).click();
    await page.waitForURL(/sort=meta\.lr\+desc/);
    await page.locator(".compared li").first().getByText("run-7").waitFor();
    await row("lr").getByRole("button", { name: "lr <= 0.1" }).click();
    await page.waitForURL(/q=id\+in.*and\+meta\.lr\+%3C%3D\+0\.1/);
    await page.getByRole("heading", { name: "2 experiments", level: 1 }).waitFor();
    await page.goBack();
    await page.getByRole("heading", { name: "8 experiments", level: 1 }).waitFor();
    await row("opt").getByRole("button", { name: "opt", exact: true }).click();
    await row("opt").getByText("A 0, B 4").waitFor();
    await row("opt").getByRole("button", { name: "adamw" }).click();
    await page.getByRole("heading", { name: "5 experiments", level: 1 }).waitFor();
  });

  test("two groups are marked in the list with keys alone, and are in the address", async () => {
    const { page } = await pages.open(all);
    const line = page.locator(".compared li .slug").first();
    await line.focus();
    for (const key of ["a", "ArrowDown", "a", "ArrowDown", "b", "End", "b"])
      await page.keyboard.press(key);
    await page.waitForURL((url) => url.searchParams.get("b") === `${ids[2]},${ids[7]}`);
    await panel(page).getByRole("columnheader", { name: "A: marked A (2)" }).waitFor();
    await panel(page).getByText("On neither side: 4 unmarked experiments.").waitFor();
    assert.deepEqual((await rowsOf(page))[0], ["lr", "<= 0.1", "2 of 2", "0 of 2", "100 %"]);
    await page.keyboard.press("b");
    await page.getByRole("button", { name: "mark run-2 B" }).click();
    await panel(page).getByRole("columnheader", { name: "B: not marked (6)" }).waitFor();
    assert.equal(new URL(page.url()).searchParams.get("a"), ids.slice(0, 2).join());
  });

  test("all that are compared against all others, and who is hidden is on neither side", async () => {
    const { page } = await pages.open(`${all}&hide=${ids[7]}`);
    await page.getByRole("button", { name: "these against all others" }).click();
    const others = panel(page).getByRole("columnheader", { name: "B: all other experiments (2)" });
    await others.waitFor();
    assert.deepEqual((await rowsOf(page))[0], ["lr", "<= 0.6", "7 of 7", "0 of 2", "100 %"]);
    await page.getByRole("button", { name: "first in the list" }).click();
    await panel(page).getByRole("columnheader", { name: "A: first in the list (2)" }).waitFor();
  });

  test("a better one that comes later takes its place", async () => {
    const live = (number: number, loss: number) => recordRun(pages.client, `live-${number}`, loss);
    for (let number = 0; number < 4; number++) await live(number, 10 + number);
    await counted(pages.client);
    const { page } = await pages.open("/compare?q=slug ~ live-*&sort=slug&apart=best");
    await panel(page).getByRole("button", { name: "lr = 1", exact: true }).waitFor();
    await live(4, 5);
    await panel(page).getByRole("button", { name: "lr = 0.5", exact: true }).waitFor();
  });
});

const panel = (page: Page) => page.getByRole("region", { name: "A against B", exact: true });

/** The rows of the panel's table, without what can be done with them. */
async function rowsOf(page: Page): Promise<string[][]> {
  const rows: Locator[] = await panel(page).locator("tbody tr").all();
  const texts = rows.map((row) => row.locator("th, td").allInnerTexts());
  return (await Promise.all(texts)).map((cells) => cells.slice(0, -1).map((cell) => cell.trim()));
}

const warmups = new Map([
  [0, 100],
  [1, 200],
  [6, 150],
]);

/** The smaller the number the better; 7 has no loss, some have a warm-up, and 0, 1 and 5 muon. */
async function recordRun(client: LosslessClient, slug: string, number: number): Promise<string> {
  const meta = {
    lr: number / 10,
    opt: [0, 1, 5].includes(number) ? "muon" : "adamw",
    same: { for: "all" },
    ...(warmups.has(number) && { warmup: warmups.get(number) }),
    _host: `node-${number}`,
  };
  const recorder = await client.record({ slug, meta });
  recorder.record(number === 7 ? "speed" : "loss", number, 1);
  await recorder.finish();
  return recorder.experimentId;
}
