import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { before, test } from "node:test";
import type { BrowserContextOptions, Download, Page } from "playwright-core";
import { faultsInAllLooks } from "./axe.ts";
import { pagesSuite, type Visitor } from "./pages-suite.ts";
import { pngSignature } from "./png-file.ts";
import { counted, recordRun } from "./recorded-runs.ts";

pagesSuite("pictures for a paper", (pages) => {
  let run: string;
  const ids: string[] = [];

  before(async () => {
    const { client } = pages;
    run = await recordRun(pages);
    for (const [at, name] of ["first <b>", "second", "third"].entries()) {
      const recorder = await client.record({
        slug: `picture-${at}`,
        meta: { _name: name, seed: at % 2 },
      });
      for (let step = 0; step < 300; step++) recorder.record("loss", at + 1 / (1 + step), step);
      await recorder.finish();
      ids.push(recorder.experimentId);
    }
    await counted(client);
  });

  const dialogOf = async (address: string, series: string, options: Visitor = {}) => {
    const opened = await pages.open(address, options);
    const { page } = opened;
    const chart = page.locator(`figure[data-series='${series}']`).first();
    await chart.locator("canvas").first().waitFor();
    await chart.getByLabel(`Menu of ${series}`).click();
    await chart.getByRole("button", { name: "picture as PNG or SVG…" }).click();
    const dialog = page.getByRole("dialog", { name: `Picture of ${series}` });
    await dialog.getByRole("img").waitFor();
    return { ...opened, chart, dialog };
  };

  const downloaded = async (page: Page, act: () => Promise<void>) => {
    const saved = page.waitForEvent("download");
    await act();
    return saved;
  };
  const contentOf = async (download: Download) => readFile(await download.path());
  /** Width, height and dots a metre of a PNG. */
  const sizeOfPng = (png: Buffer) => {
    assert.ok(png.subarray(0, 8).equals(pngSignature));
    assert.equal(png.toString("latin1", 37, 41), "pHYs");
    return [png.readUInt32BE(16), png.readUInt32BE(20), png.readUInt32BE(41)];
  };

  for (const [look, options] of Object.entries({
    light: {},
    "dark, two pixels": { deviceScaleFactor: 2, colorScheme: "dark" },
  } satisfies Record<string, BrowserContextOptions>))
    test(`a chart is saved in the chosen size, on white, with all its peaks: ${look}`, async () => {
      const address = `/experiments/${run}?tab=charts`;
      const { page, dialog, seen } = await dialogOf(address, "loss", options);
      await dialog.getByLabel("title").fill('A "spike" & <more>');
      await dialog.getByLabel("label of y").fill("cross entropy");
      await dialog.getByRole("checkbox", { name: /signs of checkpoints/ }).setChecked(true);
      const save = (name: string) => dialog.getByRole("button", { name }).click();
      const svgFile = await downloaded(page, () => save("Save SVG"));
      assert.equal(svgFile.suggestedFilename(), "loss.svg");
      const svg = (await contentOf(svgFile)).toString();
      assert.match(svg, /width="85mm" height="60mm"/);
      assert.match(svg, />A &quot;spike&quot; &amp; &lt;more&gt;<\/text>/);
      assert.match(svg, />cross entropy<\/text>/);
      assert.doesNotMatch(svg, /foreignObject|href|<style|NaN/);
      // The spike of one step in 20,000 is the highest point, right below the upper edge.
      const unit = Number(/scale\(([\d.]+)\)"><g clip-path/.exec(svg)![1]);
      const heights = [...svg.matchAll(/V(-?[\d.]+)/g)].map(([, y]) => Number(y) * unit);
      assert.ok(Math.min(...heights) < 9, `the highest is ${Math.min(...heights)} px below`);
      const colours = new Set([...svg.matchAll(/#[0-9a-f]{6}/g)].map(([colour]) => colour));
      assert.ok(colours.has("#ffffff") && colours.has("#1b211e"), [...colours].join());
      assert.ok(!colours.has("#e6ebe8"), "text of the dark theme");
      const png = await contentOf(await downloaded(page, () => save("Save PNG")));
      assert.deepEqual(sizeOfPng(png), [1_004, 709, 11_811]);
      await dialog.getByText("Saved 1,004 × 709 pixels.").waitFor();
      await dialog
        .getByRole("combobox", { name: "size", exact: true })
        .selectOption({ label: "half a slide, 960 × 540 px" });
      const slide = await contentOf(await downloaded(page, () => save("Save PNG")));
      assert.deepEqual(sizeOfPng(slide).slice(0, 2), [960, 540]);
      assert.deepEqual(seen.problems, []);
    });

  test("sizes are chosen by the keyboard, kept for the next picture, and wrong ones explained", async () => {
    const { page, dialog, chart } = await dialogOf(`/experiments/${run}?tab=charts`, "delta");
    await dialog.getByLabel("unit").selectOption("in");
    assert.equal(await dialog.getByLabel("width", { exact: true }).inputValue(), "3.35");
    await dialog.getByLabel("dots per inch").fill("90000");
    await dialog.getByRole("alert").getByText("Dots per inch: from 72 to 1200.").waitFor();
    assert.equal(await dialog.getByRole("button", { name: "Save SVG" }).isDisabled(), true);
    await dialog.getByLabel("dots per inch").fill("600");
    await dialog.getByText("PNG: 2,010 × 1,416 pixels").waitFor();
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    await chart.getByLabel("Menu of delta").focus();
    await page.keyboard.press("Enter");
    await chart.getByRole("button", { name: "picture as PNG or SVG…" }).focus();
    await page.keyboard.press("Enter");
    assert.equal(await dialog.getByLabel("dots per inch").inputValue(), "600");
  });

  test("a comparison has names that can be chosen, and groups their bands", async () => {
    const { page, dialog } = await dialogOf(`/compare?e=${ids.join()}`, "loss");
    await dialog.getByText("names in the legend").click();
    await dialog.getByLabel("Name of second").fill("baseline");
    await dialog.getByLabel("Name of third").fill("");
    const save = () => dialog.getByRole("button", { name: "Save SVG" }).click();
    const svg = (await contentOf(await downloaded(page, save))).toString();
    const texts = [...svg.matchAll(/>([^<>]+)<\/text>/g)].map(([, text]) => text);
    assert.ok(texts.includes("first &lt;b&gt;") && texts.includes("baseline"), texts.join("; "));
    assert.ok(!texts.includes("third"));
    await page.goto(`${pages.service.baseUrl}/compare?e=${ids.join()}&group=meta.seed`);
    const chart = page.locator("figure[data-series='loss']");
    await chart.getByText(/lines are means/).waitFor();
    await chart.getByLabel("Menu of loss").click();
    await chart.getByRole("button", { name: "picture as PNG or SVG…" }).click();
    await dialog.getByRole("img").waitFor();
    const groups = (await contentOf(await downloaded(page, save))).toString();
    assert.match(groups, /fill-opacity="0.22"/);
    assert.match(groups, />seed<\/text>[^]*>0<\/text>/);
  });

  test("a picture is copied, where the browser lets pages copy", async () => {
    const { page, dialog } = await dialogOf(`/experiments/${run}?tab=charts`, "loss");
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await dialog.getByRole("button", { name: "Copy as image" }).click();
    await dialog.getByText("Copied.").waitFor();
    const copied = await page.evaluate<[string[], number]>(`(async () => {
      const [item] = await navigator.clipboard.read();
      const image = await createImageBitmap(await item.getType("image/png"));
      return [item.types, image.width];
    })()`);
    assert.deepEqual(copied, [["image/png"], 1_004]);
  });

  test("points are saved as Parquet from the same menu, and the dialog has no fault", async () => {
    const { page, dialog, chart } = await dialogOf(`/experiments/${run}?tab=charts`, "loss");
    assert.deepEqual(await faultsInAllLooks(page), []);
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    await chart.getByLabel("Menu of loss").click();
    const saved = await downloaded(page, () =>
      chart.getByRole("link", { name: "whole series as Parquet" }).click(),
    );
    const file = await contentOf(saved);
    assert.equal(file.toString("latin1", 0, 4), "PAR1");
    assert.equal(file.toString("latin1", file.length - 4), "PAR1");
  });
});
