import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { logged, logRun } from "./logged-run.ts";
import { pagesSuite } from "./pages-suite.ts";
import { until } from "./until.ts";

const optimizers = ["muon", "adamw", "soap", "lion"];

/** Names of one scheme, which differ in their middle and at their end, as those of a sweep do. */
const names = Array.from({ length: 60 }, (_, at) => {
  const rate = (10 ** (-4 + ((at * 37) % 60) / 24)).toExponential(1).replace(/e-(\d)$/, "e-0$1");
  return `resnet18-${optimizers[at % 4]}-lr${rate}-bs${[32, 64, 128][at % 3]}-seed${at % 5}`;
});

const screens = [
  { width: 1_440, colorScheme: "light" },
  { width: 1_024, colorScheme: "dark" },
  { width: 390, colorScheme: "light" },
] as const;

pagesSuite("names of a sweep", (pages) => {
  let recorded: ReturnType<typeof record> | undefined;
  const record = async () => {
    const folderId = (await pages.client.folders.ensure(["sweep-names"]))!;
    const ofTables = names.slice(0, 3).map(async (slug, at) => {
      const table = { columns: ["id", "guess"], data: [1, 2].map((id) => [id, `${at * id}`]) };
      const files = { "table.json": JSON.stringify(table) };
      const notes = [logged({ slug, files }, "table", "guesses", 100, "table.json")];
      const { client, service } = pages;
      return (await logRun(client, service.baseUrl, slug, { files, notes, last: 100 }))
        .experimentId;
    });
    const three = await Promise.all(ofTables);
    for (const [at, slug] of ["my-best-run", ...names].entries()) {
      const meta = { lr: at / 1e3, seed: at % 5 };
      const run = await pages.client.record({ slug, folderId, meta });
      for (let step = 0; step <= 100; step += 20)
        run.record("val/loss", 1 + (at % 7) / 7 + 2 / (1 + step * (1 + at / 60)), step);
      await run.finish();
    }
    return { folderId, three: three.join(",") };
  };

  for (const { width, colorScheme } of screens) {
    const opened = async (path: (of: Awaited<ReturnType<typeof record>>) => string) => {
      const visitor = { viewport: { width, height: 900 }, colorScheme };
      return (await pages.open(path(await (recorded ??= record())), visitor)).page;
    };
    const picture = async (page: Page, name: string) => {
      const folder = process.env["SHOTS"];
      if (folder) await page.screenshot({ path: `${folder}/${name}-${width}.png` });
    };
    /** All names of a list are shown, told apart, and none is cut by its box, or without a sign. */
    const areTold = async (page: Page, list: string, least: number) => {
      await until(async () => {
        const shown = await page.evaluate<[string, string, boolean][]>(`
          [...document.querySelectorAll("${list} .cut-name")]
            .filter((one) => one.clientWidth > 0)
            .map((one) => [one.dataset.whole, one.textContent,
              one.lastChild.scrollWidth > one.lastChild.clientWidth + 1])`);
        const whole = new Set(shown.map(([name]) => name));
        assert.ok(whole.size >= least, `${whole.size} names`);
        const named = new Map(shown.map(([name, text]) => [text, name]));
        for (const [name, text] of shown) {
          assert.equal(named.get(text), name, text);
          assert.ok(text === name || text.includes("…"), text);
        }
        assert.deepEqual(
          shown.filter(([, , isCut]) => isCut),
          [],
        );
      });
    };

    test(`can be told apart in the table at ${width} pixels`, async () => {
      const page = await opened(({ folderId }) => `/experiments?folder=${folderId}`);
      await areTold(page, ".grid", 12);
      await picture(page, "table");
    });

    test(`can be told apart in a comparison of all at ${width} pixels`, async () => {
      const page = await opened(({ folderId }) => `/compare?folder=${folderId}&m=val/loss`);
      const chart = page.locator("figure[data-series='val/loss']");
      await chart.locator("canvas").waitFor();
      if (width < 500) await page.getByRole("button", { name: "list ▾" }).click();
      await areTold(page, ".compared", 61);
      await picture(page, "list");
      await chart.getByRole("button", { name: "all values" }).click();
      await areTold(page, ".values", 61);
      await picture(page, "values");
    });

    test(`can be told apart above charts and tables of three at ${width} pixels`, async () => {
      const page = await opened(({ three }) => `/compare?e=${three}`);
      await page.locator("figure[data-series='val/loss'] canvas").waitFor();
      await areTold(page, "figure[data-series='val/loss'] .readings", 3);
      const chart = page.locator("figure[data-series='val/loss']");
      const legend = () => chart.locator(".readings .cut-name").allTextContents();
      assert.deepEqual((await legend()).toSorted(), names.slice(0, 3).toSorted());
      await chart.locator(".plot").hover({ position: { x: 120, y: 60 } });
      await chart.locator(".readings .at", { hasText: "step" }).waitFor();
      assert.deepEqual((await legend()).toSorted(), names.slice(0, 3).toSorted());
      const heads = { ".media-panel[data-series=guesses] thead": 3, ".compares thead": 3 };
      for (const [list, least] of Object.entries(heads)) {
        await page.locator(list).first().scrollIntoViewIfNeeded();
        await areTold(page, list, least);
        await picture(page, list.replaceAll(/\W+/g, "-"));
      }
    });
  }
});
