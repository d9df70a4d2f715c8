import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { LosslessClient } from "@lossless/client";
import type { Page } from "playwright-core";
import { faultsInAllLooks } from "./axe.ts";
import { pagesSuite } from "./pages-suite.ts";
import { counted } from "./recorded-runs.ts";

pagesSuite("tags in a browser", (pages) => {
  let client: LosslessClient;
  let odd: string;

  before(async () => {
    ({ client } = pages);
    const open = async (slug: string, meta: Record<string, unknown>) =>
      (await client.openExperiment({ slug, description: "", meta })).experimentId;
    await open("tagged/a", { _tags: ["baseline", "sweep one"], lr: 0.1 });
    await open("tagged/b", { _tags: ["sweep one"], lr: 0.25 });
    await open("tagged/c", { lr: 0.5 });
    odd = await open("tagged/odd", { _tags: { not: "a list" } });
    await counted(client);
  });

  const tagsOf = async (experimentSlug: string) =>
    (await client.experiment({ experimentSlug })).meta._tags;

  const table = async (address: string, options = {}) => {
    const { page } = await pages.open(`/experiments?${address}`, options);
    await page.getByRole("grid").waitFor();
    return page;
  };

  async function tick(page: Page, ...slugs: string[]): Promise<void> {
    for (const slug of slugs) await page.getByRole("checkbox", { name: `tick ${slug}` }).click();
    await page.getByRole("button", { name: "tags…" }).click();
    await page.getByRole("dialog", { name: `Tags of ${slugs.length} experiments` }).waitFor();
    // The field comes after a reply, and has the focus then.
    await page.locator("input[placeholder^='Find a tag']:focus").waitFor();
  }

  test("they are chips, and a click on one finds the experiments that have it", async () => {
    const page = await table("q=slug ~ tagged/a or slug ~ tagged/c&cols=tag&sort=slug");
    await page.getByText("2 found", { exact: true }).waitFor();
    await page.getByRole("button", { name: "baseline" }).click();
    await page.getByText("1 found", { exact: true }).waitFor();
    const query = await page.getByRole("combobox", { name: "Query" }).inputValue();
    assert.equal(query, "(slug ~ tagged/a or slug ~ tagged/c) tag = baseline");
    await page.getByRole("button", { name: "sweep one" }).click();
    await page.waitForURL(/tag\+%3D\+%22sweep\+one%22/);
  });

  test("a column is as wide as its tags; what does not fit is counted, and shown when focused", async () => {
    for (const [at, tags] of [
      ["long-warmup", "needs-rerun"],
      ["long-warmup", "needs-rerun", "best", "for the paper", "winner"],
    ].entries())
      await client.openExperiment({ slug: `wide/${at}`, description: "", meta: { _tags: tags } });
    await counted(client);
    const page = await table("q=slug ~ wide/&cols=tag, status, began, duration&sort=slug", {
      viewport: { width: 900, height: 700 },
    });
    const rows = page.locator(".grid .line");
    const shown = (row: number) => rows.nth(row).locator(".tag:visible").allInnerTexts();
    await page.getByText("2 found", { exact: true }).waitFor();
    assert.deepEqual(await shown(0), ["long-warmup", "needs-rerun"]);
    const cut = await page.evaluate<number>(
      "[...document.querySelectorAll('.grid .line:first-child .tag')].filter((one) => one.scrollWidth > one.clientWidth).length",
    );
    assert.equal(cut, 0);
    await rows.nth(1).locator(".left-out").waitFor();
    const fitting = (await shown(1)).length;
    assert.ok(fitting >= 2 && fitting < 5, `${fitting}`);
    const more = rows.nth(1).locator(".left-out");
    assert.equal(await more.innerText(), `+${5 - fitting}`);
    assert.match((await more.getAttribute("title"))!, /^long-warmup, .*, winner$/);
    await page.getByRole("grid").focus();
    for (const key of ["ArrowDown", "ArrowRight"]) await page.keyboard.press(key);
    await rows.nth(1).getByRole("button", { name: "winner" }).waitFor();
    assert.equal((await shown(1)).length, 5);
    await page.keyboard.press("ArrowRight");
    await more.waitFor();
  });

  test("the query field completes keys of configs before those that clients write", async () => {
    const page = await table("q=slug ~ tagged/");
    await page.getByRole("combobox", { name: "Query" }).fill("meta.");
    await page.getByRole("option", { name: "meta._tags" }).first().waitFor();
    const offered = await page.getByRole("option").allInnerTexts();
    const placeOf = (name: string) => offered.findIndex((text) => text.startsWith(name));
    assert.ok(placeOf("meta.lr") < placeOf("meta._tags"), offered.join("; "));
  });

  test("several experiments are tagged at once, over what others write meanwhile, and back", async () => {
    const page = await table("q=slug ~ tagged/&cols=tag&sort=slug");
    await tick(page, "tagged/a", "tagged/b", "tagged/c");
    const box = (name: RegExp) => page.getByRole("checkbox", { name });
    await page.getByText("in 2 of 3 experiments").waitFor();
    assert.equal(
      await page.evaluate("document.querySelector('.tag-list input').indeterminate"),
      true,
    );
    assert.deepEqual(await faultsInAllLooks(page), []);
    await box(/^baseline/).click();
    await box(/^baseline/).click();
    await page.getByLabel("Find or add a tag").fill("for the paper");
    await page.keyboard.press("Enter");
    const { experimentId } = await client.experiment({ experimentSlug: "tagged/b" });
    await client.editExperiment({
      experimentId,
      meta: [{ path: ["_tags"], before: ["sweep one"], after: ["sweep one", "elsewhere"] }],
    });
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByText("Tags of 3 experiments were changed.").waitFor();
    assert.deepEqual(await tagsOf("tagged/a"), ["sweep one", "for the paper"]);
    assert.deepEqual(await tagsOf("tagged/b"), ["sweep one", "elsewhere", "for the paper"]);
    assert.deepEqual(await tagsOf("tagged/c"), ["for the paper"]);
    await page.getByRole("button", { name: "undo" }).click();
    await page.getByText("The former tags of 3 experiments were restored.").waitFor();
    assert.deepEqual(await tagsOf("tagged/a"), ["baseline", "sweep one"]);
    assert.deepEqual(await tagsOf("tagged/b"), ["sweep one", "elsewhere"]);
    assert.equal(await tagsOf("tagged/c"), undefined);
  });

  test("an experiment that cannot be tagged is named, and keeps what it has", async () => {
    const page = await table("q=slug ~ tagged/&cols=tag&sort=slug");
    await tick(page, "tagged/c", "tagged/odd");
    // A tag of others is offered as it is typed.
    await page.getByLabel("Find or add a tag").fill("basel");
    await page.getByRole("checkbox", { name: /^baseline in/ }).click();
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page
      .getByText("Tags of 1 experiment were changed. Not those of tagged/odd: Its meta._tags is")
      .waitFor();
    assert.deepEqual(await tagsOf("tagged/c"), ["baseline"]);
    assert.deepEqual((await client.experiment({ experimentId: odd })).meta._tags, {
      not: "a list",
    });
  });

  test("those of one run are edited on its page, and stand in every part of it", async () => {
    const { experimentId } = await client.openExperiment({
      slug: "tagged/alone",
      description: "",
      meta: { _tags: "only" },
    });
    const { page } = await pages.open(`/experiments/${experimentId}?tab=charts`);
    const tags = page.getByRole("list", { name: "Tags" });
    await tags.getByRole("link", { name: "only" }).waitFor();
    await page.getByRole("button", { name: "tags…" }).click();
    await page.getByLabel("Find or add a tag").fill("another");
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await tags.getByRole("link", { name: "another" }).waitFor();
    await page.getByRole("button", { name: "overview" }).click();
    await tags.getByRole("link", { name: "another" }).waitFor();
    assert.deepEqual(await tagsOf("tagged/alone"), ["only", "another"]);
  });

  test("a range of cells is copied with tabs and full values, and so is the focused cell", async () => {
    const page = await table("q=slug ~ tagged/ and meta.lr&cols=meta.lr, status&sort=slug", {
      permissions: ["clipboard-read", "clipboard-write"],
    });
    await page.getByText("3 found", { exact: true }).waitFor();
    const edge = async (slug: string, column: number) =>
      (await page
        .getByRole("row", { name: new RegExp(slug) })
        .getByRole("gridcell")
        .nth(column)
        .locator("bdi, .status")
        .first()
        .boundingBox())!;
    const copied = async () => {
      await page.keyboard.press("Control+c");
      return page.evaluate<string>("navigator.clipboard.readText()");
    };
    const [from, to] = [await edge("tagged/a", 2), await edge("tagged/b", 3)];
    await page.mouse.move(from.x + 1, from.y + from.height / 2);
    await page.mouse.down();
    await page.mouse.move(to.x + to.width - 1, to.y + to.height / 2, { steps: 10 });
    await page.mouse.up();
    assert.equal(await copied(), "\t0.1\trunning\ntagged/b\t0.25\trunning");
    await page.evaluate("getSelection().empty()");
    await page.getByRole("grid").focus();
    for (const key of ["Home", "ArrowDown", "ArrowRight"]) await page.keyboard.press(key);
    assert.match(await copied(), /^0\.(25|5)$|^running$/);
  });
});
