import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { Page } from "playwright-core";
import { pagesSuite } from "./pages-suite.ts";

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
  const refused = /not grouped: only 100 of 103 experiments are shown.*narrow the query/;

  test("a group in the address is refused, with why and what to do, until nothing is left out", async () => {
    const { page } = await pages.open(found("group=meta.opt"));
    await chart(page).getByText(refused).waitFor();
    await chart(page).getByText("of the first 100 of 103 experiments").waitFor();
    await chart(page).getByText("100 lines: point at one to read it").waitFor();
    await page
      .getByText("group by: only 100 of 103 experiments are shown. Narrow the query to group them.")
      .waitFor();
    await page
      .getByText(/^Showing the first 100 of 103 experiments\. They are not grouped/)
      .waitFor();
    assert.equal(await page.getByLabel("group by", { exact: true }).count(), 0);
    await chart(page).getByLabel("Menu of loss").click();
    assert.equal(await page.getByRole("button", { name: "means and bands as CSV" }).count(), 0);
    await page.goto(`${pages.service.baseUrl}${found("group=meta.opt&q=meta.at >= 100")}`);
    const all = (100 * (100 + 101 + 102)) / 3;
    await chart(page)
      .getByText(new RegExp(`${all.toLocaleString("en")}, N 3`))
      .waitFor();
  });

  test("ids that are more than a hundred are not grouped either", async () => {
    const named = `/compare?e=${ids.join()}&group=meta.opt`;
    const { page } = await pages.open(named);
    await chart(page).getByText(refused).waitFor();
    await page.goto(`${pages.service.baseUrl}/compare?e=${ids.slice(3).join()}&group=meta.opt`);
    await chart(page)
      .getByText(/opt=a .*N 48/)
      .waitFor();
  });

  test("each panel says that it counts the first hundred", async () => {
    const { page } = await pages.open(
      found("group=meta.opt&apart=all&plot=scatter&axes=meta.at,metric.loss.min"),
    );
    const said = "of the first 100 of 103 experiments";
    for (const panel of ["Difference", "Metrics", "What sets these apart", "Relations"])
      await page
        .getByRole("region", { name: panel, exact: true })
        .getByText(said)
        .first()
        .waitFor();
    await page
      .getByText("B includes 3 experiments that the query finds but that are not compared.")
      .waitFor();
  });

  test("a report draws lines, and keeps no group of some members when it is kept as of now", async () => {
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
    await chart(page).getByText(refused).waitFor();
    await page.getByRole("button", { name: "Edit" }).click();
    await page.getByRole("button", { name: "keep as of now" }).click();
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("button", { name: "Edit", exact: true }).waitFor();
    const [kept] = (await max.reports.read(id)).blocks;
    assert.ok(kept.kind === "chart" && kept.pinned !== undefined);
    assert.equal(kept.experimentIds?.length, 100);
    assert.equal(new URLSearchParams(kept.view).get("group"), null);
  });

  test("partitions that are not all drawn are no group", async () => {
    const { page } = await pages.open(`/experiments/${wide}?m=spread&group=-rank`);
    await page.getByText(`not grouped: only 400 of ${ranks} lines are shown`).waitFor();
  });
});
