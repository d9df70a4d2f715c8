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
    for (const [slug, lr] of [
      ["first", 0.1],
      ["second", 0.2],
    ] as const) {
      const recorder = await client.record({ slug, meta: { lr, _tags: ["swept", "slow"] } });
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

  test("a block keeps what it shows while its query is typed, and asks for none that is not one", async () => {
    const { page } = await edited("Typed");
    const refused: string[] = [];
    page.on("response", (reply) => {
      if (reply.status() >= 400) refused.push(`${reply.status()} ${reply.url()}`);
    });
    await button(page, "+ table").click();
    const query = page.getByLabel("Experiments that a query finds");
    await query.fill("slug = first");
    await page.getByText("1 experiment", { exact: true }).waitFor();
    const row = page.getByRole("link", { name: "first", exact: true });
    await query.fill("slug = first and meta.lr <");
    await page.getByText("Next, type a value.").waitFor();
    await query.blur();
    await page.getByText("At character 27: expected a value, found the end").waitFor();
    assert.equal(await query.getAttribute("aria-invalid"), "true");
    // As long as a question would take.
    await page.waitForTimeout(700);
    assert.ok(await row.isVisible());
    await query.fill("slug = second");
    await page.getByRole("link", { name: "second", exact: true }).waitFor();
    await page.getByText("At character").waitFor({ state: "detached" });
    await button(page, "Remove: Block 1, table").click();

    await button(page, "+ chart").click();
    await query.fill("slug = first");
    await page
      .getByRole("combobox", { name: "Metrics" })
      .or(page.getByLabel("Metrics"))
      .first()
      .waitFor();
    await query.fill("slug = first or (");
    await page.getByText("Next, type a field, or a text to search for.").waitFor();
    await page.waitForTimeout(700);
    assert.equal(await page.getByRole("alert").count(), 0);
    assert.deepEqual(refused, []);
  });

  test("a removed block is brought back where it stood, by the key that removed it", async () => {
    const { page, id } = await edited("Removed");
    for (const words of ["first", "second"]) {
      await button(page, "+ text").click();
      await page.getByLabel("Text, in Markdown").fill(words);
    }
    await button(page, "Remove: Block 1, text").focus();
    await page.keyboard.press("Enter");
    await page.getByText("The text block is removed.").waitFor();
    assert.equal(await page.locator(".prose").count(), 1);
    await page.keyboard.press("Enter");
    await page.locator(".prose").nth(1).waitFor();
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
    await button(page, "Remove train/loss").waitFor();
    await page.getByLabel("Title").waitFor();
    await page.getByLabel("group by: nothing").waitFor();
    await page.getByText("more settings").waitFor();
    for (const label of ["y scale", "Marks below it are of", "x from", /^Sort by/, /as text/])
      assert.equal(await page.getByLabel(label).isVisible(), false);
    await choose(page, "first", "second", "pictured");
    for (const name of ["first", "second", "pictured"])
      await page.getByRole("group", { name: "Chosen experiments" }).getByText(name).waitFor();
    await button(page, "Remove pictured").click();
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
    await button(page, "Settings: Block 1, chart").click();
    await button(page, "Remove val/loss").waitFor();
    await page.getByText("more settings: marks of second, y log").waitFor();
    assert.equal(await page.getByLabel("y scale").inputValue(), "log");
    assert.equal(await page.getByLabel("y scale").isVisible(), false);
    await button(page, "find by a query").click();
    const query = page.getByLabel("Experiments that a query finds");
    await query.fill("slug = first");
    // The next block is about the same experiments.
    await button(page, "+ table").click();
    await page.getByRole("region", { name: "Block 2, table" }).locator(query).waitFor();
    assert.equal(await query.inputValue(), "slug = first");
  });

  test("the list of experiments is searched with words or as the table is", async () => {
    const { page } = await edited("Searched");
    await button(page, "+ table").click();
    await button(page, "choose experiments…").click();
    const search = page.getByLabel("Search experiments");
    const [first, second] = ["first", "second"].map((name) =>
      page.getByRole("checkbox", { name, exact: true }),
    );
    await first.waitFor();
    await search.fill("lr = 0.2");
    await button(page, "use meta.lr").waitFor();
    // Nothing is found by what cannot be read.
    assert.equal(await page.getByRole("checkbox").count(), 0);
    await search.press("Enter");
    await second.waitFor();
    assert.equal(await search.inputValue(), "meta.lr = 0.2");
    await page.getByText("1 found", { exact: true }).waitFor();
    await search.fill("meta.lr = 0.2 and points >");
    await page.getByText("Next, type a value.").waitFor();
    assert.ok(await second.isVisible());
    await search.fill("firs");
    await first.check();
    assert.equal(await second.count(), 0);
    await search.fill("meta.lrr = 0.2");
    await button(page, "meta.lr").click();
    await second.waitFor();
    await search.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await page.getByRole("group", { name: "Chosen experiments" }).getByText("first").waitFor();
  });

  test("a table has chips for tags, names on one line, and scrolls in its block", async () => {
    const columns = ["status", "tag", "meta.lr", "metric.val/loss", "created", "began", "updated"];
    const block = { query: "meta.lr", columns: columns.join(", "), sort: "slug", limit: 5 };
    const blocks = [{ kind: "table" as const, ...block }];
    const { id } = await max.reports.create({ name: "Chips", scope: "shared", blocks });
    const { page } = await pages.open(`/reports/${id}`, {
      person: "max",
      viewport: { width: 390, height: 800 },
    });
    const table = page.getByRole("group", { name: "Experiments" });
    const row = table.getByRole("row").nth(1);
    const name = row.getByRole("link", { name: "first", exact: true });
    await name.waitFor();
    assert.deepEqual(await row.locator(".tag").allInnerTexts(), ["swept", "slow"]);
    assert.ok((await row.boundingBox())!.height < 45);
    assert.ok((await table.boundingBox())!.width < 390);
    const { x } = (await name.boundingBox())!;
    const status = row.getByText("done");
    const statusX = (await status.boundingBox())!.x;
    await table.evaluate((box) => box.scrollTo(9_999, 0));
    assert.ok((await status.boundingBox())!.x < statusX - 100, "the columns scroll");
    assert.ok(Math.abs((await name.boundingBox())!.x - x) < 2, "the names stay");
  });

  test("a query is completed as the table's is, in a field as wide as its block", async () => {
    const { page } = await edited("Completed");
    await button(page, "+ chart").click();
    const query = page.getByLabel("Experiments that a query finds");
    await query.pressSequentially("meta.l");
    const choice = page.getByRole("option", { name: "meta.lr" });
    await choice.waitFor();
    assert.equal(await page.getByText("No metric has this name").count(), 0);
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    assert.equal(await query.inputValue(), "meta.lr ");
    const [field, room] = await Promise.all([
      query.boundingBox(),
      page.locator(".block-fields").first().boundingBox(),
    ]);
    assert.ok(field!.width > 0.95 * room!.width, `${field!.width} of ${room!.width}`);
    // A name without meta. is mended by a click, as in the table.
    await query.fill("lr = 0.2");
    await page.getByRole("button", { name: "use meta.lr" }).click();
    assert.equal(await query.inputValue(), "meta.lr = 0.2");
    await query.fill("slug = first or slug = second");
    await page.getByLabel("group by: nothing").click();
    await page
      .getByRole("list", { name: "Keys" })
      .getByRole("button", { name: /^meta\.lr/ })
      .click();
    // No key tells anything about one experiment.
    await page.keyboard.press("Escape");
    await query.fill("slug = first");
    await page.getByText(/found by “slug = first”/).waitFor();
    await page.getByLabel("group by: lr").click();
    await page.getByLabel("Search keys").fill("no-such");
    await page.getByText("No key with this name has different values here.").waitFor();
  });

  test("columns, order and experiments of a table are chosen from lists", async () => {
    const { page, id } = await edited("Table");
    await button(page, "+ table").click();
    // The columns of the table of experiments, where none are chosen.
    const usual = /^status, metric\.val\/loss\.min, .*meta\.lr, .*began, duration, points, folder$/;
    await page.locator(".picked-columns", { hasText: usual }).waitFor();
    await button(page, "choose columns…").click();
    await page.getByRole("button", { name: "Remove meta.lr" }).click();
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
      // The first that was logged is chosen already: a picture, where there is one.
      await block.getByRole("button", { name: "choose experiments…" }).click();
      await page.getByRole("checkbox", { name: "pictured", exact: true }).check();
      await button(page, "Done").click();
      await block
        .getByLabel("What they logged")
        .locator("option:checked", { hasText: "(image)" })
        .waitFor({ state: "attached" });
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
    const faults: string[] = [];
    const open = {
      text: () => page.getByLabel("Text, in Markdown").waitFor(),
      formula: () => page.getByLabel("Text, in Markdown").waitFor(),
      chart: () => page.getByText("more settings").click(),
      // The table grows when its columns are known, and moves the buttons below it.
      table: () => page.getByText(/^status, metric\./).waitFor(),
      media: () => page.getByText("Choose experiments and what they logged.").waitFor(),
    };
    for (const [kind, isOpen] of Object.entries(open)) {
      await button(page, `+ ${kind}`).click();
      await isOpen();
      faults.push(...(await faultsInAllLooks(page)));
    }
    await page.getByLabel("Add before: Block 1, text").click();
    faults.push(...(await faultsInAllLooks(page)));
    await page.keyboard.press("Escape");
    await button(page, "Settings: Block 4, table").click();
    await button(page, "choose experiments…").click();
    await page.getByRole("checkbox", { name: "first", exact: true }).waitFor();
    faults.push(...(await faultsInAllLooks(page)));
    assert.deepEqual(faults, []);
  });
});
