import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { Page } from "playwright-core";
import { faultsInAllLooks } from "./axe.ts";
import { pagesSuite } from "./pages-suite.ts";
import { until } from "./until.ts";

/** The last ones, sorted by slug, are the worst of group b: without them it looks better. */
const runs = 103;
const inGroup = (at: number) => (at % 2 === 0 && at < 100 ? "a" : "b");
/** More than one question may have lines. */
const ranks = 401;

pagesSuite("a list that is cut", (pages) => {
  let folderId: string;
  let ids: string[];
  let wide: string;

  before(async () => {
    const { client } = pages;
    folderId = (await client.folders.ensure(["cut"]))!;
    const record = async (at: number) => {
      const slug = `cut/${String(at).padStart(3, "0")}`;
      const recorder = await client.record({ slug, folderId, meta: { opt: inGroup(at), at } });
      for (const step of [0, 1]) recorder.record("loss", at < 100 ? at : 100 * at, step);
      await recorder.finish();
      return recorder.experimentId;
    };
    ids = await Promise.all(Array.from({ length: runs }, (_, at) => record(at)));
    const ranked = await client.record({ slug: "ranked", meta: {} });
    for (let rank = 0; rank < ranks; rank++)
      ranked.record("spread", rank, 0, { meta: { rank: String(rank) } });
    await ranked.finish();
    wide = ranked.experimentId;
  });

  const found = (more: string) =>
    `/compare?${new URLSearchParams({ folder: folderId, sort: "slug" }).toString()}&${more}`;
  const chart = (page: Page) => page.locator("figure[data-series='loss']");
  const reading = (page: Page, name: string) =>
    chart(page).locator(`.readings > :has([title="opt=${name}"])`);
  const grouped = /N counts the 103 lines of all 103 experiments found/;
  const mean = (of: number[]) => of.reduce((sum, value) => sum + value, 0) / of.length;
  const values = Array.from({ length: runs }, (_, at) => (at < 100 ? at : 100 * at));
  const ofGroup = (name: string) => mean(values.filter((_, at) => inGroup(at) === name));

  test("groups are of all that is found, however many lines are drawn", async () => {
    const { page, seen } = await pages.open(found("group=meta.opt"));
    await chart(page).getByText(grouped).waitFor();
    await page.getByRole("heading", { name: "The first 100 of 103 experiments" }).waitFor();
    const last = (name: string, count: number) =>
      reading(page, name).getByText(new RegExp(`${digits(ofGroup(name))}.*N ${count}`));
    await last("a", 50).waitFor();
    await last("b", 53).waitFor();
    await page
      .getByText(
        "Showing the first 100 of 103 experiments. Groups by a key are means over all 103.",
      )
      .waitFor();
    assert.deepEqual(await faultsInAllLooks(page), []);
    await page.getByLabel("group by: opt").click();
    const key = (name: RegExp, pressed = false) =>
      page.getByRole("list", { name: "Keys" }).getByRole("button", { name, pressed });
    await key(/^meta\.at/).click();
    await page.waitForURL(/group=meta\.opt%2Cmeta\.at/);
    await chart(page)
      .getByText(/83 smaller groups of 83 lines not drawn/)
      .waitFor();
    await key(/^meta\.at/, true).click();
    await key(/^folder/).click();
    await reading(page, "a folder=cut").waitFor();
    for (const name of [/^meta\.opt/, /^folder/]) await key(name, true).click();
    await chart(page).getByText("100 lines: point at one to read it").waitFor();
    assert.deepEqual(seen.problems, []);
  });

  test("a group lists its members at the cursor, and says how many are not drawn", async () => {
    const { page } = await pages.open(found("group=meta.opt"));
    await chart(page).getByText(grouped).waitFor();
    // Left of step 1, the last one: beyond it no group is pointed at.
    await chart(page)
      .locator(".plot")
      .hover({ position: { x: 200, y: 100 } });
    const list = chart(page).getByRole("list", { name: "members of opt=b" });
    await until(async () => {
      const shown = await list.getByRole("listitem").allTextContents();
      assert.match(shown[0] ?? "", /cut\/099\s*99$/);
      assert.match(shown.at(-1) ?? "", /and \d+ more/);
    });
  });

  test("all keys but one are not grouped beyond what is drawn, and the page says so", async () => {
    const { page } = await pages.open(found("group=-meta.at"));
    await chart(page)
      .getByText(/not grouped: only 100 of 103 experiments are shown/)
      .waitFor();
    await page
      .getByText("group by all but a key: only 100 of 103 experiments are shown.")
      .waitFor();
    await page.getByRole("button", { name: "stop grouping" }).click();
    await page.waitForURL((url) => !url.searchParams.has("group"));
  });

  test("ids that are more than a hundred are grouped likewise", async () => {
    const { page } = await pages.open(`/compare?e=${ids.join()}&group=meta.opt&hide=${ids[0]}`);
    await chart(page)
      .getByText(/N counts the 102 lines of all 102 experiments found/)
      .waitFor();
    await page.goto(`${pages.service.baseUrl}/compare?e=${ids.slice(3).join()}&group=meta.opt`);
    await reading(page, "a").getByText(/N 48/).waitFor();
  });

  test("each panel says that it counts the first hundred, and relations draw all", async () => {
    const { page } = await pages.open(
      found("group=meta.opt&apart=all&plot=scatter&axes=meta.at,metric.loss.min"),
    );
    const said = "of the first 100 of 103 experiments";
    for (const panel of ["Difference", "Metrics", "A against B"])
      await page
        .getByRole("region", { name: panel, exact: true })
        .getByText(said)
        .first()
        .waitFor();
    await page.locator('.relations [data-experiments="103"]').waitFor();
    await page
      .getByText("B includes 3 experiments that the query finds but that are not compared.")
      .waitFor();
  });

  test("a report's groups are of all, which it does not keep as of now", async () => {
    const max = await pages.clientOf("max");
    const block = {
      kind: "chart",
      query: "",
      folderId,
      sort: "slug",
      seriesName: "loss",
      title: "",
      view: "group=meta.opt",
    } as const;
    const { id } = await max.reports.create({ name: "Cut", scope: "own", blocks: [block] });
    const { page } = await pages.open(`/reports/${id}`, { person: "max" });
    await chart(page).getByText(grouped).waitFor();
    await page.getByRole("button", { name: "Edit" }).click();
    await page.getByRole("button", { name: "Save" }).waitFor();
    assert.equal(await page.getByRole("button", { name: "keep as of now" }).count(), 0);
  });

  test("partitions that are not all drawn are no group of all keys but one", async () => {
    const { page } = await pages.open(`/experiments/${wide}?m=spread&group=-rank`);
    await page.getByText(`not grouped: only 400 of ${ranks} lines are shown`).waitFor();
  });
});

/** The digits ahead of the point; the page may write some behind it. */
function digits(value: number): string {
  return Math.floor(value).toLocaleString("en");
}
