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

  test("a regular expression without slashes and a misspelt word among several are mended", async () => {
    const { page } = await pages.open(`/experiments/${ids[0]}?tab=charts&m=(train|val)/l`);
    const search = page.getByRole("searchbox", { name: "Search the charts" });
    for (const [text, meant] of [
      ["(train|val)/l", "/(train|val)/l/"],
      ["trian loss", "train loss"],
    ]) {
      await search.fill(text);
      await page.getByText("No metric matches.").waitFor();
      await page.getByRole("button", { name: meant, exact: true }).click();
      await page.getByRole("figure").waitFor();
      assert.equal(await search.inputValue(), meant);
    }
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

  test("queries as another tracker writes them are answered with ours", async () => {
    const { page } = await pages.open("/experiments?q=slug ~ near/");
    const query = page.getByRole("combobox", { name: "Query" });
    for (const [written, answer] of [
      ["status = finished", /found finished; did you mean done\?/],
      ["created > yesterday", /found yesterday; did you mean -1d\?/],
      ["runtime > 1h", "use duration"],
    ] as const) {
      await query.fill(written);
      await page.getByText(answer).waitFor();
    }
    await query.fill("name contains near slug ~ near/");
    await page.getByText("did you mean ~?").waitFor();
    await query.fill("slugs:near");
    await page.getByText("0 found", { exact: true }).waitFor();
    await query.fill("created > 7d");
    await page.getByRole("button", { name: "created > -7d" }).click();
    await page.getByText("0 found", { exact: true }).waitFor({ state: "detached" });
    assert.equal(await query.inputValue(), "created > -7d");
    await query.fill("state:crashed");
    await page.getByRole("button", { name: "status = error" }).waitFor();
    await query.fill("Name contains near/");
    await page.getByRole("button", { name: "slug ~ near/ or name ~ near/" }).click();
    await page.getByText("2 found", { exact: true }).waitFor();
    // Runs without a name have it in their slugs.
    await query.fill("name ~ near/");
    await page.getByRole("button", { name: "slug ~ near/", exact: true }).click();
    await page.getByText("2 found", { exact: true }).waitFor();
  });

  test("names as the table shows them are mended by a click or by Enter", async () => {
    const { page } = await pages.open("/experiments?q=slug ~ near/");
    const query = page.getByRole("combobox", { name: "Query" });
    const found = page.getByText("1 found", { exact: true });
    const mend = (field: string) => page.getByRole("button", { name: `use ${field}`, exact: true });
    await page.getByRole("columnheader", { name: "train/loss min" }).waitFor();
    await query.fill("optimizer.lr < 0.15 and train/loss < 9");
    await mend("meta.optimizer.lr").waitFor();
    await query.press("Enter");
    assert.equal(await query.inputValue(), "meta.optimizer.lr < 0.15 and train/loss < 9");
    // The metric's last value, and the statistic that the table shows under the same name.
    await mend("metric.train/loss").waitFor();
    await mend("metric.train/loss.min").waitFor();
    await page.keyboard.press("Tab");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await found.waitFor();
    const mended = "meta.optimizer.lr < 0.15 and metric.train/loss.min < 9";
    assert.equal(await query.inputValue(), mended);
    assert.equal(new URL(page.url()).searchParams.get("q"), mended);
    // The message covers none of the tools below it.
    await query.fill("lr < 0.15");
    await mend("meta.optimizer.lr").waitFor();
    for (const name of ["+ filter", "columns"]) {
      const tool = page.getByRole("button", { name, exact: true });
      await tool.click({ trial: true, timeout: 5_000 });
    }
    await mend("meta.optimizer.lr").click();
    await found.waitFor();
  });

  test("a statistic as above a column, and a key tested by the value of one below it", async () => {
    const { page } = await pages.open("/experiments?q=slug ~ near/");
    const query = page.getByRole("combobox", { name: "Query" });
    await page.getByRole("columnheader", { name: "train/loss min" }).waitFor();
    for (const [written, meant] of [
      ["train/loss min < 0.15", "metric.train/loss.min < 0.15"],
      ["train/loss.max < 0.5", "metric.train/loss.max < 0.5"],
      ["optimizer = adamw", "meta.optimizer.name = adamw"],
    ]) {
      await query.fill(written);
      const field = meant.split(" ")[0];
      await page.getByRole("button", { name: `use ${field}`, exact: true }).waitFor();
      await query.press("Enter");
      assert.equal(await query.inputValue(), meant);
    }
  });

  test("in a folder a name means what its experiments have", async () => {
    const { client } = pages;
    const { folderId } = await client.folders.create("near-names");
    for (const [slug, meta, more] of [
      ["far/flat", { rate: 1 }, {}],
      ["far/nested", { schedule: { rate: 2 } }, { folderId }],
      ["far/other", { schedule: { rate: 3 } }, { folderId }],
    ] as const) {
      const recorder = await client.record({ slug, meta, ...more });
      await recorder.finish();
    }
    await counted(client);
    const { page } = await pages.open(`/experiments?folder=${folderId}`);
    const query = page.getByRole("combobox", { name: "Query" });
    await page.getByRole("columnheader", { name: "schedule.rate" }).waitFor();
    await query.fill("rate > 2.5");
    await page.getByRole("button", { name: "use meta.schedule.rate", exact: true }).waitFor();
    await query.press("Enter");
    assert.equal(await query.inputValue(), "meta.schedule.rate > 2.5");
    await page.getByText("1 found", { exact: true }).waitFor();
    await query.fill("config.rate > 0.5");
    await page.getByText("No experiment here has meta.rate.").waitFor();
    await page.getByRole("button", { name: "meta.schedule.rate", exact: true }).click();
    await page.getByText("2 found", { exact: true }).waitFor();
  });

  test("an address with a query that cannot be read says so in place of the rows", async () => {
    const { page } = await pages.open("/experiments?q=optimizer.lr < 0.15");
    await page.getByText("The query cannot be read, so no experiments are shown.").waitFor();
    const body = page.locator(".unread");
    await body.getByRole("button", { name: "use meta.optimizer.lr", exact: true }).click();
    await page.getByText("1 found", { exact: true }).waitFor();
    const query = page.getByRole("combobox", { name: "Query" });
    assert.equal(await query.inputValue(), "meta.optimizer.lr < 0.15");
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

  test("each query that was applied is a step of the history, also in one visit to the field", async () => {
    const { page } = await pages.open("/experiments?q=slug ~ near/");
    await page.getByText("2 found", { exact: true }).waitFor();
    const query = page.getByRole("combobox", { name: "Query" });
    const [low, high] = ["near/ meta.optimizer.lr < 0.15", "near/ meta.optimizer.lr < 0.3"];
    await query.fill(low);
    // At once after the last key.
    await query.press("Enter");
    await page.getByText("1 found", { exact: true }).waitFor();
    await query.fill(high);
    await page.getByText("2 found", { exact: true }).waitFor();
    // As long as a pause between two queries.
    await page.waitForTimeout(1_200);
    await query.fill(`${high} quantum`);
    await page.getByText("0 found", { exact: true }).waitFor();
    for (const before of [high, low, "slug ~ near/"]) {
      await page.goBack();
      await until(async () => assert.equal(await query.inputValue(), before));
    }
  });
});
