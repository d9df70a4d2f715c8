import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { LosslessClient } from "@lossless/client";
import type { Page } from "playwright-core";
import { faultsInAllLooks } from "./axe.ts";
import { pagesSuite } from "./pages-suite.ts";

const metrics = [
  "lr",
  "train/acc",
  "train/grad",
  "train/loss",
  "train/norm",
  "val/acc",
  "val/loss",
  "val/norm",
  "val/time",
];

/** As far as it is looked at. */
interface Figure {
  dataset: { series: string };
}

pagesSuite("a workspace of charts", (pages) => {
  const { people } = pages;
  let client: LosslessClient;
  /** Experiments by slug: two in a folder, one in none. */
  const ids = new Map<string, string>();
  let folderId: string;

  before(async () => {
    ({ client } = pages);
    folderId = (await client.folders.ensure(["team"]))!;
    for (const slug of ["in-1", "in-2", "out"]) ids.set(slug, await recordOne(slug));
    for (const slug of ["in-1", "in-2"])
      await client.moveExperiment({ experimentSlug: slug }, folderId);
  });

  async function recordOne(slug: string): Promise<string> {
    const recorder = await client.record({ slug, meta: {} });
    for (let step = 0; step < 50; step++)
      for (const [at, name] of metrics.entries()) recorder.record(name, at + Math.cos(step), step);
    await recorder.finish();
    return recorder.experimentId;
  }

  const charts = (slug: string) => `/experiments/${ids.get(slug)}?tab=charts`;
  const button = (page: Page, name: string | RegExp) =>
    page.getByRole("button", { name, exact: typeof name === "string" });
  /** The charts in their order, by their first metric. */
  const shown = (page: Page) =>
    page
      .locator("figure.chart")
      .evaluateAll((figures) =>
        figures.map((figure) => (figure as unknown as Figure).dataset.series),
      );

  async function open(slug: string, person: keyof typeof people): Promise<Page> {
    const { page } = await pages.open(charts(slug), { person });
    await page.locator("figure.chart").first().waitFor();
    return page;
  }

  async function choose(page: Page, series: string, entry: string): Promise<void> {
    const figure = page.locator(`figure[data-series='${series}']`).first();
    await figure.scrollIntoViewIfNeeded();
    await figure.locator(".menu summary").click();
    await button(page, entry).click();
  }

  async function save(page: Page, place: string): Promise<void> {
    await page.getByLabel("Save the arrangement").click();
    await button(page, place).click();
    await page.getByText("changed, not saved").waitFor({ state: "detached" });
  }

  async function removeAll(): Promise<void> {
    for (const person of ["ada", "max"] as const) {
      const { workspaces } = await pages.clientOf(person);
      for (const one of await workspaces.list()) await workspaces.delete(one).catch(() => {});
    }
  }

  test("a pin is saved for oneself: the next visit and the next run have it, a colleague has not", async () => {
    const page = await open("in-1", "max");
    assert.deepEqual((await shown(page)).slice(0, 2), ["train/acc", "train/loss"]);
    await choose(page, "val/loss", "pin to the top");
    await page.waitForURL(/pin=val/);
    await page.getByText("changed, not saved").waitFor();
    assert.equal((await shown(page))[0], "val/loss");
    await save(page, "for me");
    assert.equal(new URL(page.url()).searchParams.get("pin"), null);
    for (const slug of ["in-1", "out"]) {
      await page.goto(new URL(charts(slug), page.url()).href);
      await page.getByLabel("arranged for me", { exact: true }).waitFor();
      assert.equal((await shown(page))[0], "val/loss");
    }
    const other = await open("in-1", "ada");
    assert.equal((await shown(other))[0], "train/acc");
    await removeAll();
  });

  test("a colleague sees what is saved for everyone in the folder, and only there", async () => {
    const page = await open("in-1", "max");
    await choose(page, "train/grad", "hide");
    await page.getByText("changed, not saved").waitFor();
    await save(page, "for everyone in this folder");
    const other = await open("in-2", "ada");
    await other.getByLabel("arranged for everyone in the folder").waitFor();
    assert.ok(!(await shown(other)).includes("train/grad"));
    await other.locator("details.section > summary", { hasText: "hidden" }).click();
    await choose(other, "train/grad", "show again");
    await other.getByText("changed, not saved").waitFor();
    await button(other, "as before").click();
    await other.getByText("changed, not saved").waitFor({ state: "detached" });
    await other.goto(new URL(charts("out"), other.url()).href);
    await other.locator("figure.chart").first().waitFor();
    assert.ok((await shown(other)).includes("train/grad"));
    // The page shows what it would show by itself, too.
    await page.getByLabel("arranged for everyone in the folder").click();
    await button(page, "usual order").click();
    await page.waitForURL(/workspace=none/);
    assert.ok((await shown(page)).includes("train/grad"));
    await removeAll();
  });

  test("charts are moved by the arrows and by a drag, and undo takes it back", async () => {
    const page = await open("in-1", "max");
    await button(page, "arrange").click();
    const handle = page.getByRole("button", { name: "Move train/acc" });
    await handle.focus();
    await page.keyboard.press("ArrowRight");
    await page.getByText("train/acc is 2 of 4 in train.").waitFor({ state: "attached" });
    assert.deepEqual((await shown(page)).slice(0, 2), ["train/loss", "train/acc"]);
    await page.keyboard.press("ArrowRight");
    await page.getByText("train/acc is 3 of 4 in train.").waitFor({ state: "attached" });
    assert.deepEqual((await shown(page)).slice(0, 3), ["train/loss", "train/grad", "train/acc"]);
    await button(page, "undo").click();
    await page.waitForFunction(
      "document.querySelectorAll('figure.chart')[1].dataset.series === 'train/acc'",
    );
    await page.evaluate("scrollTo(0, 0)");
    const from = (await page.getByRole("button", { name: "Move train/loss" }).boundingBox())!;
    const over = (await page.locator(".placed[data-key='train/acc']").boundingBox())!;
    await page.mouse.move(from.x + 5, from.y + 5);
    await page.mouse.down();
    await page.mouse.move(over.x + over.width * 0.8, over.y + 40, { steps: 4 });
    await page.mouse.up();
    await page.getByText("train/loss is 2 of 4 in train.").waitFor({ state: "attached" });
    await button(page, "done").click();
    await page.reload();
    await page.getByText("changed, not saved").waitFor();
    assert.deepEqual((await shown(page)).slice(0, 3), ["train/acc", "train/loss", "train/grad"]);
  });

  test("a chart has several metrics by names and a pattern, a title and axes of its own", async () => {
    const page = await open("in-1", "max");
    await choose(page, "train/loss", "metrics, axes, size…");
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Title").fill("Losses");
    await dialog.getByRole("button", { name: "+ val/loss" }).click();
    await dialog.getByRole("searchbox").fill("*/acc");
    await dialog.getByRole("button", { name: /^add all that \*\/acc finds: 2 now/ }).click();
    await dialog.getByLabel("y scale").selectOption("log");
    await dialog.getByLabel("x from").fill("10");
    await dialog.getByLabel("x to").fill("20");
    await dialog.getByRole("button", { name: "Apply" }).click();
    const chart = page.locator("figure[data-series='train/loss']");
    await chart.getByRole("heading", { name: "Losses" }).waitFor();
    for (const name of ["train/loss", "val/loss", "train/acc", "val/acc"])
      await chart.locator(".readings").getByText(name).first().waitFor();
    await chart.getByText(/^[4-9]\d points, not sampled/).waitFor();
    // The page and its other charts have all points.
    await page
      .locator("figure[data-series='train/acc']")
      .getByText(/^50 points/)
      .waitFor();
    const address = page.url().replace(ids.get("in-1")!, ids.get("in-2")!);
    await page.goto(address);
    await chart.getByRole("heading", { name: "Losses" }).waitFor();
    await choose(page, "train/loss", "metrics, axes, size…");
    assert.equal(await dialog.getByLabel("y scale").inputValue(), "log");
    assert.equal(await dialog.getByLabel("x to").inputValue(), "20");
  });

  test("in a comparison such a chart has a colour for each run and a pattern for each metric", async () => {
    const layout = { pinned: ["both"], charts: [{ key: "both", lines: ["*/loss"] }] };
    const two = ["in-1", "in-2"].map((slug) => ids.get(slug)).join(",");
    const query = new URLSearchParams({ e: two, layout: JSON.stringify(layout) });
    const { page } = await pages.open(`/compare?${query.toString()}`);
    const chart = page.locator("figure.chart").first();
    await chart.getByRole("heading", { name: "train/loss, val/loss" }).waitFor();
    await chart.locator(".readings .swatch").nth(3).waitFor();
    const looks = await chart
      .locator(".readings > :not(.at)")
      .evaluateAll((lines) =>
        lines.map((line) => [
          (
            line as unknown as { querySelector(s: string): { className: string } | null }
          ).querySelector(".swatch")!.className,
          (
            line as unknown as { querySelector(s: string): { textContent: string } | null }
          ).querySelector(".unseen")!.textContent,
        ]),
      );
    const of = (text: string) => looks.find(([, name]) => name === text)![0].split(" ");
    const [first, second] = ["in-1", "in-2"].map((run) => ({
      train: of(`${run} train/loss`),
      val: of(`${run} val/loss`),
    }));
    for (const run of [first, second]) assert.equal(run.train[1], run.val[1], "one colour a run");
    assert.notEqual(first.train[1], second.train[1]);
    assert.notEqual(first.train[2], first.val[2], "another pattern for another metric");
    assert.equal(first.val[2], second.val[2]);
  });

  test("two metrics are combined at each step: exact values, what has none, files and a report", async () => {
    const recorder = await client.record({ slug: "ratio", meta: {} });
    for (let step = 0; step < 40; step++) {
      recorder.record("tokens", 6 * (step + 1), step);
      // Every second step, and 0 at step 20.
      if (step % 2 === 0) recorder.record("seconds", step === 20 ? 0 : 4, step);
    }
    await recorder.finish();
    ids.set("ratio", recorder.experimentId);
    const page = await open("ratio", "max");
    await button(page, "arrange").click();
    await button(page, "+ chart").click();
    const dialog = page.getByRole("dialog");
    for (const name of ["seconds", "tokens"])
      await dialog.getByRole("button", { name: `+ ${name}` }).click();
    await dialog.getByLabel("drawn as").selectOption({ label: "tokens ÷ seconds" });
    assert.deepEqual(await faultsInAllLooks(page), []);
    await dialog.getByRole("button", { name: "Add" }).click();
    const chart = page.locator("figure.chart", { hasText: "tokens ÷ seconds" });
    await chart
      .getByText(
        "19 points, not sampled, no value at 20 steps that only one has, " +
          "none at 1 step where the result is not finite",
      )
      .waitFor();
    await chart.locator(".readings").getByText("58.5").waitFor();
    await button(page, "done").click();
    await page.reload();
    await chart.locator(".menu summary").click();
    const file = chart.getByRole("link", { name: "every point as CSV" });
    const address = new URL((await file.getAttribute("href"))!, page.url()).href;
    const text = await (
      await page.request.get(address, { headers: { "sec-fetch-site": "same-origin" } })
    ).text();
    assert.deepEqual(
      text
        .trim()
        .split("\n")
        .slice(1, 3)
        .map((row) => [row.split(",")[1], row.split(",")[3]]),
      [
        ["0", "1.5"],
        ["2", "4.5"],
      ],
    );
    assert.equal(await chart.getByText("move the series to the trash").count(), 0);
    await chart.getByRole("button", { name: "add to a report…" }).click();
    await dialog.getByRole("button", { name: "+ report" }).click();
    await dialog.getByLabel("Name").fill("Ratios");
    await dialog.getByRole("button", { name: "Create" }).click();
    await dialog.getByRole("link").click();
    await page
      .locator("figure.chart", { hasText: "tokens ÷ seconds" })
      .locator(".readings")
      .getByText("58.5")
      .waitFor();
  });

  test("who saves over somebody's change is told, and earlier versions are taken back", async () => {
    const page = await open("in-1", "max");
    await choose(page, "val/loss", "pin to the top");
    await page.getByText("changed, not saved").waitFor();
    await save(page, "for everyone");
    const other = await open("in-1", "ada");
    await choose(other, "val/acc", "pin to the top");
    await save(other, "for everyone");
    await choose(page, "lr", "hide");
    await page.getByLabel("Save the arrangement").click();
    await button(page, "for everyone").click();
    await page.getByText(`${people.ada.email} has changed this workspace`).waitFor();
    await page.getByText("changed, not saved").waitFor();
    await button(page, "as before").click();
    await page.getByText("changed, not saved").waitFor({ state: "detached" });
    assert.deepEqual((await shown(page)).slice(0, 2), ["val/loss", "val/acc"]);
    await page.getByLabel("arranged for everyone", { exact: true }).click();
    await button(page, "earlier versions…").click();
    await button(page, "show version 1").click();
    await save(page, "for everyone");
    await other.reload();
    await other.locator("figure.chart").first().waitFor();
    await other.getByLabel("arranged for everyone", { exact: true }).waitFor();
    assert.deepEqual((await shown(other)).slice(0, 2), ["val/loss", "train/acc"]);
    await removeAll();
  });

  test("a copied link shows what its sender saw, whatever the reader has saved", async () => {
    const max = await pages.clientOf("max");
    await max.workspaces.save({ scope: "own", revision: 0, layout: { pinned: ["val/time"] } });
    const ada = await pages.clientOf("ada");
    await ada.workspaces.save({ scope: "own", revision: 0, layout: { pinned: ["lr"] } });
    const page = await open("out", "max");
    await page.getByLabel("arranged for me", { exact: true }).waitFor();
    const link = (await button(page, "copy link").getAttribute("title"))!;
    const { page: other } = await pages.open(charts("out"), { person: "ada" });
    await other.getByLabel("arranged for me", { exact: true }).waitFor();
    assert.equal((await shown(other))[0], "lr");
    await other.goto(link);
    await other.getByText("changed, not saved").waitFor();
    assert.equal((await shown(other))[0], "val/time");
    await removeAll();
  });

  test("sections are made by patterns, and new metrics find their place", async () => {
    const page = await open("out", "max");
    await button(page, "arrange").click();
    await button(page, "+ section").click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name").fill("Losses");
    await dialog.getByRole("searchbox").fill("*/loss");
    await dialog.getByRole("button", { name: /^add all that/ }).click();
    await dialog.getByRole("button", { name: "Add", exact: true }).click();
    await page.locator("details.section summary").first().getByText("Losses").waitFor();
    assert.deepEqual((await shown(page)).slice(0, 2), ["train/loss", "val/loss"]);
    await save(page, "for me");
    const id = await recordWith("with-test-loss", "test/loss");
    await page.goto(new URL(`/experiments/${id}?tab=charts`, page.url()).href);
    await page.locator("details.section summary").first().getByText("Losses").waitFor();
    assert.deepEqual((await shown(page)).slice(0, 2), ["test/loss", "train/loss"]);
    await removeAll();
  });

  async function recordWith(slug: string, extra: string): Promise<string> {
    const recorder = await client.record({ slug, meta: {} });
    for (const name of [...metrics, extra]) recorder.record(name, 1, 1);
    await recorder.finish();
    return recorder.experimentId;
  }

  test("what is searched stands in one grid", async () => {
    const page = await open("out", "max");
    await page.getByRole("searchbox", { name: "Search the charts" }).fill("norm");
    await page.waitForFunction("document.querySelectorAll('figure.chart').length === 2");
    assert.equal(await page.locator("details.section").count(), 1);
  });

  test("it is accessible while charts are arranged, and in its dialogs", async () => {
    const page = await open("out", "max");
    const faults: string[] = [];
    const look = async (name: string) => {
      for (const fault of await faultsInAllLooks(page)) faults.push(`${name}, ${fault}`);
    };
    await choose(page, "val/loss", "pin to the top");
    await button(page, "arrange").click();
    await page.getByRole("button", { name: "Move val/loss" }).waitFor();
    await look("arranging");
    await page.getByRole("button", { name: "Settings of val/loss" }).click();
    await look("settings");
    await button(page, "Close").click();
    await button(page, "+ section").click();
    await look("new section");
    await button(page, "Close").click();
    await button(page, "+ chart").click();
    await look("new chart");
    await button(page, "Close").click();
    await button(page, "done").click();
    await page.getByLabel("Save the arrangement").click();
    await look("save");
    assert.deepEqual(faults, []);
  });
});
