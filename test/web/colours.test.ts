import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { LosslessClient } from "@lossless/client";
import type { Page } from "playwright-core";
import { faultsInAllLooks } from "./axe.ts";
import { pagesSuite } from "./pages-suite.ts";
import { counted } from "./recorded-runs.ts";

pagesSuite("colours chosen for experiments", (pages) => {
  let client: LosslessClient;
  const ids: string[] = [];

  before(async () => {
    ({ client } = pages);
    for (const name of ["one", "two", "three"]) {
      const recorder = await client.record({ slug: `coloured/${name}`, meta: {} });
      for (const step of [1, 2, 3]) recorder.record("loss", step, step);
      await recorder.finish();
      ids.push(recorder.experimentId);
    }
    await counted(client);
  });

  const colourOf = async (experimentId: string) =>
    (await client.experiment({ experimentId })).meta._colour;

  /** The classes of the sign that has an experiment's colour. */
  const dotOf = (page: Page, name: string) =>
    page.getByRole("button", { name: `Colour of coloured/${name}` });

  const dialog = (page: Page, name = "Colour") => page.getByRole("dialog", { name, exact: true });

  test("one is chosen at the name, for several at once, and taken back", async () => {
    const { page } = await pages.open("/experiments?q=slug ~ coloured/&sort=slug");
    await page.getByText("3 found", { exact: true }).waitFor();
    await dotOf(page, "one").click();
    await dialog(page).waitFor();
    assert.deepEqual(await faultsInAllLooks(page), []);
    await page.getByRole("button", { name: "colour 3" }).click();
    await page.getByText("Colours of 1 experiment were changed.").waitFor();
    await page.locator(".dot.line-2[aria-label$='coloured/one']").waitFor();
    assert.equal(await colourOf(ids[0]), 3);
    for (const name of ["one", "two", "three"])
      await page.getByRole("checkbox", { name: `tick coloured/${name}` }).click();
    await page.getByLabel("More actions").click();
    await page.getByRole("button", { name: "colour…" }).click();
    await dialog(page, "Colour of 3 experiments").waitFor();
    await page.getByRole("button", { name: "colour 8" }).click();
    await page.getByText("Colours of 3 experiments were changed.").waitFor();
    assert.deepEqual(await Promise.all(ids.map(colourOf)), [8, 8, 8]);
    await page.getByRole("button", { name: "undo" }).click();
    await page.getByText("The former colours of 3 experiments were restored.").waitFor();
    assert.deepEqual(await Promise.all(ids.map(colourOf)), [3, undefined, undefined]);
    await counted(client);
    const { rows } = await client.views.experiments({ query: "slug ~ coloured/", limit: 10 });
    assert.deepEqual(
      new Map(rows.map(({ slug, colour }) => [slug, colour])).get("coloured/one"),
      3,
    );
    assert.equal(rows.filter((row) => "colour" in row).length, 1);
  });

  test("it is that of its lines, in comparisons and on its own page", async () => {
    const { page } = await pages.open(`/compare?e=${ids.join(",")}`);
    const two = page.locator(".compared li", { hasText: "coloured/two" });
    await two.getByRole("button", { name: "coloured/two done" }).focus();
    await page.keyboard.press("c");
    await dialog(page).waitFor();
    await page.getByRole("button", { name: "colour 3" }).click();
    await two.locator(".swatch.line-2").waitFor();
    const swatches = page.locator(".compared .swatch.line-2");
    assert.equal(await swatches.count(), 2);
    // The same colour twice is told apart by its pattern.
    const looks = await swatches.evaluateAll((all) => all.map(({ className }) => className));
    assert.equal(new Set(looks).size, 2);
    await page.goto(`${pages.service.baseUrl}/experiments/${ids[1]}`);
    await page.getByLabel("More actions").click();
    await page.getByRole("button", { name: "colour…" }).click();
    await page.getByRole("button", { name: "colour 3", pressed: true }).waitFor();
    await page.getByRole("button", { name: "automatic" }).click();
    await page.getByText("Colours of 1 experiment were changed.").waitFor();
    assert.equal(await colourOf(ids[1]), undefined);
  });

  test("the menu of a cell leads to it by keys", async () => {
    const { page } = await pages.open("/experiments?q=slug ~ coloured/&sort=slug");
    await page.getByText("3 found", { exact: true }).waitFor();
    await page.getByRole("grid").focus();
    for (const key of ["ArrowDown", "Shift+F10"]) await page.keyboard.press(key);
    await page.getByRole("menuitem", { name: "colour…" }).waitFor();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await dialog(page).waitFor();
    await page.keyboard.press("Escape");
    await dialog(page).waitFor({ state: "detached" });
  });
});
