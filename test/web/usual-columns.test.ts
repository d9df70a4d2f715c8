import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { LosslessClient } from "@lossless/client";
import type { Page } from "playwright-core";
import { pagesSuite } from "./pages-suite.ts";
import { counted } from "./recorded-runs.ts";

pagesSuite("the columns that nobody chose, in a browser", (pages) => {
  let client: LosslessClient;

  before(async () => {
    ({ client } = pages);
    for (let at = 0; at < 6; at++) {
      const optimizer = { name: ["adam", "muon"][at % 2], lr: at / 10, betas: [0.9, 0.95] };
      const tags = at === 0 && { _tags: ["good"] };
      const byTools = { import: { rows: at % 3 }, _source: { command: `train ${at % 2}` } };
      const own = { ...tags, ...byTools, optimizer, seed: at, epochs: 9, out: `runs/${at}` };
      const recorder = await client.record({ slug: `sweep/${at}`, meta: own });
      recorder.record("val/loss", 4 - at, 0);
      await recorder.finish();
    }
    for (let at = 0; at < 3; at++) {
      const recorder = await client.record({ slug: `plain/${at}`, meta: { epochs: 9 } });
      recorder.record("val/loss", 4 - at, 0);
      await recorder.finish();
    }
    await counted(client);
  });

  const open = async (address: string) => {
    const { page, seen } = await pages.signedIn();
    await page.addInitScript(watchHeads);
    await page.goto(`${pages.service.baseUrl}/experiments?${address}`);
    await page.getByRole("grid").waitFor();
    return { page, seen };
  };
  const heads = (page: Page) => page.locator("[role=columnheader] .title").allInnerTexts();

  test("tags and keys that differ among what is found are there with the first rows", async () => {
    const { page, seen } = await open("q=slug ~ sweep/");
    await page.getByText("6 found", { exact: true }).waitFor();
    const found = await heads(page);
    assert.deepEqual(found.slice(0, 7), [
      "experiment",
      "status",
      "val/loss",
      "tag",
      "optimizer.lr",
      "optimizer.name",
      "seed",
    ]);
    // Equal keys, and names of the run itself, have no column, and no line above the rows.
    assert.equal(found.includes("epochs"), false);
    assert.equal(found.includes("out"), false);
    assert.equal(await page.locator(".equal", { hasText: "epochs" }).count(), 0);
    // Nor have keys that clients and importers write, which are no first choices either.
    assert.ok(!found.some((title) => /^(import|_)/.test(title)), found.join());
    await page.getByRole("button", { name: "columns", exact: true }).click();
    const differing = page.getByRole("group", { name: /^Keys that differ/ }).getByRole("button");
    await differing.first().waitFor();
    assert.doesNotMatch((await differing.allInnerTexts()).join(), /import|_source/);
    await page.getByRole("button", { name: "Close" }).click();
    await page.getByLabel("group rows", { exact: true }).click();
    const keys = page.getByRole("list", { name: "Keys" }).getByRole("button");
    await keys.first().waitFor();
    const offered = await keys.allInnerTexts();
    assert.ok(
      offered.some((text) => text.startsWith("folder")),
      offered.join(),
    );
    assert.ok(!offered.some((text) => text.startsWith("meta._source")), offered.join());
    await page.keyboard.press("Escape");
    // Sorting changes no column, and none came behind the first rows.
    await page.getByRole("columnheader", { name: "optimizer.lr" }).click();
    await page.waitForURL(/sort=meta/);
    const drawn = await page.evaluate<string[]>("[...drawnHeads]");
    assert.equal(drawn.length, 1, drawn.join("\n"));
    assert.deepEqual(seen.problems, []);
  });

  test("what has neither tags nor differences has no such columns", async () => {
    const { page } = await open("q=slug ~ plain/");
    await page.getByText("3 found", { exact: true }).waitFor();
    assert.deepEqual((await heads(page)).slice(0, 4), [
      "experiment",
      "status",
      "val/loss",
      "began",
    ]);
    // Another query decides anew.
    await page.getByRole("combobox", { name: "Query" }).fill("slug ~ sweep/");
    await page.getByRole("columnheader", { name: "optimizer.name" }).waitFor();
    await page.getByRole("columnheader", { name: "tag" }).waitFor();
  });

  test("chosen columns stay as chosen, and a choice begins with those that are shown", async () => {
    const { page } = await open("q=slug ~ sweep/&cols=points, meta.seed");
    await page.getByText("6 found", { exact: true }).waitFor();
    assert.deepEqual(await heads(page), ["experiment", "points", "seed"]);
    await page.getByRole("button", { name: "columns", exact: true }).click();
    await page.getByRole("button", { name: "reset to default" }).click();
    await page.getByRole("button", { name: "Remove meta.seed" }).click();
    await page.waitForURL(/cols=status/);
    const cols = new URL(page.url()).searchParams.get("cols")!.split(", ");
    assert.deepEqual(cols.slice(0, 5), [
      "status",
      "metric.val/loss.min",
      "tag",
      "meta.optimizer.lr",
      "meta.optimizer.name",
    ]);
    assert.equal(cols.includes("meta.seed"), false);
  });

  test("the first tag brings the column of tags", async () => {
    const { page } = await open("q=slug ~ plain/");
    await page.getByText("3 found", { exact: true }).waitFor();
    assert.equal((await heads(page)).includes("tag"), false);
    await page.getByRole("checkbox").nth(1).check();
    await page.getByRole("button", { name: "tags…" }).click();
    await page.getByLabel("Find or add a tag").fill("kept");
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByRole("columnheader", { name: "tag" }).waitFor();
    await page.getByRole("grid").getByText("kept").waitFor();
  });
});

/** Keeps each different line of heads that the page has ever drawn. */
const watchHeads = `
  globalThis.drawnHeads = new Set();
  new MutationObserver(() => {
    const heads = [...document.querySelectorAll("[role=columnheader] .title")];
    if (heads.length > 0) drawnHeads.add(heads.map((head) => head.textContent).join(" | "));
  }).observe(document, { childList: true, subtree: true });
`;
