import { randomBytes } from "node:crypto";
import { LosslessClient } from "@lossless/client";
import type { Page } from "playwright-core";
import { organizations, Service } from "../service.ts";
import { startChromium } from "../web/chromium.ts";
import { logged, logRun } from "../web/logged-run.ts";
import { newPage, signIn } from "../web/new-page.ts";
import { pngFile } from "../web/png-file.ts";
import type { Contents } from "../web/pushed-artifacts.ts";
import { median } from "./measure.ts";
import { privateBytes } from "./page-memory.ts";

const pictures = 10_000;
/** Files that the pictures share. */
const files = 200;
const rounds = 7;
const slides = 100;
const side = 128;

/** A panel of ten thousand pictures: until the first is seen, and what sliding through costs. */
export async function measureMediaPage(set: (name: string, value: number) => void): Promise<void> {
  await using service = await Service.start({ people: true });
  const { experimentId } = await logPictures(service.baseUrl);
  const browser = await startChromium();
  try {
    const { page } = await newPage(browser, {
      viewport: { width: 1_440, height: 2_000 },
      bypassCSP: true,
    });
    await page.goto(`${service.baseUrl}/experiments`);
    await signIn(page);
    const row = page.locator(`a[href^="/experiments/${experimentId}"]`).first();
    await row.waitFor();
    const waits: number[] = [];
    for (let round = 0; round < rounds; round++) {
      const startedMs = performance.now();
      await page.goto(`${service.baseUrl}/experiments/${experimentId}?tab=charts`, {
        waitUntil: "commit",
      });
      await page.waitForFunction(isSeen, undefined, { polling: "raf" });
      waits.push(performance.now() - startedMs);
    }
    set(`first of ${pictures} pictures ms`, median(waits));
    set("another picture of the slider ms", await slideMs(page));
    set(`page of ${pictures} pictures MB`, (await privateBytes(browser, page)) / 1e6);
  } finally {
    await browser.close();
  }
}

/** Pictures of noise, which nothing compresses: 49 kB each. */
async function logPictures(baseUrl: string): Promise<{ experimentId: string }> {
  const client = new LosslessClient({ baseUrl, apiKey: organizations.acme.key });
  const slug = "pictures";
  const contents: Contents = {};
  for (let at = 0; at < files; at++) contents[`${at}.png`] = noise();
  const notes = Array.from({ length: pictures }, (_, step) =>
    logged({ slug, files: contents }, "image", "samples", step, `${step % files}.png`, {
      width: side,
      height: side,
      caption: `picture of ${step}`,
    }),
  );
  return logRun(client, baseUrl, slug, { files: contents, notes, last: pictures });
}

function noise(): Buffer {
  const rows = randomBytes(side * (1 + 3 * side));
  // The first byte of a row names its filter: none.
  for (let row = 0; row < side; row++) rows[row * (1 + 3 * side)] = 0;
  return pngFile({ width: side, height: side, kind: 2, rows });
}

/** A text, since the types of a browser are not those of this program. */
const isSeen = `[...document.querySelectorAll(".media-panel [aria-busy=false] img")].some(
  ({ complete, naturalWidth }) => complete && naturalWidth > 0)`;

/** Milliseconds from a choice of the slider until its picture is seen, one choice at a time. */
async function slideMs(page: Page): Promise<number> {
  const waits = await page.evaluate<number[]>(`(async () => {
    const slider = document.querySelector(".step-slider input[type=range]");
    const field = document.querySelector(".step-slider input[type=number]");
    const panel = document.querySelector(".media-panel");
    const frame = () => new Promise(requestAnimationFrame);
    const waits = [];
    for (let count = 1; count <= ${slides}; count++) {
      const before = field.value;
      const startedMs = performance.now();
      slider.value = String((count * 7_919) % Number(slider.max));
      slider.dispatchEvent(new InputEvent("input", { bubbles: true }));
      while (field.value === before) await frame();
      const caption = "picture of " + field.value;
      while (!panel.textContent.includes(caption) || !(${isSeen})) await frame();
      waits.push(performance.now() - startedMs);
    }
    return waits;
  })()`);
  return median(waits);
}
