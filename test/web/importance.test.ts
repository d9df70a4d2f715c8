import assert from "node:assert/strict";
import { before, test } from "node:test";
import { pagesSuite } from "./pages-suite.ts";
import { counted } from "./recorded-runs.ts";

/** More than are compared, so that the first of them alone would be a choice by the result. */
const runs = 120;

pagesSuite("what matters for a metric, in a browser", (pages) => {
  before(async () => {
    const { client } = pages;
    const record = async (at: number) => {
      // Without a pattern, and the same in each test.
      const share = (step: number) => (at * step) % 1;
      const lr = 10 ** (-5 + 4 * share(0.618034));
      const meta = {
        lr,
        seed: at,
        dropout: share(0.414214),
        opt: ["adamw", "lion"][at % 2],
        same: 1,
      };
      const recorder = await client.record({ slug: `matters/${at}`, meta });
      const loss = 3 + (Math.log10(lr) + 3) ** 2 + 0.4 * (at % 2) + share(0.7320508) / 20;
      if (at > 0) recorder.record("loss", loss, 1);
      else recorder.record("loss", NaN, 1);
      await recorder.finish();
    };
    for (let start = 0; start < runs; start += 20)
      await Promise.all(Array.from({ length: 20 }, (_, at) => record(start + at)));
    await counted(client);
  });

  test("a learning rate that is best in the middle is first, over everything that is found", async () => {
    const { page, seen } = await pages.open("/compare?q=slug ~ matters*&sort=metric.loss.min");
    // Going to it opens it.
    const parts = page.getByRole("navigation", { name: "Parts of the comparison" });
    await parts.getByRole("button", { name: "Importance" }).click();
    await page.waitForURL(/matters=usual/);
    const card = page.getByRole("region", { name: "Importance" });
    await card
      .getByText(/^A forest of decision trees explains \d+ ± \d+ % of the differences/)
      .waitFor();
    await card.getByText(/Over 119 experiments, 1 has no finite loss\.min\./).waitFor();
    const rows = card.locator("tbody tr");
    const texts = await rows.allInnerTexts();
    assert.match(texts[0], /^lr\b[\s\S]*\d+ ± \d+ %[\s\S]*[+−]0\.[\s\S]*least in the middle/);
    assert.ok(!texts.some((text) => text.startsWith("same")), texts.join("; "));
    assert.match(
      texts.find((text) => text.startsWith("dropout"))!,
      /may be chance/,
    );
    await rows.first().getByRole("button", { name: "scatter" }).click();
    await page.locator(`.relations [data-experiments="${runs - 1}"]`).waitFor();
    const { searchParams } = new URL(page.url());
    assert.deepEqual(
      [searchParams.get("px"), searchParams.get("py")],
      ["meta.lr", "metric.loss.min"],
    );
    // The learning rate spans four powers of ten, evenly.
    await page.getByText("ranges of the axes").click();
    await page.getByRole("button", { name: "log lr", pressed: true }).waitFor();
    assert.deepEqual(seen.problems, []);
  });

  test("too few experiments say nothing, and another metric is another question", async () => {
    const { page } = await pages.open(
      "/compare?q=slug ~ matters*&sort=slug&matters=metric.loss.last",
    );
    await page.getByText(/of the differences in loss between/).waitFor();
    await page.goto(
      `${pages.service.baseUrl}/compare?q=slug ~ matters* and meta.seed < 9&sort=slug&matters=usual`,
    );
    await page
      .getByText("Only 8 experiments have loss.min: too few to compute importance.")
      .waitFor();
    assert.equal(await page.locator(".importance-rows").count(), 0);
  });
});
