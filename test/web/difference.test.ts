import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { before, test } from "node:test";
import type { LosslessClient } from "@lossless/client";
import type { BrowserContextOptions, Locator, Page } from "playwright-core";
import { clicksSaid } from "./answers.ts";
import type { Opened } from "./new-page.ts";
import { pagesSuite } from "./pages-suite.ts";
import { counted } from "./recorded-runs.ts";
import { until } from "./until.ts";

const hostile = '<img src="https://evil.example/x" onerror="document.title=1">\u202eevil\u202c';

pagesSuite("what differs between experiments, in a browser", (pages) => {
  const { service } = pages;
  let client: LosslessClient;
  const ids = new Map<string, string>();

  before(async () => {
    ({ client } = pages);
    await fill(client, ids);
  });

  const idsOf = (...slugs: string[]) => slugs.map((slug) => ids.get(slug)!).join();

  async function open(address: string, options: BrowserContextOptions = {}): Promise<Opened> {
    const { page, seen } = await pages.signedIn(options);
    const counted = "window.clicks = 0; addEventListener('click', () => window.clicks++, true);";
    await page.addInitScript(counted);
    await page.goto(service.baseUrl + address);
    return { page, seen };
  }

  test("question 7, what differs between these configurations?", async () => {
    const { page } = await open("/experiments?q=slug ~ sweep/*&sort=slug");
    await page.getByRole("grid").waitFor();
    await page.getByText("4 found", { exact: true }).waitFor();
    await page.getByRole("checkbox", { name: "tick sweep/0" }).click();
    await page.getByRole("checkbox", { name: "tick sweep/1" }).click();
    await page.keyboard.press("c");
    await page.getByText("3 of 5 keys differ").waitFor();
    const keys = 1;
    assert.equal(keys + (await page.evaluate<number>("window.clicks")), clicksSaid(7));
    const rows = await textsOf(difference(page));
    assert.deepEqual(rows, [
      ["key", "sweep/0baseline", "sweep/1"],
      ["optimizer.name", "adamw", "≠muon"],
      ["lr", "0.1", "≠–"],
      ["seed", "9007199254740992", "≠9007199254740993"],
    ]);
  });

  test("equal keys, those with an underscore, a search: all of it in the address", async () => {
    const { page } = await open(`/compare?e=${idsOf("sweep/0", "sweep/1")}`);
    await page.getByRole("button", { name: "equal keys" }).click();
    await difference(page).getByRole("rowheader", { name: "model" }).waitFor();
    await page.getByRole("button", { name: "keys starting with _" }).click();
    await difference(page).getByRole("rowheader", { name: "_kind" }).waitFor();
    await page.getByRole("searchbox", { name: "Search keys" }).fill("OPT");
    await page.getByText("1 of 1 key differs").waitFor();
    await page.reload();
    await page.getByText("1 of 1 key differs").waitFor();
    assert.equal((await textsOf(difference(page))).length, 2);
    assert.match(page.url(), /keys=equal%2Chidden&key=OPT/);
  });

  test("a key is copied as a filter and added to the grouping, with the keyboard", async () => {
    const { page } = await open(`/compare?e=${idsOf("sweep/0", "sweep/1")}`, {
      permissions: ["clipboard-read", "clipboard-write"],
    });
    const key = difference(page).getByRole("button", { name: "optimizer.name", exact: true });
    await key.focus();
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "meta.optimizer.name = muon" }).focus();
    await page.keyboard.press("Enter");
    await page.getByText("copied", { exact: true }).waitFor();
    const copied = await page.evaluate("navigator.clipboard.readText()");
    assert.equal(copied, "meta.optimizer.name = muon");
    await page.getByRole("button", { name: "group by it" }).focus();
    await page.keyboard.press("Enter");
    await page.waitForURL(/group=meta\.optimizer\.name/);
    await page.getByRole("button", { name: "group by it", pressed: true }).waitFor();
  });

  test("curves are grouped by numbers with all their digits", async () => {
    const compared = idsOf("sweep/0", "sweep/1");
    const { page } = await open(`/compare?e=${compared}&group=meta.seed`);
    const names = page.locator("figure[data-series='loss'] .readings");
    await names.getByTitle("seed=9007199254740992").waitFor();
    await names.getByTitle("seed=9007199254740993").waitFor();
  });

  test("metrics stand beside their differences, the best is marked, a row orders the others", async () => {
    const { page } = await open(`/compare?e=${idsOf("sweep/0", "sweep/1", "sweep/2")}`);
    for (const stat of ["last", "max", "mean"])
      await page.getByRole("button", { name: stat, exact: true }).click();
    await page.waitForURL(/stats=min/);
    await until(async () => {
      const [, loss, accuracy] = await textsOf(metrics(page));
      assert.deepEqual(loss, ["loss min↓", "3step 2", "4+1step 2", "★2−1step 2"]);
      assert.deepEqual(accuracy, ["acc min·", "0.500000step 0", "1+0.5step 0", "–"]);
    });
    await page.getByRole("button", { name: "acc: no value is better" }).click();
    await page.getByRole("button", { name: "acc: lower is better" }).click();
    await page.getByRole("img", { name: "best:" }).nth(1).waitFor();
    await page.getByRole("button", { name: "loss min" }).click();
    await page.waitForURL(/by=metric.loss.min/);
    const heads = ["metric", "sweep/0baseline", "sweep/2", "sweep/1"];
    await until(async () => assert.deepEqual((await textsOf(metrics(page)))[0], heads));
    await page.reload();
    await metrics(page).getByRole("button", { name: "loss min", pressed: true }).waitFor();
  });

  test("a live experiment's numbers follow", async () => {
    const recorder = await client.record({ slug: "live" });
    recorder.record("loss", 7, 0);
    await recorder.flush();
    const { page } = await open(`/compare?e=${recorder.experimentId}&stats=min`);
    await metrics(page).getByText("7", { exact: true }).waitFor();
    recorder.record("loss", 2.5, 1);
    await recorder.finish();
    await metrics(page).getByText("2.50000", { exact: true }).waitFor();
  });

  test("both tables are saved as files with every row and column", async () => {
    const { page } = await open(`/compare?e=${idsOf("sweep/0", "sweep/1")}&stats=last`);
    await metrics(page).getByRole("row", { name: /^loss/ }).waitFor();
    const saved = async (panel: Locator) => {
      const [download] = await Promise.all([
        page.waitForEvent("download"),
        panel.getByRole("button", { name: "CSV" }).click(),
      ]);
      return [download.suggestedFilename(), await readFile(await download.path(), "utf8")];
    };
    assert.deepEqual(await saved(difference(page)), [
      "difference.csv",
      "key,sweep/0,sweep/1\r\nmeta.optimizer.name,adamw,muon\r\nmeta.lr,0.1,\r\n" +
        "meta.seed,9007199254740992,9007199254740993\r\n",
    ]);
    const [, text] = await saved(metrics(page));
    assert.match(text, /^metric,statistic,sweep\/0,sweep\/1,sweep\/1 less sweep\/0\r\n/);
    assert.match(text, /^loss,last,3,4,1\r$/m);
  });

  test("what people wrote is text, whatever it looks like", async () => {
    const { page, seen } = await open(`/compare?e=${idsOf("sweep/0", hostile)}&metric=onerror`);
    await difference(page).getByRole("button", { name: "<img" }).click();
    await difference(page)
      .getByRole("button", { name: /^meta\."<img/ })
      .first()
      .waitFor();
    await metrics(page).getByRole("row", { name: /<img/ }).first().waitFor();
    assert.equal(await page.locator("img, script:not([src])").count(), 0);
    assert.deepEqual(seen.problems, []);
    assert.deepEqual([...seen.origins], [new URL(service.baseUrl).origin]);
  });

  test("on a phone the page is as wide as the screen, and the tables scroll", async () => {
    const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
    const { page } = await open("/compare?q=slug ~ sweep/*", phone);
    await metrics(page).getByRole("row", { name: /^loss/ }).first().waitFor();
    assert.equal(await page.evaluate("document.documentElement.scrollWidth"), 390);
  });
});

