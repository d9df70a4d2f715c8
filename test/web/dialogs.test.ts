import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { LosslessClient } from "@lossless/client";
import type { Page } from "playwright-core";
import { faultsInAllLooks } from "./axe.ts";
import { pagesSuite } from "./pages-suite.ts";

pagesSuite("what opens in front of a page is accessible", (pages) => {
  const { service } = pages;
  let client: LosslessClient;
  let experimentId: string;
  let reportId: string;

  before(async () => {
    ({ client } = pages);
    const meta = { lr: 0.1, resumed: false, optimizer: { name: "adamw", betas: [0.9, 0.95] } };
    const recorder = await client.record({ slug: "run", description: "a text", meta });
    for (let step = 0; step < 100; step++) recorder.record("loss", Math.cos(step / 30), step);
    await recorder.finish();
    ({ experimentId } = recorder);
    await client.folders.ensure(["team", "vision"]);
    const table = { query: "", columns: "meta.lr", sort: "", limit: 5 };
    const blocks = [{ kind: "table" as const, ...table }];
    const max = await pages.clientOf("max");
    const made = await max.reports.create({ name: "A report", scope: "shared", blocks });
    reportId = made.id;
  });

  test("in light, in dark, in forced colours, and on a phone", async () => {
    const { page } = await pages.open("/experiments");
    const faults: string[] = [];
    const look = async (name: string): Promise<void> => {
      for (const fault of await faultsInAllLooks(page)) faults.push(`${name}, ${fault}`);
    };
    await seeTable(page, look);
    await page.goto(`${service.baseUrl}/experiments/${experimentId}?tab=charts`);
    await seeCharts(page, look);
    await seeHead(page, look);
    await page.goto(`${service.baseUrl}/experiments/${experimentId}?tab=meta`);
    await seeMeta(page, look);
    await page.goto(`${service.baseUrl}/reports/${reportId}`);
    await seeReport(page, look);
    assert.deepEqual(faults, []);
  });

  type Look = (name: string) => Promise<void>;

  async function seeTable(page: Page, look: Look): Promise<void> {
    const dialog = page.getByRole("dialog");
    await page.getByRole("link", { name: "run" }).waitFor();
    await page.keyboard.press("?");
    await dialog.getByText("show this list").waitFor();
    await look("keys of the table");
    await close(page);
    await page.getByRole("button", { name: "columns", exact: true }).click();
    await page.getByLabel("Search columns").waitFor();
    await dialog.getByText("meta.lr").first().waitFor();
    await look("columns");
    await close(page);
    await page.getByRole("button", { name: "+ filter" }).click();
    await page.getByLabel("Search fields").fill("meta.optimizer");
    await page.getByRole("button", { name: /^meta\.optimizer\.name/ }).waitFor();
    await look("fields of a filter");
    await page.getByRole("button", { name: /^meta\.optimizer\.name/ }).click();
    await page.getByLabel("Operator").waitFor();
    await look("a filter");
    await close(page);
    await page.getByRole("grid").focus();
    await page.keyboard.press("Home");
    await page.keyboard.press("Shift+F10");
    await page.getByRole("menuitem", { name: "rename…" }).waitFor();
    await look("menu of a cell");
    await page.keyboard.press("Escape");
    await page.getByRole("menu").waitFor({ state: "detached" });
    await page.getByRole("checkbox", { name: "tick run" }).click();
    await page.getByLabel("More actions").click();
    await page.getByRole("button", { name: "move to folder…" }).click();
    await dialog.getByRole("button", { name: "team/vision" }).waitFor();
    await look("move");
    await close(page);
    await page.getByRole("treeitem", { name: /^team/ }).click();
    await page.getByRole("button", { name: "rename", exact: true }).click();
    await look("rename");
    await close(page);
    await page.getByRole("button", { name: "remove", exact: true }).click();
    await dialog.getByText("The folder contains 1 folder.").waitFor();
    await dialog.getByText(/for \d+ days/).waitFor();
    await look("remove");
    await close(page);
  }

  async function seeCharts(page: Page, look: Look): Promise<void> {
    const chart = page.locator("figure[data-series='loss']");
    await chart.locator("canvas").waitFor();
    const dialog = page.getByRole("dialog");
    await page.keyboard.press("?");
    await dialog.getByText("numbers of the chart").waitFor();
    await look("keys of charts");
    await close(page);
    await chart.getByLabel("Menu of loss").click();
    await chart.getByRole("button", { name: "annotate at the cursor…" }).waitFor();
    await look("menu of a chart");
    await chart.getByRole("button", { name: "add to a report…" }).click();
    await dialog.getByRole("button", { name: "A report" }).waitFor();
    await look("add to a report");
    await close(page);
    await chart.getByLabel("Menu of loss").click();
    await chart.getByRole("button", { name: "metrics, axes, size…" }).click();
    await dialog.getByLabel("y scale").waitFor();
    await look("axes of a chart");
    await close(page);
    await chart.getByLabel("Menu of loss").click();
    await chart.getByRole("button", { name: "numbers as a table" }).click();
    await chart.locator("tbody tr").first().waitFor();
    await look("numbers");
    await chart.getByRole("button", { name: "close" }).click();
  }

  async function seeHead(page: Page, look: Look): Promise<void> {
    const dialog = page.getByRole("dialog");
    await page.getByRole("button", { name: "annotate…" }).click();
    await dialog.getByLabel("At step").waitFor();
    await look("annotate");
    await close(page);
    await page.getByLabel("More actions").click();
    await page.getByRole("button", { name: "edit description…" }).click();
    const { description } = await client.experiment({ experimentId });
    const other = `${description} more`;
    await client.editExperiment({
      experimentId,
      description: { before: description, after: other },
    });
    await dialog.getByRole("textbox").fill("mine");
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.getByText(other).waitFor();
    await look("description");
    await close(page);
    await page.getByLabel("More actions").click();
    await page.getByRole("button", { name: "move to folder…" }).click();
    await dialog.getByRole("button", { name: "team/vision" }).waitFor();
    await look("move of the experiment");
    await close(page);
  }

  async function seeReport(page: Page, look: Look): Promise<void> {
    const dialog = page.getByRole("dialog");
    for (const name of ["Rename or share…", "Delete…", "guest link…"]) {
      await page.getByRole("button", { name }).click();
      await dialog.getByRole("button", { name: /^(Save|Delete|Create the link)$/ }).waitFor();
      await look(name);
      await close(page);
    }
    await page.getByRole("button", { name: "Edit" }).click();
    await page.getByRole("button", { name: /^Settings: Block \d, table$/ }).click();
    await page.getByRole("button", { name: "choose columns…" }).click();
    await page.getByLabel("Search columns").waitFor();
    await look("columns of a report");
    await close(page);
  }

  async function seeMeta(page: Page, look: Look): Promise<void> {
    const dialog = page.getByRole("dialog");
    for (const key of ["lr", "resumed", "optimizer.name", "optimizer.betas"]) {
      await page.getByRole("button", { name: `edit ${key}`, exact: true }).click();
      await dialog.getByLabel("Value").waitFor();
      await look(`edit ${key}`);
      await close(page);
    }
    await page.getByRole("button", { name: "+ key in optimizer" }).click();
    await dialog.getByLabel("Kind").selectOption("number");
    await dialog.getByLabel("Name").fill("x");
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.getByText("Enter a number").waitFor();
    await look("a new key");
    await close(page);
  }

  async function close(page: Page): Promise<void> {
    await page.keyboard.press("Escape");
    await page.locator("dialog[open]").waitFor({ state: "detached" });
  }
});
