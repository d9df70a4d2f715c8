import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { faultsInAllLooks } from "./axe.ts";
import { logged, logRun } from "./logged-run.ts";
import { pagesSuite } from "./pages-suite.ts";
import { pngOf } from "./pushed-artifacts.ts";
import { until } from "./until.ts";

pagesSuite("tables of several runs as one", (pages) => {
  const { service } = pages;
  type Rows = readonly (readonly unknown[])[];
  const columns = ["id", "truth", "guess", "score", "correct"];
  const runs: [string, Rows][] = [
    [
      "tables/adam",
      [
        ["a1", "cat", "cat", 0.9, true],
        ["a2", "dog", "cat", 0.6, false],
        ["a3", "cat", "cat", 0.8, true],
      ],
    ],
    [
      "tables/muon",
      [
        ["a3", "cat", "cat", 0.8, true],
        ["a2", "dog", "dog", 0.7, true],
        ["a4", "dog", "dog", { _number: "NaN" }, true],
        ["a1", "cat", "cat", 0.9, true],
      ],
    ],
  ];
  let ids: Promise<string[]> | undefined;
  const log = async () => {
    const made: string[] = [];
    for (const [slug, data] of runs) {
      const files = { "table.json": JSON.stringify({ columns, data }) };
      const notes = [logged({ slug, files }, "table", "guesses", 500, "table.json")];
      made.push((await logRun(pages.client, service.baseUrl, slug, { files, notes })).experimentId);
    }
    return made;
  };
  const opened = async (more: Record<string, string> = {}) => {
    const [adam, muon] = await (ids ??= log());
    const parameters = new URLSearchParams({ e: `${muon},${adam}`, ref: adam, ...more });
    const { page } = await pages.open(`/compare?${parameters.toString()}`);
    const panel = page.locator('.media-panel[data-series="guesses"]');
    await panel.waitFor();
    await panel.scrollIntoViewIfNeeded();
    return { page, panel };
  };
  const cells = async (page: Page) => {
    const rows = await page.locator(".together tbody tr").all();
    return Promise.all(rows.map((row) => row.locator("td").allInnerTexts()));
  };
  const shows = (page: Page, wanted: string[][]) =>
    until(async () => assert.deepEqual(await cells(page), wanted));

  test("a row of a key has the cells of each run side by side, and says where they differ", async () => {
    const { page, panel } = await opened();
    // Tables with the same columns and a key are joined at first. The key is the column that tells
    // rows apart, and what is equal everywhere stands once.
    assert.equal(await panel.getByLabel("key").inputValue(), "id");
    await shows(page, [
      ["a1", "2", "cat", "cat", "cat", "0.9", "0.9", "true", "true"],
      ["a2", "2", "dog", "cat", "≠dog", "0.6", "≠0.7", "false", "≠true"],
      ["a3", "2", "cat", "cat", "cat", "0.8", "0.8", "true", "true"],
      ["a4", "1", "dog", "–", "≠dog", "–", "≠NaN", "–", "≠true"],
    ]);
    await panel.getByLabel("in", { exact: true }).selectOption("score");
    await panel.getByRole("button", { name: "only rows that differ 2" }).click();
    await panel.getByText("2 of 4 rows").waitFor();
    await panel.getByRole("button", { name: /^score, .*muon/ }).click();
    await panel.getByRole("button", { name: /^score, .*muon/ }).click();
    await page.reload();
    await panel.scrollIntoViewIfNeeded();
    await until(async () => {
      const first = (await cells(page)).map(([id]) => id);
      assert.deepEqual(first, ["a2", "a4"]);
    });
    const [saved] = await Promise.all([
      page.waitForEvent("download"),
      panel.getByRole("button", { name: "CSV" }).click(),
    ]);
    const csv = await readFile(await saved.path(), "utf8");
    assert.match(csv, /^id,runs,truth,guess \(tables\/adam\),guess \(tables\/muon\),/);
    assert.match(csv, /\r\na2,2,dog,cat,dog,0\.6,0\.7,false,true\r\na4,1,dog,,dog,,NaN,,true\r\n$/);
    await panel.getByLabel("key").selectOption("truth");
    await panel.getByText(/2 values of truth stand in several rows of one run/).waitFor();
  });

  test("rows that one run got right and another wrong are found by conditions", async () => {
    const { page, panel } = await opened();
    const add = async (column: string, of: string, sign: string, value: string) => {
      const form = panel.getByRole("form", { name: "A condition on guesses" });
      await form.getByLabel("column").selectOption(column);
      await form.getByLabel("of", { exact: true }).selectOption(of);
      await form.getByLabel("condition").selectOption(sign);
      await form.getByLabel("value").fill(value);
      await form.getByLabel("value").press("Enter");
    };
    await panel.getByRole("button", { name: "Filter rows of guesses" }).press("Enter");
    await add("correct", "tables/muon", "=", "true");
    await panel.getByText("4 rows.").waitFor();
    await add("correct", "tables/adam", "=", "false");
    const muonRight = ["a2", "2", "dog", "cat", "≠dog", "0.6", "≠0.7", "false", "≠true"];
    await shows(page, [muonRight]);
    await page.reload();
    await panel.scrollIntoViewIfNeeded();
    await shows(page, [muonRight]);
    const conditions = panel.getByRole("list", { name: "Rows of guesses are shown where" });
    await until(async () =>
      assert.deepEqual(
        (await conditions.getByRole("listitem").allInnerTexts()).map((text) =>
          text.replaceAll(/\s+/g, " "),
        ),
        ["correct of tables/muon = true 4 ✕", "correct of tables/adam = false 1 ✕"],
      ),
    );
    await conditions.getByRole("button", { name: "Remove correct of tables/muon = true" }).click();
    await conditions.getByRole("button", { name: "Remove correct of tables/adam = false" }).click();
    await panel.getByText("4 rows.").waitFor();
    await panel.getByRole("button", { name: "Filter rows of guesses" }).click();
    await add("score", "all runs", ">", "0.8");
    await until(async () =>
      assert.deepEqual(
        (await cells(page)).map(([id]) => id),
        ["a1"],
      ),
    );
    // The condition stays where rows stand one below the other, and in groups.
    await panel.getByRole("button", { name: "one below the other" }).click();
    await panel.getByText("2 of 7 rows").waitFor();
    await panel.getByLabel("group by").selectOption("truth");
    await shows(page, [["cat", "1", "1", "0.9", "0.9", "1", "1"]]);
  });

  test("equal pictures stand once, and others where they are of each run", async () => {
    const made: string[] = [];
    for (const [at, slug] of ["pictures/one", "pictures/two"].entries()) {
      const data = ["a", "b"].map((id) => [
        id,
        { _media: { kind: "image", path: `${at}-${id}.png`, caption: id } },
        { _media: { kind: "image", path: `${at}-own.png`, caption: "own" } },
        at === 0 ? "cat" : "dog",
      ]);
      const columns = ["id", "image", "map", "guess"];
      const files = {
        "table.json": JSON.stringify({ columns, data }),
        [`${at}-a.png`]: pngOf(28, 28),
        [`${at}-b.png`]: pngOf(20, 28),
        [`${at}-own.png`]: pngOf(28, 28 + at),
      };
      const notes = [logged({ slug, files }, "table", "shown", 500, "table.json")];
      made.push((await logRun(pages.client, service.baseUrl, slug, { files, notes })).experimentId);
    }
    const { page } = await pages.open(`/compare?e=${made.join()}`);
    const panel = page.locator('.media-panel[data-series="shown"]');
    await panel.scrollIntoViewIfNeeded();
    await until(async () =>
      assert.deepEqual(
        (await cells(page)).map((row) => row.length),
        [6, 6],
      ),
    );
    await until(async () => assert.equal(await panel.locator("td img").count(), 6));
    assert.deepEqual(await panel.locator('th[scope="colgroup"]').allInnerTexts(), ["map", "guess"]);
    await panel.getByText("2 rows.", { exact: true }).waitFor();
  });

  test("one below the other rows say their run, and groups have counts and means of each", async () => {
    const { page, panel } = await opened();
    await panel.getByRole("button", { name: "one below the other" }).click();
    await panel.getByText("7 rows.").waitFor();
    assert.deepEqual((await cells(page))[3].slice(0, 3), ["tables/muon", "a3", "cat"]);
    await panel.getByLabel("group by").selectOption("truth");
    await shows(page, [
      ["cat", "2", "2", "0.85", "0.85", "1", "1"],
      ["dog", "1", "2", "0.6", "0.7 1 of 2", "0", "1"],
    ]);
    await panel.getByText("Without numbers, and so not here: id, guess.").waitFor();
    await panel.getByLabel("group by").selectOption("all rows");
    await shows(page, [["all rows", "3", "4", "0.766667", "0.8 3 of 4", "0.666667", "1"]]);
    await page.goBack();
    await shows(page, [
      ["cat", "2", "2", "0.85", "0.85", "1", "1"],
      ["dog", "1", "2", "0.6", "0.7 1 of 2", "0", "1"],
    ]);
  });

  test("the table of one experiment has groups, too", async () => {
    const [adam] = await (ids ??= log());
    const { page } = await pages.open(`/experiments/${adam}?tab=charts`);
    const panel = page.locator('.media-panel[data-series="guesses"]');
    await panel.waitFor();
    await panel.scrollIntoViewIfNeeded();
    await panel.getByRole("button", { name: "in groups" }).click();
    await panel.getByLabel("group by").selectOption("guess");
    await shows(page, [["cat", "3", "0.766667", "0.666667"]]);
    await panel.getByRole("button", { name: "filtered" }).click();
    await panel.getByLabel("column").selectOption("correct");
    await panel.getByLabel("value").fill("false");
    await panel.getByRole("button", { name: "add", exact: true }).click();
    await panel.getByText("1 of 3 rows").waitFor();
    await panel.getByRole("button", { name: "in groups" }).click();
    await shows(page, [["all rows", "1", "0.6", "0"]]);
    await panel.getByRole("button", { name: "Remove correct = false" }).click();
    await shows(page, [["all rows", "3", "0.766667", "0.666667"]]);
  });

  test("in full screen a table takes the height of the screen, and words stay whole", async () => {
    const slug = "tables/long";
    const data = Array.from({ length: 60 }, (_, at) => [`img_${10_000 + at}`, "automobile", at]);
    const named = { columns: ["id", "a column with quite a long name", "number"], data };
    const files = { "table.json": JSON.stringify(named) };
    const notes = [logged({ slug, files }, "table", "long", 500, "table.json")];
    const { experimentId } = await logRun(pages.client, service.baseUrl, slug, { files, notes });
    for (const as of ["apart", "stacked"]) {
      const tables = encodeURIComponent(JSON.stringify({ long: { as } }));
      const { page } = await pages.open(
        `/experiments/${experimentId}?tab=charts&tables=${tables}`,
        {
          viewport: { width: 390, height: 900 },
        },
      );
      const panel = page.locator('.media-panel[data-series="long"]');
      await panel.scrollIntoViewIfNeeded();
      const box = panel.locator(".logged-rows");
      await box.locator("tbody tr").first().waitFor();
      const cell = await box.locator("td").first().boundingBox();
      assert.ok(cell!.height < 40, `img_10000 is broken: ${cell!.height} high`);
      assert.ok((await box.boundingBox())!.height < 0.8 * 900);
      await page.evaluate(`document.querySelector('[data-series="long"]').requestFullscreen()`);
      await until(async () => {
        const { y, height } = (await box.boundingBox())!;
        const screen = await page.evaluate<number>("innerHeight");
        assert.ok(y + height > screen - 100 && y + height <= screen, `${y} + ${height}`);
      });
    }
  });

  test("the head of the first column passes below the controls of the charts", async () => {
    const { page, panel } = await opened();
    const head = panel.locator(".together th").first();
    await head.waitFor();
    const isBelow = await page.evaluate<boolean>(`(async () => {
      const corner = document.querySelector(".together th");
      scrollBy(0, corner.getBoundingClientRect().top - 20);
      await new Promise((painted) => requestAnimationFrame(painted));
      const { left, top } = corner.getBoundingClientRect();
      return document.elementFromPoint(left + 10, top + 10).closest(".toolbar") !== null;
    })()`);
    assert.ok(isBelow, "the controls are in front");
  });

  test("in every look without faults", async () => {
    const where = [{ column: "correct", run: "all", sign: "=", value: "true" }];
    for (const view of [
      { as: "joined", where },
      { as: "stacked", where },
      { as: "stacked", by: "truth" },
    ]) {
      const { page, panel } = await opened({ tables: JSON.stringify({ guesses: view }) });
      await panel.locator(".together tbody tr").first().waitFor();
      await panel.getByRole("button", { name: "Filter rows of guesses" }).click();
      await page.evaluate(staticSlider);
      assert.deepEqual(await faultsInAllLooks(page), []);
    }
  });
});

/** Media of several steps have a slider, which would cover what a picture of the page shows. */
const staticSlider = `for (const slider of document.querySelectorAll(".step-slider"))
  slider.style.position = "static";`;
