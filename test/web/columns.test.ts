import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { LosslessClient } from "@lossless/client";
import type { Locator, Page } from "playwright-core";
import { pagesSuite } from "./pages-suite.ts";
import { counted } from "./recorded-runs.ts";

pagesSuite("columns of the table in a browser", (pages) => {
  let client: LosslessClient;

  before(async () => {
    ({ client } = pages);
    for (let at = 0; at < 4; at++) {
      const meta = { lr: at / 10, layer1: { attn: at }, layer2: { attn: at } };
      const recorder = await client.record({ slug: `col/${at}`, meta });
      for (let step = 0; step < 3; step++) {
        recorder.record("val/loss", 4 - at + step, step);
        recorder.record("layer1/attn/grad", at, step);
        recorder.record("layer12/mlp/grad", at, step);
      }
      await recorder.finish();
    }
    await counted(client);
  });

  const table = async (address: string, options = {}) => {
    const { page } = await pages.open(`/experiments?${address}`, options);
    await page.getByText("4 found", { exact: true }).waitFor();
    return page;
  };
  /** Waits for the heads to stand in this order. */
  const standing = async (page: Page, ...names: string[]) => {
    for (const [at, name] of names.entries())
      await page
        .locator(`[role=columnheader]:nth-child(${at + 3}) .title`, { hasText: name })
        .waitFor();
  };
  const head = (page: Page, name: string) => page.getByRole("columnheader", { name });
  const widthOf = async (locator: Locator) => (await locator.boundingBox())!.width;

  test("a head is dragged to another place, which is in the address", async () => {
    const page = await table("q=slug ~ col/&cols=meta.lr, points, status");
    await head(page, "status").dragTo(head(page, "lr"));
    await page.waitForURL(/cols=status/);
    await standing(page, "status", "lr", "points");
    await page.reload();
    await head(page, "points").waitFor();
    await standing(page, "status", "lr", "points");
    await head(page, "status").dragTo(head(page, "points"));
    await page.waitForURL(/cols=meta\.lr/);
    await standing(page, "lr", "points", "status");
  });

  test("the title of the sorted column is not cut", async () => {
    const cols = "status, metric.val/loss.min, tag, meta.layer1.attn, meta.layer2.attn, duration";
    const page = await table(
      `q=slug ~ col/&cols=${cols}, points, folder&sort=metric.val/loss.min`,
      {
        viewport: { width: 1_000, height: 600 },
      },
    );
    for (const title of ["val/loss", "layer1.attn", "duration"]) {
      await head(page, title).click();
      await page.locator("[aria-sort]", { hasText: title }).waitFor();
      const cut = await page.evaluate<number>(
        "(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(document.querySelector('[aria-sort] .title'))",
      );
      assert.ok(cut <= 0, `${title}: ${cut}`);
    }
  });

  test("an edge is dragged, and a double click takes the width back", async () => {
    const page = await table("q=slug ~ col/&cols=meta.lr, points, status");
    const points = head(page, "points");
    const before = await widthOf(points);
    const edge = (await points.locator(".edge").boundingBox())!;
    await page.mouse.move(edge.x + 4, edge.y + 8);
    await page.mouse.down();
    await page.mouse.move(edge.x + 84, edge.y + 8, { steps: 4 });
    await page.mouse.up();
    await page.waitForURL(/widths=%2C%2C/);
    assert.ok(Math.abs((await widthOf(points)) - before - 80) < 3);
    // A moved column keeps its width, and the drag has sorted nothing.
    await points.dragTo(head(page, "lr"));
    await page.waitForURL(/widths=%2C\d/);
    assert.ok(Math.abs((await widthOf(points)) - before - 80) < 3);
    assert.doesNotMatch(page.url(), /sort=/);
    await points.locator(".edge").dblclick();
    await page.waitForURL((url) => !url.searchParams.has("widths"));
  });

  test("the keyboard moves and resizes", async () => {
    const page = await table("q=slug ~ col/&cols=meta.lr, points, status");
    await page.getByRole("grid").focus();
    for (const key of ["ArrowUp", "ArrowRight", "Shift+ArrowRight"]) await page.keyboard.press(key);
    await page.waitForURL(/cols=points/);
    await standing(page, "points", "lr", "status");
    const lr = head(page, "lr");
    const before = await widthOf(lr);
    for (const key of ["+", "+", "-", "+"]) await page.keyboard.press(key);
    await page.waitForURL(/widths=/);
    const rem = 16;
    assert.ok((await widthOf(lr)) >= before + rem);
    await page.keyboard.press("0");
    await page.waitForURL((url) => !url.searchParams.has("widths"));
    await page.keyboard.press("ArrowLeft");
    await page.keyboard.press("ArrowLeft");
    for (const key of ["+", "+"]) await page.keyboard.press(key);
    await page.waitForURL(/widths=\d/);
  });

  test("the keys that differ among what is found are shown by one click, beside the metrics", async () => {
    const page = await table("q=slug ~ col/&cols=status, metric.val/loss.min, points");
    await page.getByRole("button", { name: "columns", exact: true }).click();
    await page.getByRole("button", { name: "show all 3" }).click();
    await page.getByRole("button", { name: "Close" }).click();
    await standing(page, "status", "val/loss", "layer1.attn", "layer2.attn", "lr", "points");
  });

  test("an added column stands beside the metrics, is scrolled to and marked for a moment", async () => {
    const cols = "status, metric.val/loss.min, meta.layer1.attn, began, duration, points, folder";
    const page = await table(`q=slug ~ col/&cols=${cols}`, {
      viewport: { width: 800, height: 700 },
    });
    await page.getByRole("button", { name: "columns", exact: true }).click();
    await page.getByRole("button", { name: "show meta.lr as a column" }).click();
    const lr = page.locator("[role=columnheader].added");
    await lr.waitFor();
    await page.getByRole("button", { name: "hide meta.lr as a column" }).waitFor();
    await page.waitForURL(/meta\.layer1\.attn%2C\+meta\.lr%2C\+began/);
    assert.equal(await lr.locator(".title").innerText(), "lr");
    await page.getByRole("button", { name: "Close" }).click();
    const grid = (await page.getByRole("grid").boundingBox())!;
    const box = (await lr.boundingBox())!;
    assert.ok(box.x > grid.x && box.x + box.width <= grid.x + grid.width + 1);
    await lr.waitFor({ state: "detached" });
    // Without metrics and meta it stands before the columns that are read last.
    const plain = await table("q=slug ~ col/&cols=status, began, duration");
    await plain.getByRole("button", { name: "columns", exact: true }).click();
    await plain.getByRole("button", { name: "show meta.lr as a column" }).click();
    await plain.waitForURL(/cols=status%2C\+meta\.lr%2C\+began/);
  });

  test("of several hundred keys those of the experiments found come first", async () => {
    const extra = Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`a${at}`, at]));
    const recorder = await client.record({
      slug: "many-keys",
      meta: { ...extra, zz: { last: 1 } },
    });
    await recorder.finish();
    await counted(client);
    const page = await table("q=slug ~ col/&cols=status");
    const open = () => page.getByRole("button", { name: "columns", exact: true }).click();
    const lines = page.locator(".field-list li");
    await open();
    await page.getByText("keys of all 4 experiments found").waitFor();
    // The reply of the service follows.
    await lines.getByText("meta.a0", { exact: true }).waitFor();
    const texts = await lines.allInnerTexts();
    assert.deepEqual(
      texts.slice(0, 5).map((text) => text.split("\n")[0]),
      [
        "keys of all 4 experiments found",
        "meta.layer1.attn",
        "meta.layer2.attn",
        "meta.lr",
        "others",
      ],
    );
    // A search narrows both parts, and those of other experiments are still found.
    await page.getByLabel("Search columns").fill("last zz");
    await page.getByText("meta.zz.last").waitFor();
    await lines.nth(1).waitFor({ state: "detached" });
    await page.getByLabel("Search columns").fill("*.attn");
    await lines.nth(2).waitFor();
    assert.match(await lines.nth(1).innerText(), /meta\.layer1\.attn/);
    await page.getByRole("button", { name: "Close" }).click();
    // An experiment of its own has its own keys first, of which only some are listed at once.
    await page.getByRole("combobox", { name: "Query" }).fill("slug = many-keys");
    await page.getByText("1 found", { exact: true }).waitFor();
    await open();
    await page.getByText("keys of the experiment found").waitFor();
    await page.getByText("241 more. Type part of a name to find them.").waitFor();
    await page.getByLabel("Search columns").fill("/^meta.a29[89]/");
    await page.getByText("meta.a299").waitFor();
  });

  test("columns and metrics are found by words in any order and by regular expressions", async () => {
    const page = await table("q=slug ~ col/&cols=status");
    await page.getByRole("button", { name: "columns", exact: true }).click();
    const found = page.locator(".field-list li > bdi");
    const search = page.getByLabel("Search columns");
    await search.fill("grad layer12");
    await page.getByText("metric.layer12/mlp/grad").first().waitFor();
    await found.nth(1).waitFor({ state: "detached" });
    await search.fill("/^layer1.?.attn/");
    await found.filter({ hasText: "metric.layer1/attn/grad" }).waitFor();
    await found.nth(2).waitFor({ state: "detached" });
    assert.deepEqual(await found.allInnerTexts(), ["meta.layer1.attn", "metric.layer1/attn/grad"]);
    await search.fill("/(layer/");
    await page.getByText(/expected a closing \) in the regular expression/).waitFor();
    await page.getByRole("button", { name: "Close" }).click();
    const query = page.getByRole("combobox", { name: "Query" });
    await query.fill("slug ~ /^col.[13]$/");
    await page.getByText("2 found", { exact: true }).waitFor();
    const { experimentId } = await client.experiment({ experimentSlug: "col/1" });
    await page.goto(`${pages.service.baseUrl}/experiments/${experimentId}?tab=charts`);
    await page.getByPlaceholder("Search 3 metrics").fill("/layer1[0-5]/");
    await page.locator("figure[data-series='layer12/mlp/grad']").waitFor();
    await page.locator("figure[data-series='val/loss']").waitFor({ state: "detached" });
    await page.getByPlaceholder("Search 3 metrics").fill("/(/");
    await page.getByText(/expected a closing \)/).waitFor();
  });
});
