import { setTimeout as sleep } from "node:timers/promises";
import { LosslessClient } from "@lossless/client";
import type { BrowserContext, Page } from "playwright-core";
import { organizations, people, Service } from "../service.ts";
import { startChromium } from "../web/chromium.ts";
import { median, percentile } from "./measure.ts";

const rounds = 5;
const acknowledgements = 20;
const stepsBefore = 10_000;

/** The pages in a browser on the same machine: their bytes, and what a person waits for. */
export async function measurePages(set: (name: string, value: number) => void): Promise<void> {
  await using service = await Service.start({ people: true });
  const client = new LosslessClient({
    baseUrl: service.baseUrl,
    apiKey: organizations.acme.key,
  });
  const recorder = await client.record({ slug: "live", meta: {} });
  for (let step = 0; step < stepsBefore; step++) {
    recorder.record("loss", Math.exp(-step / 2_000), step);
  }
  await recorder.flush();
  const browser = await startChromium();
  try {
    const context = await signedIn(
      await browser.newContext({ locale: "en-US", bypassCSP: true }),
      service,
    );
    const bytes = await bytesOfFirstLoad(context, service.baseUrl);
    set("first load kB", bytes / 1_000);
    const rows: number[] = [];
    const curves: number[] = [];
    for (let round = 0; round < rounds; round++) {
      rows.push(await openUntil(context, `${service.baseUrl}/experiments`, firstRow));
      const { experimentId } = recorder;
      curves.push(
        await openUntil(
          context,
          `${service.baseUrl}/experiments/${experimentId}?tab=charts`,
          curve,
        ),
      );
    }
    set("first row ms", median(rows));
    set("first curve ms", median(curves));
    const page = await context.newPage();
    await page.goto(`${service.baseUrl}/experiments/${recorder.experimentId}?tab=charts`);
    await page.waitForFunction(curve);
    const waits: number[] = [];
    for (let count = 1; count <= acknowledgements; count++) {
      const painted = paintedAt(page, stepsBefore + count);
      await sleep(150 * (count % 7));
      recorder.record("loss", 2, stepsBefore + count);
      await recorder.flush();
      const acknowledgedMs = Date.now();
      waits.push((await painted) - acknowledgedMs);
    }
    set("point acknowledged to pixel ms", median(waits));
    set("point acknowledged to pixel p95 ms", percentile(waits, 95));
    await recorder.finish();
  } finally {
    await browser.close();
  }
}

/** A text, since the types of a browser are not those of this program. */
const firstRow = `document.querySelector('[role="row"] a[href^="/experiments/"]') !== null`;
/** The chart's caption comes with the frame in which its line is painted. */
const curve = `/[0-9] points, not/.test(document.body.innerText)`;

async function signedIn(context: BrowserContext, service: Service): Promise<BrowserContext> {
  const page = await context.newPage();
  await page.goto(`${service.baseUrl}/experiments`);
  await page.getByLabel("E-mail").fill(people.ada.email);
  await page.getByLabel("Password").fill(people.ada.password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.waitForFunction(firstRow);
  await page.close();
  return context;
}

/** As they come over the wire, compressed, without a cache. */
async function bytesOfFirstLoad(context: BrowserContext, baseUrl: string): Promise<number> {
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  await session.send("Network.enable");
  await session.send("Network.setCacheDisabled", { cacheDisabled: true });
  let bytes = 0;
  session.on("Network.loadingFinished", ({ encodedDataLength }) => (bytes += encodedDataLength));
  await page.goto(`${baseUrl}/experiments`);
  await page.waitForFunction(firstRow);
  await page.close();
  return bytes;
}

/** Milliseconds from asking for an address to what is waited for, in a new tab. */
async function openUntil(context: BrowserContext, url: string, what: string): Promise<number> {
  const page = await context.newPage();
  const startedMs = performance.now();
  await page.goto(url, { waitUntil: "commit" });
  await page.waitForFunction(what, undefined, { polling: "raf" });
  const tookMs = performance.now() - startedMs;
  await page.close();
  return tookMs;
}

/** When the frame was painted that considers so many points: milliseconds since 1970. */
async function paintedAt(page: Page, points: number): Promise<number> {
  const words = points.toLocaleString("en-US");
  const seen = `document.body.innerText.includes(${JSON.stringify(`${words} points`)})`;
  await page.waitForFunction(seen, undefined, { polling: "raf" });
  return Date.now();
}
