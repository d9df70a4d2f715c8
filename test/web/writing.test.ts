import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { LosslessClient } from "@lossless/client";
import type { Locator } from "playwright-core";
import type { Opened } from "./new-page.ts";
import { pagesSuite } from "./pages-suite.ts";

pagesSuite("what people write from the pages", (pages) => {
  const { people } = pages;
  let client: LosslessClient;

  before(() => {
    ({ client } = pages);
  });

  const open = (path: string): Promise<Opened> => pages.open(path);

  /** An experiment with a hundred points, whose run goes on. */
  async function run(slug: string, meta = {}, description = ""): Promise<string> {
    const recorder = await client.record({ slug, meta, description });
    // A start stands at the first of several points at one time, away from the marks made here.
    const timestampMs = Date.now() - 60_000;
    for (let step = 0; step < 100; step++)
      recorder.record("loss", 1 / (1 + step), step * 10, { timestampMs });
    await recorder.flush();
    return recorder.experimentId;
  }

  test("a description is edited, and who comes second sees what the first one wrote", async () => {
    const id = await run("described", {}, "by a program");
    const { page, seen } = await open(`/experiments/${id}?tab=charts`);
    await page.getByLabel("More actions").click();
    await page.getByRole("button", { name: "edit description…" }).click();
    const field = page.getByRole("dialog").getByRole("textbox");
    assert.equal(await field.inputValue(), "by a program");
    await client.editExperiment({
      experimentId: id,
      description: { before: "by a program", after: "by somebody else" },
    });
    await field.fill("by me\nin two lines");
    await page.keyboard.press("Control+Enter");
    await page.getByText("The value has changed in the meantime").waitFor();
    await page.getByRole("dialog").getByText("by somebody else").waitFor();
    assert.equal((await client.experiment({ experimentId: id })).description, "by somebody else");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await page.locator(".experiment-head .description", { hasText: "by me" }).waitFor();
    const { description } = await client.experiment({ experimentId: id });
    assert.equal(description, "by me\nin two lines");
    const opener = "document.activeElement.textContent";
    assert.equal(await page.evaluate(opener), "more ▾");
    // The refused edit is told to the console by the browser.
    assert.deepEqual(
      seen.problems.filter((text) => !text.includes("409")),
      [],
    );
  });

  test("keys of a meta are changed, added and removed, each with its kind", async () => {
    const meta = { lr: 0.1, optimizer: { name: "adamw", betas: [0.9, 0.95] }, old: "x" };
    const id = await run("metas", meta);
    const { page, seen } = await open(`/experiments/${id}?tab=meta`);
    const dialog = page.getByRole("dialog");
    const value = dialog.getByLabel("Value");
    const saved = async () => {
      await dialog.getByRole("button", { name: "Save" }).click();
      await dialog.waitFor({ state: "detached" });
    };
    await page.getByRole("button", { name: "edit lr", exact: true }).click();
    assert.equal(await dialog.getByLabel("Kind").inputValue(), "number");
    await value.fill("3e-4x");
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.getByText("Enter a number").waitFor();
    await value.fill("3e-4");
    await saved();
    await page.getByText("0.0003", { exact: true }).waitFor();
    await page.getByRole("button", { name: "edit optimizer.name" }).click();
    await dialog.getByLabel("Kind").selectOption("true or false");
    await value.selectOption("true");
    await saved();
    await page.getByRole("button", { name: "edit optimizer.betas" }).click();
    await value.fill("[0.8, null]");
    await saved();
    await page.getByRole("button", { name: "+ key in optimizer" }).click();
    await dialog.getByLabel("Name in optimizer").fill("of.a.kind");
    await value.fill("12");
    await saved();
    await page.getByRole("button", { name: "+ key", exact: true }).click();
    await dialog.getByLabel("Name").fill("count");
    await dialog.getByLabel("Kind").selectOption("number");
    await value.fill("12");
    await saved();
    await page.getByRole("button", { name: "edit old" }).click();
    await dialog.getByRole("button", { name: "Remove this key" }).click();
    await dialog.waitFor({ state: "detached" });
    await page.getByRole("button", { name: "edit old" }).waitFor({ state: "detached" });
    assert.deepEqual((await client.experiment({ experimentId: id })).meta, {
      lr: 3e-4,
      optimizer: { name: true, betas: [0.8, null], "of.a.kind": "12" },
      count: 12,
    });
    assert.deepEqual(seen.problems, []);
  });

  test("a key that somebody else has set meanwhile is not lost without a word", async () => {
    const id = await run("rivals", { lr: 0.1 });
    const { page } = await open(`/experiments/${id}?tab=meta`);
    const dialog = page.getByRole("dialog");
    await page.getByRole("button", { name: "edit lr" }).click();
    await client.editExperiment({
      experimentId: id,
      meta: [{ path: ["lr"], before: 0.1, after: "0.5" }],
    });
    await dialog.getByLabel("Value").fill("0.2");
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.getByText('"0.5"').waitFor();
    assert.deepEqual((await client.experiment({ experimentId: id })).meta, { lr: "0.5" });
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.waitFor({ state: "detached" });
    assert.deepEqual((await client.experiment({ experimentId: id })).meta, { lr: 0.2 });
  });

  test("an annotation has its writer, and the step under the cursor where it was asked for", async () => {
    const id = await run("noted");
    const { page, seen } = await open(`/experiments/${id}?tab=charts`);
    const dialog = page.getByRole("dialog");
    const plot = page.locator("figure[data-series='loss'] .plot");
    await plot.locator("canvas").waitFor();
    await plot.focus();
    const said = page.locator("p.unseen[aria-live='polite']");
    // A chart that is still empty has no place to go to; at its first point the cursor stays.
    do await page.keyboard.press("ArrowRight");
    while ((await said.textContent()) === "");
    while (!(await said.textContent())!.startsWith("step 0:"))
      await page.keyboard.press("ArrowLeft");
    for (let press = 0; press < 50; press++) await page.keyboard.press("ArrowRight");
    await said.filter({ hasText: "step 500:" }).waitFor();
    await page.keyboard.press("a");
    await dialog.waitFor();
    const step = dialog.getByLabel("At step");
    await hasValue(step, /^500$/);
    await page.keyboard.type("it begins here");
    await page.keyboard.press("Control+Enter");
    await dialog.waitFor({ state: "detached" });
    assert.equal(await page.evaluate("document.activeElement.className"), "plot");
    const mark = page.getByRole("button", { name: "it begins here", exact: true });
    await mark.waitFor();
    await page.getByRole("button", { name: "annotations" }).click();
    await page.getByText("step 500").waitFor();
    await page.locator(".by", { hasText: people.ada.email }).waitFor();
    await page.getByRole("button", { name: "annotate…" }).click();
    await dialog.getByLabel("Text").fill("about the whole");
    await dialog.getByRole("button", { name: "Annotate" }).click();
    await page.locator(".annotations").getByText("about the whole").waitFor();
    const { annotations } = await client.annotations({ experimentId: id });
    assert.deepEqual(
      annotations.map(({ annotation, meta }) => [annotation, meta]),
      [
        ["about the whole", { author: people.ada.email }],
        ["it begins here", { step: 500, author: people.ada.email }],
      ],
    );
    assert.deepEqual(seen.problems, []);
  });

  test("from a chart's menu it is the step at which the pointer was last", async () => {
    const id = await run("pointed");
    const { page } = await open(`/experiments/${id}?x=offset`);
    const chart = page.locator("figure[data-series='loss']");
    await chart.locator("canvas").waitFor();
    const box = (await chart.locator(".u-over").boundingBox())!;
    const told = chart.locator(".readings .at", { hasText: "step" });
    for (let nudge = 0; !(await told.isVisible()); nudge = 1 - nudge) {
      await page.mouse.move(box.x + box.width / 2 + nudge, box.y + 60);
      await page.waitForTimeout(20);
    }
    await chart.getByLabel("Menu of loss").click();
    await chart.getByRole("button", { name: "annotate at the cursor…" }).click();
    const step = page.getByRole("dialog").getByLabel("At step");
    await hasValue(step, /^(490|500)$/);
  });

  test("an annotation whose answer is lost is stored once", async () => {
    const id = await run("lost");
    const { page } = await open(`/experiments/${id}?tab=annotations`);
    const sent: string[] = [];
    await page.route("**/views/v1/annotations", async (route) => {
      sent.push((route.request().postDataJSON() as { messageId: string }).messageId);
      if (sent.length > 1) return route.continue();
      await route.fetch();
      await route.abort();
    });
    await page.getByRole("button", { name: "annotate…" }).click();
    await page.getByLabel("Text").fill("once");
    await page.keyboard.press("Control+Enter");
    for (let look = 0; look < 1_000 && sent.length < 2; look++) await page.waitForTimeout(20);
    await page.getByRole("dialog").waitFor({ state: "detached" });
    assert.equal(sent.length, 2);
    assert.equal(sent[0], sent[1]);
    const { annotations } = await client.annotations({ experimentId: id });
    assert.equal(annotations.length, 1);
  });

  test("an experiment is moved from its own page, which says where it is", async () => {
    const folderId = await client.folders.ensure(["team", "vision"]);
    const id = await run("moved");
    const { page } = await open(`/experiments/${id}?tab=charts`);
    await page.getByLabel("More actions").click();
    await page.getByRole("button", { name: "move to folder…" }).click();
    await page.keyboard.type("vis");
    await page.getByRole("button", { name: "team/vision" }).waitFor();
    await page.keyboard.press("Enter");
    await page.getByText("1 experiment was moved to team/vision.").waitFor();
    await page.getByRole("link", { name: "team/vision" }).waitFor();
    assert.equal((await client.experiment({ experimentId: id })).folderId, folderId);
    await page.getByRole("link", { name: "team/vision" }).click();
    await page.getByText("1 found", { exact: true }).waitFor();
  });

  test("a folder is renamed and removed by keys, and what stands in the way is said", async () => {
    await client.folders.ensure(["keyed", "inner"]);
    await client.folders.ensure(["taken"]);
    const { page, seen } = await open("/experiments");
    const dialog = page.getByRole("dialog");
    const tree = page.getByRole("tree");
    await page.getByRole("treeitem", { name: "keyed" }).waitFor();
    await tree.focus();
    const active = page.locator(".folder[data-active='true']");
    while (!(await active.innerText()).includes("keyed")) await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Delete");
    await dialog.getByText("Move the folder keyed to the trash?").waitFor();
    await dialog.getByText("The folder contains 1 folder.").waitFor();
    await page.keyboard.press("Escape");
    await page.keyboard.press("r");
    await dialog.getByLabel("Name").fill("taken");
    await page.keyboard.press("Enter");
    await dialog.getByText("There is already a folder named taken in the same place.").waitFor();
    await dialog.getByLabel("Name").fill("renamed");
    await page.keyboard.press("Enter");
    await page.getByText("The folder was renamed to renamed.").waitFor();
    await page.getByRole("treeitem", { name: "renamed" }).waitFor();
    assert.equal(await page.evaluate("document.activeElement.role"), "tree");
    // The same with the pointer, for the folder that is looked at.
    await page.getByRole("treeitem", { name: "inner" }).click();
    await page.getByRole("button", { name: "remove", exact: true }).click();
    await dialog.getByRole("button", { name: "Remove" }).click();
    await page.getByText("The folder renamed/inner was removed.").waitFor();
    await page.getByRole("treeitem", { name: "inner" }).waitFor({ state: "detached" });
    const { folders } = await client.folders.tree();
    const renamed = folders.find(({ name }) => name === "renamed")!;
    assert.equal(new URL(page.url()).searchParams.get("folder"), renamed.folderId);
    assert.deepEqual(renamed.folders, []);
    assert.deepEqual(seen.problems, []);
  });
});

/** Waits until a field says this, or fails with what it says instead. */
async function hasValue(field: Locator, wanted: RegExp): Promise<void> {
  for (let look = 0; look < 1_000; look++) {
    if (wanted.test(await field.inputValue())) return;
    await field.page().waitForTimeout(20);
  }
  assert.match(await field.inputValue(), wanted);
}
