import assert from "node:assert/strict";
import { before, test } from "node:test";
import { faultsInAllLooks } from "./axe.ts";
import { pagesSuite } from "./pages-suite.ts";

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
  });

  const address = "/experiments?q=slug ~ grouped/*&cols=metric.loss, meta.seed, status&sort=slug";

  test("a row is a group with its count and its means; it opens to its experiments", async () => {
    const { page, seen } = await pages.open(address);
    await page.getByRole("button", { name: "group rows" }).click();
    await page.waitForURL(/by=folder/);
    await page.getByText("1 group of 60 experiments").waitFor();
    await page.getByRole("button", { name: "other keys" }).click();
    const picker = page.getByRole("dialog", { name: "Group rows by" });
    await picker.getByRole("searchbox").fill("meta.opt");
    await picker.getByRole("button", { name: "show meta.opt as a column" }).click();
    await page.keyboard.press("Escape");
    await page.waitForURL(/by=folder%2C\+meta\.opt/);
    await page.goto(`${pages.service.baseUrl}${address}&by=meta.opt`);
    await page.getByText("3 groups of 60 experiments").waitFor();
    const rows = page.getByRole("region", { name: "Groups" }).locator("tbody tr");
    const texts = async () =>
      (await rows.allTextContents()).map((text) => text.replaceAll(/\s+/g, " "));
    assert.match((await texts())[0], /adam ?28 ?27(?:\.0+)? ?0 … 54/);
    assert.match((await texts())[1], /muon ?27/);
    assert.match((await texts())[2], /none ?5 ?57/);
    await page.getByRole("button", { name: "Experiments of muon" }).click();
    await page.getByRole("link", { name: "grouped/01" }).waitFor();
    assert.equal(await page.locator("tr.member").count(), 27);
    await page.getByRole("button", { name: "Experiments of muon", expanded: true }).click();
    await page.locator("tr.member").first().waitFor({ state: "detached" });
    assert.deepEqual(await faultsInAllLooks(page), []);
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
