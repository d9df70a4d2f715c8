import { LosslessClient } from "@lossless/client";
import type { Page } from "playwright-core";
import { organizations, Service } from "../service.ts";
import { startChromium } from "../web/chromium.ts";
import { newPage, signIn } from "../web/new-page.ts";
import { median } from "./measure.ts";
import { privateBytes } from "./page-memory.ts";

const experiments = 100;
const charts = 12;
const points = 2_000;
const paints = 15;

/** A hundred experiments laid over each other in twelve charts, all on the screen. */
export async function measureCompare(set: (name: string, value: number) => void): Promise<void> {
  await using service = await Service.start({ people: true });
  await recordAll(service.baseUrl);
  const browser = await startChromium();
  try {
    const viewport = { width: 2_560, height: 2_000 };
    const { page } = await newPage(browser, { viewport, bypassCSP: true });
    await page.goto(`${service.baseUrl}/experiments`);
    await signIn(page);
    await page
      .getByText(`compared-${experiments - 1}`)
      .first()
      .waitFor();
    const startedMs = performance.now();
    await page.goto(`${service.baseUrl}/compare?sort=slug`);
    await page.waitForFunction(
      `document.querySelectorAll("figure.chart canvas").length === ${charts}`,
    );
    set(`${charts} charts of ${experiments} experiments ms`, performance.now() - startedMs);
    set("paint of 100 series ms", await paintMs(page));
    set("page of 12 charts of 100 series MB", (await privateBytes(browser, page)) / 1e6);
    set("values beside the pointer, 100 lines, ms a move", await besideMs(page));
    set("list of 100 values ms a move", await listMs(page));
  } finally {
    await browser.close();
  }
}

async function recordAll(baseUrl: string): Promise<void> {
  const client = new LosslessClient({ baseUrl, apiKey: organizations.acme.key });
  for (let number = 0; number < experiments; number++) {
    const recorder = await client.record({ slug: `compared-${number}`, meta: { number } });
    for (let step = 0; step < points; step++)
      for (let chart = 0; chart < charts; chart++)
        recorder.record(`metric-${chart}`, Math.sin(step * number) + number, step);
    await recorder.finish();
  }
}

/**
 * How long a chart takes to paint its lines anew, one of them raised by a pointer that is at its
 * end: with the pixels, which a browser would else make later.
 */
async function paintMs(page: Page): Promise<number> {
  const tookMs = (await page.evaluate(`(async () => {
    const plot = document.querySelector("figure.chart .plot");
    const [over, canvas] = [plot.querySelector(".u-over"), plot.querySelector("canvas")];
    const { left, top, width, height } = over.getBoundingClientRect();
    const all = [];
    for (let count = 0; count < ${paints}; count++) {
      const clientY = top + (height * (count + 2)) / (${paints} + 4);
      const at = { clientX: left + width / 2, clientY };
      const startedMs = performance.now();
      over.dispatchEvent(new MouseEvent("mousemove", at));
      await Promise.resolve();
      canvas.getContext("2d").getImageData(0, 0, 1, 1);
      all.push(performance.now() - startedMs);
      await new Promise((next) => setTimeout(next, 50));
    }
    return all;
  })()`)) as number[];
  return median(tookMs);
}

/** Milliseconds of a move of the pointer over a chart until the values beside it are laid out. */
async function besideMs(page: Page): Promise<number> {
  await page.locator("figure.chart .u-over").first().hover();
  await page.locator(".near-values li").first().waitFor();
  return moveMs(
    page,
    `(() => {
      const over = document.querySelector("figure.chart .u-over");
      const { left, top, width, height } = over.getBoundingClientRect();
      return (count) => over.dispatchEvent(new MouseEvent("mousemove", {
        clientX: left + width * (0.3 + count / 100), clientY: top + height / 2, bubbles: true,
      }));
    })()`,
    ".near-values",
  );
}

/** The same of a move of the cursor by a key, until the open list of all values is laid out. */
async function listMs(page: Page): Promise<number> {
  await page.keyboard.press("v");
  await page
    .locator(".values li")
    .nth(experiments - 1)
    .waitFor();
  return moveMs(
    page,
    `(() => {
      const list = document.querySelector(".values > ol");
      return () => list.dispatchEvent(
        new KeyboardEvent("keydown", { key: "ArrowRight", bubbles: true }));
    })()`,
    ".values",
  );
}

/** The median of moves: in turn each changes the page, which is then laid out. */
async function moveMs(page: Page, move: string, shown: string): Promise<number> {
  const tookMs = (await page.evaluate(`(async () => {
    const move = ${move};
    const textOf = () => document.querySelector("${shown}").textContent;
    const all = [];
    let before = textOf();
    for (let count = 0; count < ${paints}; count++) {
      const startedMs = performance.now();
      move(count);
      // The page is rendered after the turn of the event.
      await new Promise((next) => queueMicrotask(() => queueMicrotask(next)));
      document.querySelector("${shown}").getBoundingClientRect();
      all.push(performance.now() - startedMs);
      await new Promise((next) => requestAnimationFrame(() => requestAnimationFrame(next)));
      if (textOf() === before) throw new Error("A move has changed nothing.");
      before = textOf();
    }
    return all;
  })()`)) as number[];
  return median(tookMs);
}
