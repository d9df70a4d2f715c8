import assert from "node:assert/strict";
import { join } from "node:path";
import { before, test } from "node:test";
import type { LosslessClient, ReportBlock } from "@lossless/client";
import type { Page } from "playwright-core";
import { suiteDirectory } from "../suite-service.ts";
import { logged, logRun } from "./logged-run.ts";
import { pagesSuite } from "./pages-suite.ts";
import { counted } from "./recorded-runs.ts";

/** The width of A4 between a browser's usual margins. */
const paperWidth = 718;

/** Metrics of each run, all of which can be columns. */
const metrics = Array.from({ length: 20 }, (_, at) => `validation/perplexity_${at}`);

pagesSuite("reports on paper and in files", (pages) => {
  let max: LosslessClient;
  let experimentId: string;

  before(async () => {
    const { client, service } = pages;
    for (const optimizer of ["adamw", "muon"]) {
      const slug = `llm/pretraining/${optimizer}-lr0.0003-bs64-seed1`;
      const run = await client.record({ slug, meta: { optimizer } });
      for (const [at, name] of metrics.entries()) run.record(name, -0.00123456 * (at + 1), 0);
      await run.finish();
    }
    const columns = Array.from({ length: 14 }, (_, at) => `predicted class ${at}`);
    const rows = [columns.map((_, at) => (at === 0 ? "a bird on a roof" : 0.123456 * at))];
    const files = { "table.json": JSON.stringify({ columns, data: rows }) };
    const notes = [logged({ slug: "guesses", files }, "table", "guesses", 500, "table.json")];
    ({ experimentId } = await logRun(client, service.baseUrl, "guesses", { files, notes }));
    max = await pages.clientOf("max");
    await counted(max);
  });

  const tableOf = (count: number): ReportBlock => ({
    kind: "table",
    query: "meta.optimizer",
    columns: metrics
      .slice(0, count)
      .map((name) => `metric.${name}`)
      .join(","),
    sort: "slug",
    limit: 10,
  });
  const words = `| ${metrics.slice(0, 14).join(" | ")} |`;
  const text = `${words}\n${"|--".repeat(14)}|\n${words}`;

  async function printed(blocks: readonly ReportBlock[], cells: number): Promise<Page> {
    const { id } = await max.reports.create({
      name: `Paper ${cells}`,
      scope: "own",
      blocks: [...blocks],
    });
    const viewport = { width: paperWidth, height: 1000 };
    const { page } = await pages.open(`/reports/${id}`, { person: "max", viewport });
    await page
      .locator("th, td")
      .nth(cells - 1)
      .waitFor({ state: "attached" });
    await page.emulateMedia({ media: "print" });
    return page;
  }

  async function savedFile(page: Page, name: string): Promise<Page> {
    const saved = page.waitForEvent("download");
    await page.getByRole("button", { name: "Save as a file" }).click();
    const path = join(suiteDirectory("paper"), `${name}.html`);
    await (await saved).saveAs(path);
    const { page: file } = await pages.newPage({ offline: true });
    await file.goto(`file://${path}`);
    return file;
  }

  test("all columns of tables are on paper, whole", async () => {
    const media = { kind: "media", media: "table", name: "guesses", title: "" } as const;
    const logs = { ...media, experimentIds: [experimentId] };
    const page = await printed([tableOf(12), { kind: "text", markdown: text }, logs], 95);
    assert.deepEqual(await lostCells(page), { shown: 95, lost: [] });
    assert.equal(await page.getByText("Not on paper").count(), 0);
  });

  test("a saved file has the signs below its charts that the page has", async () => {
    const chart = { kind: "chart", seriesName: "loss", title: "", view: "" } as const;
    const blocks: ReportBlock[] = [{ ...chart, experimentIds: [experimentId] }];
    const { id } = await max.reports.create({ name: "Signs", scope: "own", blocks });
    const { page } = await pages.open(`/reports/${id}`, { person: "max" });
    await page.locator(".lane .done").first().waitFor();
    const file = await savedFile(page, "signs");
    await file.locator(".lane .done").first().waitFor();
    const signs = (shown: Page) => shown.locator(".lane").allTextContents();
    assert.deepEqual(await signs(file), await signs(page));
    assert.deepEqual(await signs(page), ["▸✓"]);
  });

  test("columns that have no room are named, in a saved file too", async () => {
    const page = await printed([tableOf(20)], 63);
    const said = /^Not on paper, which has room for 14 columns: .*_14 last, .*_19 last\.$/;
    const look = async (paper: Page) => {
      assert.deepEqual(await lostCells(paper), { shown: 45, lost: [] });
      await paper.getByText(said).waitFor();
    };
    await look(page);
    await page.emulateMedia({ media: "screen" });
    await page.getByText(said).waitFor({ state: "hidden" });
    // On the screen the names stay where columns scroll, with one line below all heads.
    const lines = await page.evaluate(`new Set([...document.querySelectorAll(".found-table th")]
      .map((head) => getComputedStyle(head).boxShadow)).size`);
    assert.equal(lines, 1);
    const file = await savedFile(page, "wide");
    await file.setViewportSize({ width: paperWidth, height: 1000 });
    await file.emulateMedia({ media: "print" });
    await look(file);
  });
});

/** The cells that are on paper, and the words of those that are beyond its edge or cut. */
async function lostCells(page: Page): Promise<unknown> {
  return page.evaluate(`(() => {
    const cells = [...document.querySelectorAll(":is(th, td)")];
    const shown = cells.filter((cell) => cell.getClientRects().length > 0);
    const isLost = (cell) => {
      const words = document.createRange();
      words.selectNodeContents(cell);
      const { right } = cell.getBoundingClientRect();
      const last = Math.max(0, ...[...words.getClientRects()].map((rect) => rect.right));
      const isCut = last > right + 1 || cell.scrollWidth > cell.clientWidth + 1 || right > ${paperWidth};
      return isCut || last === 0;
    };
    return { shown: shown.length, lost: shown.filter(isLost).map((cell) => cell.textContent) };
  })()`);
}
