import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { LosslessClient, type Recorder } from "@lossless/client";
import type { Browser, Page } from "playwright-core";
import { organizations } from "../service.ts";
import { suiteService } from "../suite-service.ts";
import { startChromium } from "./chromium.ts";
import { type Kept, keptBy } from "./kept.ts";
import { newPage, signIn } from "./new-page.ts";

const minutes = Number(process.env.LOSSLESS_TEST_MINUTES ?? 60);
const runs = 12;
const metrics = 12;
/** Points at the start; enough that the number of columns of a chart stays about the same. */
const pointsAtStart = 20_000;
const pointsOfOthers = 2_000;
const samples = 12;
/** Growth allowed for longer numbers and compiled code between the first and the last quarter. */
const growthMax = 1.2;

/** A page that is open all the time, and what it kept whenever it was asked. */
interface Followed {
  page: Page;
  kept: Kept[];
  /** Why it could not be asked any more. */
  problem?: string | undefined;
}

suite(`pages that follow running experiments for ${minutes} minutes`, () => {
  const service = suiteService({ people: true });
  let browser: Browser;
  const followed = new Map<string, Followed>();

  before(async () => {
    browser = await startChromium();
    const recorders = await start(service.baseUrl);
    const ids = recorders.map(({ experimentId }) => experimentId);
    const addresses = { table: "/experiments", experiment: `/experiments/${ids[0]}?tab=charts` };
    for (const [name, address] of Object.entries({
      ...addresses,
      comparison: `/compare?e=${ids.join(",")}`,
    }))
      followed.set(name, { page: await openPage(browser, service.baseUrl + address), kept: [] });
    let step = pointsAtStart;
    for (let sample = 1; sample <= samples; sample++) {
      const endMs = performance.now() + (minutes * 60_000) / samples;
      for (; performance.now() < endMs; step++) {
        for (const recorder of recorders) {
          await recorder.ready();
          record(recorder, step);
        }
        await sleep(1_000);
      }
      // One page that is lost takes no other one's figures with it.
      for (const [name, one] of followed) {
        one.problem ??= await keptBy(one.page).then(
          (kept) => void one.kept.push(kept),
          (error: unknown) => `sample ${sample}: ${String(error)}`,
        );
        console.log(name, `${sample}/${samples}`, one.problem ?? JSON.stringify(one.kept.at(-1)));
      }
    }
    await Promise.all(recorders.map((recorder) => recorder.finish()));
    points = { one: step, all: step + (runs - 1) * (pointsOfOthers + step - pointsAtStart) };
  });
  after(async () => {
    await browser?.close();
  });

  let points: { one: number; all: number };
  // A page that had stopped to follow would keep little, too.
  const seenAtEnd: Record<string, () => string> = {
    table: () => (points.one * metrics).toLocaleString("en"),
    experiment: () => `${points.one.toLocaleString("en")} points`,
    comparison: () => `${points.all.toLocaleString("en")} points`,
  };
  for (const [name, seen] of Object.entries(seenAtEnd)) {
    test(`the ${name} keeps no more at the end than soon after the start`, async (context) => {
      const { page, kept, problem } = followed.get(name)!;
      context.diagnostic(`${name} ${JSON.stringify(kept)}`);
      assert.equal(problem, undefined);
      await page.getByText(seen()).first().waitFor();
      const grown: string[] = [];
      for (const what of ["heapBytes", "nodes", "listeners"] as const) {
        // A reply that is just being drawn belongs to no page for long.
        const least = (some: Kept[]) => Math.min(...some.map((each) => each[what]));
        const [first, last] = [least(kept.slice(0, samples / 4)), least(kept.slice(-samples / 4))];
        if (last > first * growthMax) grown.push(`${what} from ${first} to ${last}`);
      }
      assert.deepEqual(grown, []);
    });
  }
});

async function start(baseUrl: string): Promise<Recorder[]> {
  const client = new LosslessClient({ baseUrl, apiKey: organizations.acme.key });
  const recorders: Recorder[] = [];
  for (let run = 0; run < runs; run++) {
    const recorder = await client.record({ slug: `long-${run}`, meta: { run } });
    for (let step = 0; step < (run === 0 ? pointsAtStart : pointsOfOthers); step++) {
      record(recorder, step);
      if (step % 1_000 === 0) await recorder.ready();
    }
    await recorder.flush();
    recorders.push(recorder);
  }
  return recorders;
}

async function openPage(browser: Browser, address: string): Promise<Page> {
  const { page } = await newPage(browser);
  await page.goto(address);
  await signIn(page);
  await page.waitForURL(address);
  await page.getByText("long-0").first().waitFor();
  // Only what is on the screen follows: of a comparison the charts shall be.
  const charts = page.locator("figure.chart");
  if (address.includes("/compare?")) await charts.first().waitFor();
  if ((await charts.count()) > 0) await charts.first().scrollIntoViewIfNeeded();
  return page;
}

function record(recorder: Recorder, step: number): void {
  for (let metric = 0; metric < metrics; metric++)
    recorder.record(`train/metric_${metric}`, Math.sin(step / 900 + metric), step);
}
