import { readFile } from "node:fs/promises";
import { LosslessClient } from "@lossless/client";
import type { Browser, Page } from "playwright-core";
import { organizations, Service } from "../service.ts";
import { startChromium } from "../web/chromium.ts";
import { newPage, signIn } from "../web/new-page.ts";
import { median } from "./measure.ts";

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

/** Private bytes of the page's process, as Linux counts them; otherwise the heap of its scripts. */
async function privateBytes(browser: Browser, page: Page): Promise<number> {
  // Garbage does not count; a second collection frees objects that the first one held.
  const collecting = await page.context().newCDPSession(page);
  for (let round = 0; round < 2; round++) await collecting.send("HeapProfiler.collectGarbage");
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send("SystemInfo.getProcessInfo");
  const renderers = processInfo.filter(({ type }) => type === "renderer").map(({ id }) => id);
  const bytes = await Promise.all(renderers.map(privateOf));
  if (bytes.length > 0 && bytes.every((each) => each > 0)) return Math.max(...bytes);
  return (await page.evaluate("performance.memory.usedJSHeapSize")) as number;
}

async function privateOf(processId: number): Promise<number> {
  const text = await readFile(`/proc/${processId}/smaps_rollup`, "utf8").catch(() => "");
  const kibs = [...text.matchAll(/^Private_(?:Clean|Dirty): +(\d+) kB$/gm)];
  return kibs.reduce((sum, [, kib]) => sum + 1_024 * Number(kib), 0);
}
