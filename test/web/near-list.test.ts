import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { Locator, Page } from "playwright-core";
import { pagesSuite } from "./pages-suite.ts";
import { until } from "./until.ts";

const lines = 60;
const steps = 3_000;
/** Every tenth run ends here. */
const endedAt = 1_500;
const optimizers = ["soap", "muon", "adamw", "lion"];
const names = Array.from({ length: lines }, (_, at) => {
  const rate = (0.0014 + Math.floor(at / 4) * 0.0003).toFixed(4);
  return `${optimizers[at % 4]}-lr${rate}-bs${[128, 256][at % 2]}-seed${at % 5}`;
});
const series = ["train/accuracy", "train/loss", "train/norm"];

pagesSuite("the list at the cursor, of 60 lines", (pages) => {
  let folderId: string;

  before(async () => {
    folderId = (await pages.client.folders.ensure(["near-list"]))!;
    const record = async (slug: string, at: number) => {
      const meta = { optimizer: optimizers[at % 4], seed: at % 5, at };
      const run = await pages.client.record({ slug, folderId, meta });
      for (let step = 0; step <= (at % 10 === 3 ? endedAt : steps); step++)
        for (const [which, name] of series.entries()) {
          if (which !== 1 && step % 10 > 0) continue;
          const noise = Math.sin(step * (at + 1) * (which + 7)) / 40;
          const timestampMs = 1.7e12 + 1_000 * step;
          run.record(name, 2 + at / 20 + 3 / (1 + step / 200) + noise, step, { timestampMs });
        }
      await run.finish();
    };
    for (let at = 0; at < lines; at += 6)
      await Promise.all(names.slice(at, at + 6).map((name, part) => record(name, at + part)));
  });

  const open = async (width: number, more = "", options: Parameters<typeof pages.open>[1] = {}) => {
    const { page } = await pages.open(`/compare?folder=${folderId}${more}`, {
      viewport: { width, height: 900 },
      ...options,
    });
    const chart = page.locator("figure[data-series='train/loss']");
    await chart.locator("canvas").waitFor();
    if (width > 1_200)
      await page.evaluate(`
        document.querySelector(".charts").style.gridTemplateColumns = "repeat(3, minmax(0, 1fr))"`);
    return { page, chart };
  };
  const point = async (chart: Locator, share: number, height = 0.6) => {
    const over = chart.locator(".u-over");
    // A chart that is drawn anew has another element.
    await until(() => over.scrollIntoViewIfNeeded());
    const box = (await over.boundingBox())!;
    const [x, y] = [box.x + share * box.width, box.y + height * box.height];
    await chart.page().mouse.move(x - 1, y);
    await chart.page().mouse.move(x, y);
    return { x, y };
  };
  const listOf = async (chart: Locator) => {
    const near = chart.locator(".near-values");
    await near.locator("li.raised").waitFor();
    return { near, box: (await near.boundingBox())! };
  };
  const picture = async (page: Page, name: string) => {
    const folder = process.env["SHOTS"];
    if (folder) await page.screenshot({ path: `${folder}/${name}.png` });
  };
  const looks = {
    plain: "",
    smoothed: "&s=ema:0.75",
    "over-time": "&x=elapsed",
    grouped: "&group=meta.optimizer,meta.seed",
  };

  for (const width of [1_440, 1_024, 390])
    for (const [look, more] of Object.entries(looks))
      test(`has whole names and lies in the window, ${look} at ${width} pixels`, async () => {
        const colorScheme = look === "smoothed" || width === 1_024 ? "dark" : "light";
        const { page, chart } = await open(width, more, { colorScheme });
        await until(async () => assert.ok((await page.locator(".chart canvas").count()) >= 1));
        for (const share of [0.1, 0.48, 0.52, 0.9]) {
          const { x, y } = await point(chart, share);
          const { near, box } = await listOf(chart);
          await picture(page, `${look}-${width}-${share * 100}`);
          const inWindow = box.x >= 0 && box.y >= 0 && box.x + box.width <= width;
          assert.ok(inWindow && box.y + box.height <= 900, JSON.stringify(box));
          const isApart = box.x > x + 12 || box.x + box.width < x - 12;
          assert.ok(isApart || box.y > y + 12 || box.y + box.height < y - 12, String(share));
          const shown = await near.locator(".name").allTextContents();
          assert.ok(shown.length > 2, String(shown));
          const known = look === "grouped" ? /^[a-z]+, \d$/ : new RegExp(`^(${names.join("|")})$`);
          for (const name of shown) assert.match(name, known);
          const cut = await near
            .locator(".name, .value")
            .evaluateAll((all) =>
              all.filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.textContent),
            );
          assert.deepEqual(cut, []);
          // One value a row; the range of the raised one alone.
          const values = await near.locator("li:not(.raised) .value").allTextContents();
          for (const value of values) assert.match(value, /^[\d.]+$/);
        }
      });

  test("the line under the pointer is marked in all charts and in the list of experiments", async () => {
    const { page, chart } = await open(1_440);
    const rows = page.locator(".compared li[data-pointed]");
    const raisedIn = (name: string) =>
      page.locator(`figure[data-series='${name}'] .readings .raised .unseen`);
    await page.locator(".chart canvas").nth(2).waitFor();
    for (const height of [0.45, 0.6]) {
      await point(chart, 0.5, height);
      await listOf(chart);
      const name = await raisedIn("train/loss").textContent();
      for (const other of ["train/accuracy", "train/norm"])
        await until(async () => assert.equal(await raisedIn(other).textContent(), name));
      const row = rows.filter({ hasText: name! });
      await row.waitFor();
      assert.equal(await rows.count(), 1);
      const [own, list] = await Promise.all(
        [row, page.locator(".compared ul")].map(async (one) => (await one.boundingBox())!),
      );
      assert.ok(own.y >= list.y - 1 && own.y + own.height <= list.y + list.height + 1);
      await picture(page, `marked-${height * 100}`);
    }
    await page.mouse.move(0, 0);
    await rows.waitFor({ state: "detached" });
    for (const name of series) await raisedIn(name).waitFor({ state: "detached" });
    // A row of the list raises its line everywhere, and is not marked as if a chart did.
    await page.locator(".compared li", { hasText: names[20] }).hover();
    for (const name of series)
      await until(async () => assert.equal(await raisedIn(name).textContent(), names[20]));
    assert.equal(await rows.count(), 0);
  });

  test("nothing is painted again in other charts while the pointer stays at a line", async () => {
    const { page, chart } = await open(1_440);
    await page.locator(".chart canvas").nth(2).waitFor();
    const { x, y } = await point(chart, 0.5);
    await listOf(chart);
    const other = page.locator("figure[data-series='train/norm']");
    await other.locator(".readings .raised").waitFor();
    await page.evaluate(`(() => {
      const canvas = document.querySelector("figure[data-series='train/norm'] canvas");
      const context = canvas.getContext("2d");
      const paint = context.clearRect.bind(context);
      context.clearRect = (...box) => {
        canvas.dataset.painted = "again";
        paint(...box);
      };
    })()`);
    for (const by of [0.2, 0.4, 0.6]) await page.mouse.move(x + by, y);
    await chart.locator(".readings .time").waitFor({ state: "attached" });
    assert.equal(await other.locator("canvas[data-painted]").count(), 0);
    // Another line is painted.
    await point(chart, 0.5, 0.45);
    await other.locator("canvas[data-painted]").waitFor();
  });

  test("in the line above a chart the time has room, or goes before the name is cut", async () => {
    for (const width of [1_440, 1_024]) {
      const { page, chart } = await open(width);
      await point(chart, 0.5);
      await listOf(chart);
      const time = chart.locator(".readings .time");
      await time.waitFor({ state: "attached" });
      await picture(page, `time-${width}`);
      const isShown = await page.evaluate<boolean>(`(() => {
        const time = document.querySelector("figure[data-series='train/loss'] .readings .time");
        const text = document.createRange();
        text.selectNodeContents(time);
        return text.getBoundingClientRect().top < time.getBoundingClientRect().bottom;
      })()`);
      assert.equal(isShown, width === 1_024);
      const place = chart.locator(".readings .at");
      assert.ok(await place.evaluate((one) => one.scrollWidth <= one.clientWidth));
    }
  });

  test("a value above a chart has all its figures, and its range all or none", async () => {
    for (const more of ["", "&s=ema:0.75", "&group=meta.optimizer", "&group=meta.at&s=ema:0.75"])
      for (const width of [1_440, 390]) {
        const { page, chart } = await open(width, more);
        await point(chart, 0.5);
        await chart.locator(".readings .raised .told").waitFor();
        await picture(page, `figures-${width}${more}`);
        assert.deepEqual(await page.evaluate(cutFigures), [], `${more} at ${width}`);
      }
  });

  test("in full screen it is within the screen, and nothing begins to scroll", async () => {
    const { page, chart } = await open(1_440);
    await point(chart, 0.5);
    await page.keyboard.press("f");
    await until(async () =>
      assert.ok(await page.evaluate<boolean>("document.fullscreenElement !== null")),
    );
    for (const share of [0.2, 0.8]) {
      await until(async () => {
        await point(chart, share);
        const { box } = await listOf(chart);
        const room = await chart.evaluate((one) => ({
          width: one.clientWidth,
          height: one.clientHeight,
          isScrolled: one.scrollHeight > one.clientHeight || one.scrollWidth > one.clientWidth,
        }));
        assert.ok(!room.isScrolled && box.x >= 0 && box.x + box.width <= room.width);
        assert.ok(box.y >= 0 && box.y + box.height <= room.height);
      });
      await picture(page, `full-${share * 100}`);
    }
  });
});

/** Values, and ranges that are shown, beyond the edge of their reading. */
const cutFigures = `[...document.querySelectorAll(".readings :is(.told, .range)")].filter((one) => {
  const reading = one.closest(".readings > *").getBoundingClientRect();
  const text = document.createRange();
  text.selectNodeContents(one);
  const { right, top } = text.getBoundingClientRect();
  const isShown = one.matches(".told") || top < reading.bottom - 2;
  return isShown && right > reading.right + 1;
}).map((one) => one.parentElement.textContent)`;
