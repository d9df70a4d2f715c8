import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { Page } from "playwright-core";
import { pagesSuite } from "./pages-suite.ts";

const steps = 400;
/** Values that have many digits, or powers of ten far from 0, by the names of their series. */
const wide: Record<string, (step: number) => number> = {
  tokens: (step) => 123_456_789 + step,
  "tokens/less": (step) => -123_456_789 - step,
  "far/up": (step) => 2 ** 53 - 1_000 + step,
  tiny: (step) => 1.2345e-300 * (1 + step),
  huge: (step) => 1e306 * Math.sin(step / 50),
  near: (step) => 1 + step * 1e-10,
};

pagesSuite("what axes and readings say", (pages) => {
  let run: string;

  before(async () => {
    const recorder = await pages.client.record({ slug: "wide", meta: {} });
    for (let step = 0; step < steps; step++)
      for (const [name, valueAt] of Object.entries(wide))
        recorder.record(name, valueAt(step), step * 2_500);
    await recorder.finish();
    run = recorder.experimentId;
  });

  const open = async (more: string, width: number) => {
    const { page } = await pages.open(`/experiments/${run}?tab=charts&${more}`, {
      viewport: { width, height: 2_400 },
    });
    const charts = more.startsWith("m=") ? 1 : Object.keys(wide).length;
    await page
      .locator(".chart canvas")
      .nth(charts - 1)
      .waitFor();
    return page;
  };

  test("no number of an axis leaves its chart, at any magnitude and width", async () => {
    for (const width of [1_440, 390])
      for (const more of ["", "y=log", "y=symlog", "x=metric:tokens", "x=elapsed"]) {
        const page = await open(more, width);
        const faults = await page.evaluate<string[]>(cutTexts);
        assert.deepEqual(faults, [], `${more} at ${width}`);
        await page.context().close();
      }
  });

  test("an axis of many digits says what its ticks are counted from", async () => {
    const page = await open("", 1_440);
    const painted = await page.evaluate<boolean>(`(() => {
      const canvas = document.querySelector("figure[data-series=tokens] canvas");
      const ratio = devicePixelRatio;
      const { data } = canvas.getContext("2d").getImageData(0, 0, 200 * ratio, 18 * ratio);
      return data.some((each, at) => at % 4 === 3 && each > 0);
    })()`);
    assert.ok(painted);
  });

  test("under a pointer nothing moves, and no reading leaves its card", async () => {
    for (const width of [1_440, 1_024, 390]) {
      const page = await open("x=metric:tokens", width);
      const before = await placesOf(page);
      const plot = page.locator("figure[data-series=near] .plot");
      await plot.scrollIntoViewIfNeeded();
      const scrolled = await page.evaluate<number>("scrollY");
      const box = (await plot.boundingBox())!;
      await page.mouse.move(box.x + box.width * 0.6, box.y + box.height / 2);
      await page.getByText(/^tokens 123,457,\d\d\d, step /).waitFor();
      assert.equal(await page.evaluate<number>("scrollY"), scrolled);
      assert.deepEqual(await placesOf(page), before, String(width));
      const wider = await page.evaluate<string[]>(`[...document.querySelectorAll(".readings")]
        .filter((one) => one.scrollWidth > one.clientWidth + 1)
        .map((one) => one.textContent)`);
      assert.deepEqual(wider, [], String(width));
      await page.context().close();
    }
  });

  test("a zoom that ends in an earlier NaN does not read the value before it as the last", async () => {
    const recorder = await pages.client.record({ slug: "recovered" });
    for (let step = 0; step < 60; step++)
      recorder.record("loss", step === 20 || step > 50 ? NaN : step, step);
    await recorder.finish();
    const readingAt = async (range: string) => {
      const { page } = await pages.open(`/experiments/${recorder.experimentId}?r=${range}`);
      const reading = page.locator("figure.chart .readings");
      await reading.waitFor();
      return (await reading.innerText()).replace(/\s+/g, " ");
    };
    assert.match(await readingAt("0~21"), /\b19 \(last finite value\)/);
    assert.match(await readingAt("30~60"), /\bNaN\b/);
  });

  test("a run that was resumed reads the last value of each step, and names earlier ones", async () => {
    const recorder = await pages.client.record({ slug: "resumed" });
    const record = (start: number, end: number, value: number, ms: number) => {
      for (let step = start; step < end; step++)
        recorder.record("loss", value, step, { timestampMs: ms + step });
    };
    record(0, 30, 1, 1_000);
    record(20, 26, 2, 9_000);
    await recorder.finish();
    const { page } = await pages.open(`/experiments/${recorder.experimentId}?tab=charts`);
    const figure = page.locator("figure.chart");
    await figure
      .getByText(/6 steps from 20 to 25 recorded twice \(earlier values faint\)/)
      .waitFor();
    const plot = (await figure.locator(".u-over").boundingBox())!;
    const readings = figure.locator(".readings");
    const point = async (step: number) => {
      await page.mouse.move(plot.x + (plot.width * step) / 29, plot.y + plot.height / 2);
      await readings
        .getByText(`step ${step},`)
        .or(readings.getByText(`step ${step}`))
        .first()
        .waitFor();
      return (await readings.innerText()).replace(/\s+/g, " ");
    };
    assert.match(await point(22), /\b2, earlier 1\b/);
    assert.doesNotMatch(await point(27), /earlier/);
  });

  test("after a zoom the line stands under the pointer, where it is read", async () => {
    const page = await open("m=near", 1_440);
    const figure = page.locator("figure[data-series=near]");
    const over = (await figure.locator(".u-over").boundingBox())!;
    const y = over.y + over.height / 2;
    await page.mouse.move(over.x + over.width * 0.6, y);
    await page.mouse.down();
    await page.mouse.move(over.x + over.width * 0.3, y, { steps: 4 });
    await page.mouse.up();
    await page.waitForURL(/r=/);
    await figure.getByText(/^1\d\d points, not sampled/).waitFor();
    const { left, share } = await page.evaluate<{ left: number; share: number }>(`(() => {
      const figure = document.querySelector("figure[data-series=near]");
      const step = Number(/step ([\\d,]+)/.exec(figure.querySelector(".at").textContent)[1].replaceAll(",", ""));
      const [start, end] = new URLSearchParams(location.search).get("r").split("~").map(Number);
      const line = figure.querySelector(".u-cursor-x").getBoundingClientRect();
      const over = figure.querySelector(".u-over").getBoundingClientRect();
      return { left: (line.left - over.left) / over.width, share: (step - start) / (end - start) };
    })()`);
    assert.ok(
      Math.abs(left - share) < 0.02 && Math.abs(left - 0.3) < 0.02,
      `the pointer at 0.3, the line at ${left}, the reading at ${share}`,
    );
  });
});

/** Charts whose texts reach to the edges of their canvas. */
const cutTexts = `[...document.querySelectorAll(".chart canvas")].flatMap((canvas) => {
  const context = canvas.getContext("2d");
  const { width, height } = canvas;
  const isPainted = (left) =>
    context.getImageData(left, 0, 1, height).data.some((each, at) => at % 4 === 3 && each > 0);
  const name = canvas.closest("figure").dataset.series;
  return [0, width - 1].filter(isPainted).map((left) => name + " at " + left);
})`;

function placesOf(page: Page): Promise<unknown> {
  return page.evaluate(`[...document.querySelectorAll(".chart .plot")].map(
    (plot) => Math.round(plot.getBoundingClientRect().top + scrollY))`);
}
