import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { LosslessClient } from "@lossless/client";
import type { Page } from "playwright-core";
import { faultsInAllLooks } from "./axe.ts";
import { logAllKinds, type LoggedRun } from "./logged-run.ts";
import { pagesSuite } from "./pages-suite.ts";

pagesSuite("a report is written by choosing", (pages) => {
  let max: LosslessClient;
  let run: LoggedRun;

  before(async () => {
    const { client, service } = pages;
    for (const slug of ["first", "second"]) {
      const recorder = await client.record({ slug, meta: { lr: 0.1 } });
      for (let step = 0; step < 50; step++)
        for (const name of ["train/loss", "val/loss"]) recorder.record(name, 1 / (1 + step), step);
      await recorder.finish();
    }
    run = await logAllKinds(client, service.baseUrl, "pictured");
    max = await pages.clientOf("max");
  });

  const button = (page: Page, name: string | RegExp) =>
    page.getByRole("button", { name, exact: typeof name === "string" });

  async function edited(name: string): Promise<{ page: Page; id: string }> {
    const { id } = await max.reports.create({ name, scope: "shared", blocks: [] });
    const { page } = await pages.open(`/reports/${id}`, { person: "max" });
    await button(page, "Edit").click();
    return { page, id };
  }

  async function choose(page: Page, ...slugs: string[]): Promise<void> {
    await button(page, "choose experiments…").click();
    for (const slug of slugs) await page.getByRole("checkbox", { name: slug, exact: true }).check();
    await button(page, "Done").click();
  }

  async function blocksAfterSaving(page: Page, id: string) {
    await button(page, "Save").click();
    await button(page, "Edit").waitFor();
    return (await max.reports.read(id)).blocks;
  }

  test("a removed block is brought back where it stood, by the key that removed it", async () => {
    const { page, id } = await edited("Removed");
    for (const words of ["first", "second"]) {
      await button(page, "+ text").click();
      await page.getByLabel("Text, in Markdown").last().fill(words);
    }
    await button(page, "Remove: Block 1, text").focus();
    await page.keyboard.press("Enter");
    await page.getByText("The text block is removed.").waitFor();
    assert.equal(await page.getByLabel("Text, in Markdown").count(), 1);
    await page.keyboard.press("Enter");
    await page.getByLabel("Text, in Markdown").nth(1).waitFor();
    const blocks = await blocksAfterSaving(page, id);
    assert.deepEqual(
      blocks.map((block) => (block.kind === "text" ? block.markdown : "")),
      ["first", "second"],
    );
  });

  test("experiments, several series and axes of a chart are chosen from lists", async () => {
    const { page, id } = await edited("Chosen");
    await button(page, "+ chart").click();
    // First what a chart needs; the rest is behind one button.
    await button(page, "+ train/loss").waitFor();
    await page.getByLabel("Title").waitFor();
    await page.getByText("more settings").waitFor();
    for (const label of ["y scale", "Marks below it are of", "x from", /^Sort by/, /as text/])
      assert.equal(await page.getByLabel(label).isVisible(), false);
    await choose(page, "first", "second", "pictured");
    for (const name of ["first", "second", "pictured"])
      await page.getByRole("group", { name: "Chosen experiments" }).getByText(name).waitFor();
    await button(page, "Remove pictured").click();
    await button(page, "+ train/loss").click();
    await button(page, "+ val/loss").click();
    await page.getByText("more settings").click();
    await page.getByLabel("y scale").selectOption("log");
    await page.getByLabel("Marks below it are of").selectOption({ label: "second" });
    const chart = page.locator("figure.chart");
    await chart.getByRole("heading", { name: "train/loss, val/loss" }).waitFor();
    await chart.getByText(/^200 points, not sampled/).waitFor();
    const [block] = await blocksAfterSaving(page, id);
    assert.ok(block.kind === "chart");
    assert.deepEqual([block.seriesName, block.otherSeriesNames], ["train/loss", ["val/loss"]]);
    assert.deepEqual([block.experimentIds?.length, block.view], [2, "y=log"]);
    assert.ok(block.experimentIds!.includes(block.referenceId!));
    // The choices are there when it is edited again.
    await button(page, "Edit").click();
    await button(page, "Remove val/loss").waitFor();
    await page.getByText("more settings: marks of second, y log").waitFor();
    assert.equal(await page.getByLabel("y scale").inputValue(), "log");
    assert.equal(await page.getByLabel("y scale").isVisible(), false);
    await button(page, "find by a query").click();
    const query = page.getByLabel("Experiments that a query finds");
    await query.fill("slug = first");
    // The next block is about the same experiments.
    await button(page, "+ table").click();
    await query.nth(1).waitFor();
    assert.equal(await query.nth(1).inputValue(), "slug = first");
  });

  test("columns, order and experiments of a table are chosen from lists", async () => {
    const { page, id } = await edited("Table");
    await button(page, "+ table").click();
    await button(page, "choose columns…").click();
    await page.getByRole("button", { name: "show meta.lr as a column" }).click();
    await button(page, "Close").click();
    await page.getByLabel("order").selectOption("meta.lr desc");
    await choose(page, "first");
    await page.getByRole("link", { name: "first" }).waitFor();
    await page.getByText("1 experiment", { exact: true }).waitFor();
    // Its name stands there, and no id is seen or typed.
    await page.getByRole("group", { name: "Chosen experiments" }).getByText("first").waitFor();
    assert.equal(await page.getByLabel("Experiments that a query finds").count(), 0);
    await page.getByText("more settings").click();
    await page.getByLabel("Rows").fill("5");
    await page.getByLabel("Rows").blur();
    await page.getByText("more settings: 5 rows").waitFor();
    const [block] = await blocksAfterSaving(page, id);
    assert.ok(block.kind === "table");
    assert.equal(block.sort, "meta.lr desc");
    assert.match(block.columns, /meta\.lr/);
    assert.match(block.query, /^id in \(\w{26}\)$|^id = \w{26}$/);
  });

  test("pictures of a run are chosen, and two halves stand side by side", async () => {
    const { page, id } = await edited("Pictures");
    for (const title of ["Block 1, media", "Block 2, media"]) {
      await button(page, "+ media").click();
      const block = page.getByRole("region", { name: title });
      if (title === "Block 1, media") {
        await button(page, "Save").click();
        const missing = "Block 1, media, is not complete: choose experiments and what they logged";
        await page.getByRole("alert").filter({ hasText: missing }).waitFor();
        assert.deepEqual((await max.reports.read(id)).blocks, [], "nothing is saved");
      }
      await block.getByRole("button", { name: "choose experiments…" }).click();
      await page.getByRole("checkbox", { name: "pictured", exact: true }).check();
      await button(page, "Done").click();
      await block
        .getByLabel("What they logged")
        .locator("option", { hasText: "(image)" })
        .first()
        .waitFor({ state: "attached" });
      const picture = block
        .getByLabel("What they logged")
        .locator("option", { hasText: "(image)" });
      await block
        .getByLabel("What they logged")
        .selectOption(await picture.first().getAttribute("value"));
      await block.locator(".picture img").first().waitFor();
      await button(page, `Half width: ${title}`).click();
    }
    const blocks = await blocksAfterSaving(page, id);
    assert.deepEqual(
      blocks.map((block) => [
        block.kind,
        block.width,
        block.kind === "media" && block.experimentIds,
      ]),
      [1, 2].map(() => ["media", "half", [run.experimentId]]),
    );
    const halves = page.locator("section[data-width='half']");
    await halves.nth(1).locator(".picture img").first().waitFor();
    const [left, right] = await Promise.all([0, 1].map((at) => halves.nth(at).boundingBox()));
    assert.ok(left!.y === right!.y && left!.x + left!.width <= right!.x, "side by side");
  });

  test("what a run logged is added to a report from its page", async () => {
    const { id } = await max.reports.create({ name: "From the run", scope: "own", blocks: [] });
    const { page } = await pages.open(`/experiments/${run.experimentId}?tab=charts`, {
      person: "max",
    });
    const panel = page.locator(".media-panel[data-kind='image']").first();
    await panel.scrollIntoViewIfNeeded();
    await panel.locator(".menu summary").click();
    await panel.getByRole("button", { name: "add to a report…" }).click();
    await button(page, "From the run").click();
    await page.getByText("Added to From the run.").waitFor();
    const [block] = (await max.reports.read(id)).blocks;
    assert.ok(block.kind === "media");
    assert.deepEqual([block.experimentIds, block.media], [[run.experimentId], "image"]);
  });

  test("formulas are drawn, and what is not known says why", async () => {
    const markdown = [
      String.raw`The loss $\mathcal{L} = \frac{1}{n} \sum_{i=1}^n \ell_i$ falls by $5 or $6.`,
      "$$\n\\sqrt{x_1^2 + x_2^2}\n$$",
      String.raw`But $\nosuch$ is not known.`,
    ].join("\n\n");
    const blocks = [{ kind: "text" as const, markdown }];
    const { id } = await max.reports.create({ name: "Formulas", scope: "shared", blocks });
    const { page } = await pages.open(`/reports/${id}`, { person: "max" });
    await page.locator("math").nth(1).waitFor();
    assert.equal(await page.locator("math[display=block] msqrt").count(), 1);
    assert.equal(await page.locator("p math mfrac").count(), 1);
    const width = await page.locator("math msqrt").evaluate((root) => {
      const { getBoundingClientRect } = root as unknown as {
        getBoundingClientRect: () => { width: number };
      };
      return getBoundingClientRect.call(root).width;
    });
    assert.ok(width > 20, "a browser lays it out");
    await page.getByText("falls by $5 or $6.").waitFor();
    await page.getByText(String.raw`\nosuch is not known here`).waitFor();
  });

  test("the editor is accessible with each kind of block", async () => {
    const { page } = await edited("Everything");
    for (const kind of ["text", "chart", "table", "media"]) await button(page, `+ ${kind}`).click();
    await page.getByText("Choose experiments and what they logged.").waitFor();
    for (const at of [0, 1]) await page.getByText("more settings").nth(at).click();
    const faults = await faultsInAllLooks(page);
    await page
      .getByRole("region", { name: "Block 3, table" })
      .getByText("choose experiments…")
      .click();
    await page.getByRole("checkbox", { name: "first", exact: true }).waitFor();
    faults.push(...(await faultsInAllLooks(page)));
    assert.deepEqual(faults, []);
  });
});
