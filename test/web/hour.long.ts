import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { LosslessClient, type Recorder } from "@lossless/client";
import type { Browser, Page } from "playwright-core";
import { organizations, Service } from "../service.ts";
import { startChromium } from "./chromium.ts";
import { newPage, signIn } from "./new-page.ts";

const minutes = Number(process.env.LOSSLESS_TEST_MINUTES ?? 60);
const runs = 12;
const metrics = 12;
/** So many points at the start that a chart's columns stay about as many. */
const pointsAtStart = 20_000;
const samples = 12;
/** What longer numbers and compiled code may add between the first and the last quarter. */
const growthMax = 1.2;

/** What a page keeps alive. */
interface Kept {
  heapBytes: number;
  nodes: number;
  listeners: number;
}

suite(`pages that follow running experiments for ${minutes} minutes`, () => {
  let service: Service;
  let browser: Browser;
  const recorders: Recorder[] = [];

  before(async () => {
    service = await Service.start({ people: true });
    browser = await startChromium();
    const client = new LosslessClient({
      baseUrl: service.baseUrl,
      apiKey: organizations.acme.key,
    });
    for (let run = 0; run < runs; run++) {
      const recorder = await client.record({ slug: `long-${run}`, meta: { run } });
      for (let step = 0; step < (run === 0 ? pointsAtStart : 100); step++) {
        record(recorder, step);
        if (step % 1_000 === 0) await recorder.ready();
      }
      await recorder.flush();
      recorders.push(recorder);
    }
  });
  after(async () => {
    await browser?.close();
    await service?.[Symbol.asyncDispose]();
  });

  test("they keep no more at the end than soon after the start", async () => {
    const ids = recorders.map(({ experimentId }) => experimentId);
    const addresses = ["/experiments", `/experiments/${ids[0]}`, `/compare?e=${ids.join(",")}`];
    const pages: Page[] = [];
    for (const address of addresses) {
      const { page } = await newPage(browser);
      await page.goto(service.baseUrl + address);
      await signIn(page);
      await page.waitForURL(service.baseUrl + address);
      await page.getByText("long-0").first().waitFor();
      pages.push(page);
    }
    const kept: Kept[][] = [];
    let step = pointsAtStart;
    for (let sample = 0; sample < samples; sample++) {
      const endMs = performance.now() + (minutes * 60_000) / samples;
      for (; performance.now() < endMs; step++) {
        for (const recorder of recorders) {
          await recorder.ready();
          record(recorder, step);
        }
        await sleep(1_000);
      }
      kept.push(await Promise.all(pages.map(keptBy)));
    }
    const grown: string[] = [];
    for (const [at, address] of addresses.entries()) {
      const own = kept.map((each) => each[at]);
      console.log(address.replace(/[?].*/, "?…"), JSON.stringify(own));
      for (const what of ["heapBytes", "nodes", "listeners"] as const) {
        // A reply that is just being drawn belongs to no page for long.
        const least = (some: Kept[]) => Math.min(...some.map((each) => each[what]));
        const [first, last] = [least(own.slice(0, samples / 4)), least(own.slice(-samples / 4))];
        if (last > first * growthMax) grown.push(`${address}: ${what} from ${first} to ${last}`);
      }
    }
    assert.deepEqual(grown, []);
    await Promise.all(recorders.map((recorder) => recorder.finish()));
  });
});

function record(recorder: Recorder, step: number): void {
  for (let metric = 0; metric < metrics; metric++)
    recorder.record(`train/metric_${metric}`, Math.sin(step / 900 + metric), step);
}

async function keptBy(page: Page): Promise<Kept> {
  const session = await page.context().newCDPSession(page);
  await session.send("Performance.enable");
  // What a first collection frees may hold what a second one does.
  for (let round = 0; round < 2; round++) await session.send("HeapProfiler.collectGarbage");
  const { metrics: found } = await session.send("Performance.getMetrics");
  await session.detach();
  const value = (name: string) => found.find((metric) => metric.name === name)!.value;
  return {
    heapBytes: value("JSHeapUsedSize"),
    nodes: value("Nodes"),
    listeners: value("JSEventListeners"),
  };
}
