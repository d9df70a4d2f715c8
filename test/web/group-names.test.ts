import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { ChartBlock } from "@lossless/protocol";
import type { Page } from "playwright-core";
import { pagesSuite } from "./pages-suite.ts";

const optimizers = ["adamw", "adam", "sgd", "lion"];

pagesSuite("the names of groups", (pages) => {
  let folderId: string;
  let report: string;

  before(async () => {
    const { client } = pages;
    folderId = (await client.folders.ensure(["named"]))!;
    const record = async (name: string, seed: number) => {
      const meta = { optimizer: { name, beta: seed % 2 }, seed };
      const recorder = await client.record({ slug: `named/${name}-${seed}`, folderId, meta });
      const own = optimizers.indexOf(name);
      for (let step = 0; step < 400; step++)
        recorder.record("val/loss", 2.65 + own / 10 + seed / 40 + 5 / (1 + step), step);
      if (name !== "lion") recorder.record("val/loss", NaN, 400);
      await recorder.finish();
    };
    for (const name of optimizers)
      await Promise.all([0, 1, 2, 3].map((seed) => record(name, seed)));
    const block: ChartBlock = {
      kind: "chart",
      title: "",
      query: "slug ~ named/*",
      seriesName: "val/loss",
      view: "group=meta.optimizer.name",
    };
    const person = await pages.clientOf("max");
    report = (
      await person.reports.create({ name: "named groups", scope: "shared", blocks: [block] })
    ).id;
  });

  const places = {
    "a comparison": () => `/compare?folder=${folderId}&group=meta.optimizer.name`,
    "a report": () => `/reports/${report}`,
  };

  for (const [name, address] of Object.entries(places))
    test(`are the values alone in ${name}, at every width, and their key is said once`, async () => {
      for (const width of [1_440, 1_024, 390]) {
        const { page } = await pages.open(address(), {
          person: "max",
          viewport: { width, height: 900 },
        });
        const chart = page.locator("figure.chart");
        await chart.locator(".readings .partition").nth(3).waitFor();
        await chart.locator("canvas").waitFor();
        if (process.env["SHOTS"])
          await page.screenshot({ path: `${process.env["SHOTS"]}/${name}-${width}.png` });
        const shown = await chart.locator(".readings .cut-name").allTextContents();
        assert.deepEqual(shown.sort(), optimizers.toSorted());
        assert.deepEqual(await page.evaluate<string[]>(cutTexts), [], `${name} at ${width}`);
        const head = await chart.locator(".readings .at").textContent();
        assert.equal(head, "optimizer.name · last, ▲ last finite");
        const said = await chart.locator(".readings").innerText();
        assert.equal(said.match(/last finite/g)?.length, 1, said);
        const signs = chart.getByRole("img", { name: "last finite value", exact: true });
        assert.equal(await signs.count(), 3);
        await page.context().close();
      }
    });

  test("of several keys are their values, also in lists and read out", async () => {
    const keys = "group=meta.optimizer.name,meta.optimizer.beta";
    const { page } = await pages.open(`/compare?folder=${folderId}&${keys}&m=loss`);
    const chart = page.locator("figure.chart");
    await chart.locator(".readings .partition").nth(7).waitFor();
    const names = await chart.locator(".readings .cut-name").allTextContents();
    assert.ok(names.includes("adamw, 0") && names.includes("adam, 1"), names.join("; "));
    await chart.locator(".at", { hasText: "optimizer.name, optimizer.beta · last" }).waitFor();
    const title = "optimizer.name=adamw optimizer.beta=1";
    assert.equal(await chart.locator(`.partition[title='${title}']`).count(), 1);
    await page.goto(`${pages.service.baseUrl}/compare?folder=${folderId}&${keys},meta.seed&m=loss`);
    await valuesOf(page);
    await page.locator(".values strong", { hasText: "seed · last values" }).waitFor();
    assert.ok((await page.locator(".values .cut-name").allTextContents()).includes("lion, 1, 3"));
    assert.doesNotMatch(await page.locator(".values ol").innerText(), /last finite/);
  });
});

/** Opens the list of all values of the only chart. */
async function valuesOf(page: Page): Promise<void> {
  await page.locator("figure.chart").getByRole("button", { name: "all values" }).click();
}

/** Texts of the readings that are wider than their room, or that leave the chart. */
const cutTexts = `[...document.querySelectorAll(".chart .readings > *, .chart .readings bdi, .chart .readings .value")]
  .filter((one) => {
    const chart = one.closest(".chart").getBoundingClientRect();
    return one.scrollWidth > one.clientWidth + 1 && getComputedStyle(one).display !== "inline"
      || one.getBoundingClientRect().right > chart.right;
  })
  .map((one) => one.className + ": " + one.textContent)`;
