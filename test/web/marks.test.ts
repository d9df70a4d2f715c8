import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { LosslessClient } from "@lossless/client";
import type { Page } from "playwright-core";
import { faultsInAllLooks } from "./axe.ts";
import { pagesSuite } from "./pages-suite.ts";
import { counted } from "./recorded-runs.ts";
import { until } from "./until.ts";

pagesSuite("names, best values and the baseline in a browser", (pages) => {
  let client: LosslessClient;

  before(async () => {
    ({ client } = pages);
    for (let at = 0; at < 4; at++) {
      const recorder = await client.record({ slug: `run/${at}`, meta: { lr: at / 8 } });
      recorder.record("val/loss", 4 - at, 0);
      recorder.record("accuracy", at / 8, 0);
      recorder.record("speed", 100 + at, 0);
      await recorder.finish();
    }
    const diverged = await client.record({ slug: "run/nan", meta: {} });
    diverged.record("accuracy", Number.NaN, 0);
    diverged.record("val/loss", 9, 0);
    await diverged.finish();
    for (let from = 0; from < 520; from += 40)
      await Promise.all(
        Array.from({ length: 40 }, async (_, at) => {
          const recorder = await client.record({ slug: `more/${from + at}` });
          recorder.record("val/loss", 5 + from + at, 0);
          await recorder.finish();
        }),
      );
    await counted(client);
  });

  const table = async (address: string, options = {}) => {
    const { page } = await pages.open(`/experiments?${address}`, options);
    await page.getByRole("grid").waitFor();
    return page;
  };
  const row = (page: Page, slug: string) =>
    page.getByRole("row", { name: new RegExp(`tick ${slug} `) });
  const openMenu = async (page: Page, slug: string, column: number) => {
    const cell = row(page, slug).getByRole("gridcell").nth(column);
    // Beside the name, which is a link.
    await cell.click({ position: { x: 3, y: 3 } });
    await cell.getByRole("button", { name: "Actions" }).click();
    await page.getByRole("menu").waitFor();
  };
  const columns = "cols=metric.val/loss.min, metric.accuracy, metric.speed, meta.lr";

  test("the best values are marked by the goal of a column, and NaN is none", async () => {
    const page = await table(`q=slug ~ run/*&${columns}&sort=slug`);
    await page.getByText("5 found", { exact: true }).waitFor();
    await row(page, "run/3").getByRole("img", { name: "best" }).nth(1).waitFor();
    assert.equal(await page.getByRole("img", { name: "best" }).count(), 2);
    await openMenu(page, "run/0", 4);
    await page.getByRole("menuitem", { name: "mark the least value as best" }).click();
    await page.waitForURL(/best=least\+speed/);
    await row(page, "run/0").getByRole("img", { name: "best" }).waitFor();
    await page.reload();
    await row(page, "run/0").getByRole("img", { name: "best" }).waitFor();
  });

  test("the best of many is that of all found, though few are read", async () => {
    const page = await table("cols=metric.val/loss.min&sort=metric.val/loss.min desc");
    await page.getByText("525 found", { exact: true }).waitFor();
    await page.getByRole("grid").focus();
    assert.equal(await page.getByRole("img", { name: "best" }).count(), 0);
    await page.keyboard.press("End");
    await row(page, "run/3").getByRole("img", { name: "best" }).waitFor();
    assert.equal(await page.getByRole("img", { name: "best" }).count(), 1);
  });

  test("a baseline shows differences that are better or worse by the goal, and is in the address", async () => {
    const page = await table(`q=slug ~ run/*&${columns}&sort=slug`);
    await openMenu(page, "run/1", 1);
    assert.deepEqual(await faultsInAllLooks(page), []);
    await page.setViewportSize({ width: 1_280, height: 720 });
    await page.getByRole("menuitem", { name: "use as the baseline" }).click();
    await page.waitForURL(/base=/);
    const below = (slug: string, differences: string[]) =>
      until(async () => {
        assert.deepEqual(await row(page, slug).locator("small").allInnerTexts(), differences);
      });
    await below("run/3", ["−2 better", "+0.25 better", "+2", "+0.25"]);
    await below("run/0", ["+1 worse", "−0.125 worse", "−1", "−0.125"]);
    await below("run/nan", ["+6 worse"]);
    // The baseline need not be found.
    await page.getByRole("combobox", { name: "Query" }).fill("slug = run/3");
    await page.getByText("1 found", { exact: true }).waitFor();
    await below("run/3", ["−2 better", "+0.25 better", "+2", "+0.25"]);
    await page.reload();
    await below("run/3", ["−2 better", "+0.25 better", "+2", "+0.25"]);
    await page.getByRole("button", { name: "remove the baseline" }).click();
    await page.waitForURL((url) => !url.searchParams.has("base"));
  });

  test("a cell's menu finds its value, and shows the query that it writes", async () => {
    const page = await table(`q=slug ~ run/*&${columns}&sort=slug`);
    await openMenu(page, "run/2", 5);
    await page.getByRole("menuitem", { name: "find meta.lr <= 0.25" }).click();
    await page.getByText("3 found", { exact: true }).waitFor();
    const query = await page.getByRole("combobox", { name: "Query" }).inputValue();
    assert.equal(query, "slug ~ run/* meta.lr <= 0.25");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Shift+F10");
    await page.getByRole("menuitem", { name: "open" }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("menu").waitFor({ state: "detached" });
    assert.equal(await page.evaluate("document.activeElement.getAttribute('role')"), "grid");
  });

  test("a filter is made of clicks, and shows the query that it writes", async () => {
    const page = await table("q=slug ~ run/1 or slug ~ run/2&cols=status");
    await page.getByText("2 found", { exact: true }).waitFor();
    await page.getByRole("button", { name: "+ filter" }).click();
    await page.getByLabel("Search fields").fill("loss val");
    await page.getByRole("button", { name: /^metric\.val\/loss in / }).click();
    await page.getByLabel("Statistic").selectOption("min");
    await page.getByLabel("Operator").selectOption("<=");
    await page.getByLabel("Value").fill("2");
    await page.getByText("(slug ~ run/1 or slug ~ run/2) metric.val/loss.min <= 2").waitFor();
    assert.deepEqual(await faultsInAllLooks(page), []);
    await page.setViewportSize({ width: 1_280, height: 720 });
    await page.getByRole("button", { name: "Add to the query" }).click();
    await page.getByText("1 found", { exact: true }).waitFor();
    await page.getByRole("button", { name: "+ filter" }).click();
    await page.getByRole("button", { name: "slug", exact: true }).click();
    await page.getByLabel("Operator").selectOption("~");
    await page.getByLabel("Value").fill("(no word");
    await page.getByText('slug ~ "(no word"').waitFor();
    await page.getByLabel("Operator").selectOption("has no value");
    await page.getByText("metric.val/loss.min <= 2 not slug").waitFor();
  });

  test("a run is renamed where it stands, and a name that another gave is kept", async () => {
    const page = await table(`q=slug ~ run/*&cols=status&sort=slug`);
    await page.getByText("5 found", { exact: true }).waitFor();
    await page.getByRole("grid").focus();
    await page.keyboard.press("Home");
    await page.keyboard.press("F2");
    const field = page.getByLabel("Name of run/0");
    await field.fill("the first one");
    await page.keyboard.press("Enter");
    await page.getByText("run/0 is now called the first one.").waitFor();
    await page.getByRole("link", { name: "the first one" }).waitFor();
    const { experimentId, meta } = await client.experiment({ experimentSlug: "run/0" });
    assert.equal(meta._name, "the first one");
    const read = page.waitForResponse((reply) =>
      (reply.request().postData() ?? "").includes("query.experiment"),
    );
    await page.keyboard.press("F2");
    await field.waitFor();
    await (await read).finished();
    await client.editExperiment({
      experimentId,
      meta: [{ path: ["_name"], before: "the first one", after: "by another" }],
    });
    await field.fill("mine");
    await page.keyboard.press("Enter");
    await page.getByText("was not renamed:").waitFor();
    assert.equal((await client.experiment({ experimentId })).meta._name, "by another");
    // The name itself is a link: a pencil beside it renames.
    await page.getByRole("link", { name: "by another" }).hover();
    await page.getByRole("button", { name: "Rename by another" }).click();
    await page.getByLabel("Name of run/0").fill("not this");
    await page.keyboard.press("Escape");
    await page.getByLabel("Name of run/0").waitFor({ state: "detached" });
    assert.equal((await client.experiment({ experimentId })).meta._name, "by another");
  });
});