const difference = (page: Page) => page.getByRole("region", { name: "Difference", exact: true });
const metrics = (page: Page) => page.getByRole("region", { name: "Metrics", exact: true });

/** The texts of a table's cells. */
async function textsOf(panel: Locator): Promise<string[][]> {
  const rows = await panel.getByRole("row").all();
  return Promise.all(
    rows.map((row) =>
      row.evaluate((element) =>
        Array.from(
          (element as unknown as { cells: { textContent: string }[] }).cells,
          (cell) => cell.textContent,
        ),
      ),
    ),
  );
}

/** A number with all its digits: no double holds them. */
const written = (JSON as unknown as { rawJSON: (text: string) => object }).rawJSON;

async function fill(client: LosslessClient, ids: Map<string, string>): Promise<void> {
  const model = { model: "d12", _kind: "test", data: { shuffle: true } };
  const metas: object[] = [
    { optimizer: { name: "adamw" }, lr: 0.1, seed: written("9007199254740992"), ...model },
    { optimizer: { name: "muon" }, seed: written("9007199254740993"), ...model },
    { optimizer: { name: "soap" }, lr: 0.01, ...model },
    { optimizer: { name: "soap" }, lr: 0.001, seed: 3, ...model },
  ];
  for (const [number, meta] of metas.entries()) {
    const recorder = await client.record({ slug: `sweep/${number}`, meta: meta as never });
    ids.set(`sweep/${number}`, recorder.experimentId);
    for (let step = 0; step < 3; step++) {
      const least = [3, 4, 2, 5][number];
      recorder.record("loss", least + 2 - step, step);
      if (number !== 2) recorder.record("acc", (number + 1) / 2, step);
    }
    await recorder.finish();
  }
  const evil = await client.record({ slug: hostile, meta: { [hostile]: hostile } });
  ids.set(hostile, evil.experimentId);
  evil.record("<img onerror=1>", 1, 1);
  await evil.finish();
  await counted(client);
}
