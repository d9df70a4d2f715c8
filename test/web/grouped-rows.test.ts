import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { Page } from "playwright-core";
import { faultsInAllLooks } from "./axe.ts";
import { pagesSuite } from "./pages-suite.ts";

/** The keys that the open choice lists. */
function keyButtons(page: Page, name: string | RegExp = /./, pressed = false) {
  return page.getByRole("list", { name: "Keys" }).getByRole("button", { name, pressed });
}

pagesSuite("grouped rows of the table", (pages) => {
  before(async () => {
    const { client } = pages;
    const folderId = (await client.folders.ensure(["grouped"]))!;
    await Promise.all(
      Array.from({ length: 60 }, async (_, at) => {
        const meta = at < 55 ? { opt: at % 2 === 0 ? "adam" : "muon", seed: at % 5 } : {};
        const slug = `grouped/${String(at).padStart(2, "0")}`;
        const recorder = await client.record({ slug, folderId, meta });
        recorder.record("loss", at, 0);
        await recorder.finish();
      }),
    );
    await client.openExperiment({ slug: "other", description: "", meta: { elsewhere: 1 } });
  });

  const address = "/experiments?q=slug ~ grouped/*&cols=metric.loss, meta.seed, status&sort=slug";

  test("the words of heads stand over the values", async () => {
    const { page } = await pages.open(`${address}&by=meta.opt,meta.seed`);
    await page.getByText("11 groups of 60 experiments").waitFor();
    const edges = await page.evaluate(`(() => {
      const edge = (cell) => {
        const words = document.createRange();
        words.selectNodeContents(cell.querySelector("span[title], thead button") ?? cell);
        if (cell.tagName === "TH" && cell.scope === "row") words.selectNode(cell.lastChild);
        const { left, right } = words.getBoundingClientRect();
        return cell.className === "number" ? right : left;
      };
      const [heads, values] = ["thead tr", "tbody tr"].map((row) =>
        [...document.querySelector(".grouped-rows " + row).children].map(edge));
      return heads.map((at, column) => Math.abs(at - values[column]));
    })()`);
    const distances = edges as number[];
    assert.equal(distances.length, 4);
    assert.ok(Math.max(...distances) <= 1, distances.join(", "));
  });

  test("a row is a group with its count and its means; it opens to its experiments", async () => {
    const { page, seen } = await pages.open(address);
    // Two clicks; keys that the experiments differ in come before the fields of all experiments.
    await page.getByLabel("group rows", { exact: true }).click();
    const keys = keyButtons(page);
    await keys.getByText("meta.opt").waitFor();
    const names = ["meta.opt2 values", "meta.seed5 values", "folder"];
    const listed = await keys.allTextContents();
    assert.deepEqual(
      listed.slice(0, 3).map((text) => text.replaceAll(" ", "")),
      names.map((text) => text.replaceAll(" ", "")),
    );
    await keys.getByText("meta.opt").click();
    await page.waitForURL(/by=meta\.opt(&|$)/);
    await page.getByText("3 groups of 60 experiments").waitFor();
    const rows = page.getByRole("region", { name: "Groups" }).locator("tbody tr");
    const texts = async () =>
      (await rows.allTextContents()).map((text) => text.replaceAll(/\s+/g, " "));
    assert.match((await texts())[0], /adam ?28 ?27(?:\.0+)? ?0 … 54/);
    assert.match((await texts())[1], /muon ?27/);
    assert.match((await texts())[2], /none ?5 ?57/);
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Experiments of muon" }).click();
    await page.getByRole("link", { name: "grouped/01" }).waitFor();
    assert.equal(await page.locator("tr.member").count(), 27);
    await page.getByRole("button", { name: "Experiments of muon", expanded: true }).click();
    await page.locator("tr.member").first().waitFor({ state: "detached" });
    assert.deepEqual(await faultsInAllLooks(page), []);
    assert.deepEqual(seen.problems, []);
  });

  test("a key is typed, and a further one is one click; a key of others is found by its name", async () => {
    const { page, seen } = await pages.open(`${address}&by=meta.seed`);
    await page.getByText("6 groups of 60 experiments").waitFor();
    await page.getByLabel("grouped by meta.seed").click();
    await page.keyboard.type("opt");
    await keyButtons(page, "meta.opt 2 values").waitFor();
    await page.keyboard.press("Enter");
    await page.waitForURL(/by=meta\.seed%2C\+meta\.opt/);
    await page.getByText("11 groups of 60 experiments").waitFor();
    // Enter closes the menu; its button has the focus, and opens it for a further key.
    const field = page.getByRole("searchbox", { name: "Search keys" });
    await field.waitFor({ state: "detached" });
    await page.keyboard.press("Enter");
    await field.fill("elsewhere");
    await keyButtons(page, "meta.elsewhere in 1 of all").click();
    await page.waitForURL(/meta\.opt%2C\+meta\.elsewhere/);
    await keyButtons(page, "meta.elsewhere", true).click();
    await page.waitForURL((url) => url.searchParams.get("by") === "meta.seed, meta.opt");
    assert.deepEqual(seen.problems, []);
  });

  test("groups are sorted by any aggregate, in the address; the file has the same rows", async () => {
    const { page } = await pages.open(`${address}&by=meta.opt`);
    const sortBy = page.getByRole("group", { name: "Sort by loss last" });
    await sortBy.getByRole("button", { name: "max" }).click();
    await page.waitForURL(/gsort=max%3A0\+desc/);
    const first = page.getByRole("region", { name: "Groups" }).locator("tbody th").first();
    await first.getByText("none").waitFor();
    await sortBy.getByRole("button", { name: "max" }).click();
    await first.getByText("muon").waitFor();
    const href = await page.getByRole("link", { name: "CSV of groups" }).getAttribute("href");
    const reply = await page.request.get(`${pages.service.baseUrl}${href!}`, {
      headers: { "sec-fetch-site": "same-origin" },
    });
    assert.equal(reply.headers()["x-svc-rows"], "3");
    assert.match(await reply.text(), /^meta\.opt,experiments,metric\.loss count/);
    await page.getByRole("button", { name: "stop grouping" }).click();
    await page.waitForURL((url) => !url.searchParams.has("by"));
    await page.getByRole("grid").waitFor();
  });

  test("a long group opens page by page", async () => {
    const { page } = await pages.open(`${address}&by=folder`);
    await page.getByRole("button", { name: "Experiments of grouped" }).click();
    await page.getByRole("button", { name: "show the last 10" }).click();
    await page.getByRole("link", { name: "grouped/59" }).waitFor();
    assert.equal(await page.locator("tr.member").count(), 60);
  });
});
