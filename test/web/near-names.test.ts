import assert from "node:assert/strict";
import { before, test } from "node:test";
import { pagesSuite } from "./pages-suite.ts";
import { counted } from "./recorded-runs.ts";
import { until } from "./until.ts";

pagesSuite("misspelt names in a browser", (pages) => {
  const ids: string[] = [];

  before(async () => {
    const { client } = pages;
    for (const lr of [0.1, 0.2]) {
      const meta = { optimizer: { name: "adamw", lr } };
      const recorder = await client.record({ slug: `near/${lr}`, meta });
      for (const name of ["train/loss", "val/accuracy"])
        for (const step of [1, 2, 3]) recorder.record(name, step * lr, step);
      await recorder.finish();
      ids.push(recorder.experimentId);
    }
    await counted(client);
  });

  test("a column that no experiment has is told, and replaced by a click", async () => {
    const { page } = await pages.open("/experiments?q=slug ~ near/&cols=metric.val/acuracy.max");
    await page.getByText("No experiment has metric.val/acuracy.max.").waitFor();
    await page.getByRole("button", { name: "metric.val/accuracy.max" }).click();
    await page.getByText("No experiment has").waitFor({ state: "detached" });
    await page.getByRole("columnheader", { name: "val/accuracy max" }).waitFor();
  });

  test("a search for charts offers metrics that may be meant", async () => {
    const { page } = await pages.open(`/experiments/${ids[0]}?tab=charts&m=acuracy`);
    await page.getByText("No metric matches.").waitFor();
    await page.getByRole("button", { name: "val/accuracy" }).click();
    await page.getByRole("figure").waitFor();
    assert.equal(new URL(page.url()).searchParams.get("m"), "val/accuracy");
  });

  test("so do those of a comparison, for metrics and keys", async () => {
    const { page } = await pages.open(`/compare?e=${ids.join(",")}`);
    const search = async (label: string, text: string, meant: string) => {
      await page.getByRole("searchbox", { name: label }).fill(text);
      const offered = page.getByRole("button", { name: meant, exact: true });
      const field = page.getByRole("searchbox", { name: label });
      // A click is lost where the page draws the button anew between its two halves.
      await until(async () => {
        if ((await field.inputValue()) !== meant) await offered.click({ timeout: 5_000 });
        assert.equal(await field.inputValue(), meant);
      });
    };
    await search("Search metrics", "train/lss", "train/loss");
    await search("Search keys", "optimizer.lrr", "optimizer.lr");
  });

  test("so do the choices of a column and of a filter", async () => {
    const { page } = await pages.open("/experiments?q=slug ~ near/");
    for (const [button, label] of [
      ["columns", "Search columns"],
      ["+ filter", "Search fields"],
    ]) {
      await page.getByRole("button", { name: button, exact: true }).click();
      await page.getByRole("searchbox", { name: label }).fill("acuracy");
      await page.getByText(/has this name/).waitFor();
      await page.getByRole("button", { name: "metric.val/accuracy" }).click();
      await page.getByText(/has this name/).waitFor({ state: "detached" });
      await page.keyboard.press("Escape");
    }
  });

  test("of a query that finds nothing, the tests that find none alone are told", async () => {
    const q = "slug ~ near/ meta.optimizer.name = adamv";
    const { page } = await pages.open(`/experiments?${new URLSearchParams({ q }).toString()}`);
    await page.getByText("By itself, meta.optimizer.name = adamv finds none.").waitFor();
    await page.getByRole("button", { name: "adamw" }).click();
    await page.getByText("2 found", { exact: true }).waitFor();
    const query = page.getByRole("combobox", { name: "Query" });
    assert.equal(await query.inputValue(), "slug ~ near/ meta.optimizer.name = adamw");
    // Where none is near, but there are few values, they are all offered.
    await query.fill("slug ~ near/ meta.optimizer.name = zzz");
    await page.getByRole("button", { name: "adamw" }).waitFor();
    await query.fill("meta.optimizer.lr < 0.15 meta.optimizer.lr > 0.15");
    await page.getByText("meta.optimizer.lr > 0.15 finds 1.").waitFor();
  });

  test("back leads to the query before one that was typed or clicked", async () => {
    const { page } = await pages.open("/experiments?q=slug ~ near/");
    await page.getByText("2 found", { exact: true }).waitFor();
    const query = page.getByRole("combobox", { name: "Query" });
    await query.focus();
    await page.keyboard.press("End");
    await page.keyboard.type(" meta.optimizer.lr < 0.15", { delay: 150 });
    await page.getByText("1 found", { exact: true }).waitFor();
    await page.goBack();
    await page.getByText("2 found", { exact: true }).waitFor();
    assert.equal(await query.inputValue(), "slug ~ near/");
  });
});
