import { LosslessClient, type Recorder } from "@lossless/client";
import { organizations, people, Service } from "../../service.ts";
import { importRuns } from "../../web/import-runs.ts";
import { signIn } from "../../web/new-page.ts";
import { pushVersions, step } from "../../web/pushed-artifacts.ts";
import { counted } from "../../web/recorded-runs.ts";
import type { Hand, Walked } from "./hand.ts";
import {
  aboutMade,
  configOf,
  diverged,
  live,
  madeRuns,
  metric,
  pointsOf,
  spike,
  wide,
} from "./runs.ts";

/** The real runs are in one organization, the made ones in another, with people of their own. */
export async function startLossless(runs: string): Promise<Walked> {
  const service = await Service.start({ people: true });
  const { baseUrl } = service;
  const count = await importRuns(service, runs, "--folder", "nanogpt");
  await writeConfigs(new LosslessClient({ baseUrl, apiKey: organizations.acme.key }));
  const client = new LosslessClient({ baseUrl, apiKey: organizations.rival.key });
  let running: Promise<Recorder> | undefined;
  const grow = async (at: number) => {
    const recorder = await running!;
    recorder.record(live.metric, 0, at);
    await recorder.flush();
  };
  return {
    name: "Lossless",
    async begin(page, question) {
      const isMade = aboutMade.has(question);
      if (isMade) await (running ??= recordMade(client));
      await page.goto(`${baseUrl}/experiments`);
      await page.getByLabel("E-mail").waitFor();
      await signIn(page, isMade ? people.rita : people.ada);
      await page.getByText(`${isMade ? madeRuns.length : count} found`, { exact: true }).waitFor();
    },
    walks: { ...walks, ...walksOfMade(grow) },
    async [Symbol.asyncDispose]() {
      await (await running)?.finish();
      await service[Symbol.asyncDispose]();
    },
  };
}

/** Writes the parts of run names as the meta that a program would have given. */
async function writeConfigs(client: LosslessClient): Promise<void> {
  const { rows } = await client.views.experiments({ limit: 500 });
  for (const { experimentId, slug } of rows) {
    const config = Object.entries(configOf(slug));
    const meta = config.map(([key, after]) => ({ path: [key], after }));
    await client.editExperiment({ experimentId, meta });
  }
  await counted(client);
}

/** Gives the one that goes on. */
async function recordMade(client: LosslessClient): Promise<Recorder> {
  const begin = async (slug: string) => {
    const recorder = await client.record({ slug });
    let points = 0;
    for (const point of pointsOf(slug)) {
      recorder.record(point.name, point.value, point.step);
      if (++points % 5_000 === 0) await recorder.ready();
    }
    await recorder.flush();
    return recorder;
  };
  for (const run of [diverged.run, wide.run]) await (await begin(run)).finish();
  const versions = diverged.checkpoints.map((at) => ({
    name: step(at),
    files: { "model.pt": `weights of ${at}` },
    meta: { experiment: diverged.run, step: at },
  }));
  await pushVersions(client, `${diverged.run}/checkpoints`, versions);
  const running = await begin(live.run);
  await counted(client);
  return running;
}

async function search(hand: Hand, query: string): Promise<void> {
  await hand.click(hand.page.getByRole("combobox", { name: "Query" }));
  await hand.type(query);
  await hand.page.getByText("174 found", { exact: true }).waitFor({ state: "detached" });
}

const chartOf = (name: string) => `figure[data-series='${name}']`;

/** One of many runs is searched for. */
async function open(hand: Hand): Promise<void> {
  await search(hand, spike.run);
  await openRow(hand, spike.run, chart);
}

/** From its row to its page, where a chart is drawn. */
async function openRow(hand: Hand, run: string, drawn: string): Promise<void> {
  await hand.click(hand.page.getByRole("link", { name: run, exact: true }));
  await hand.page.locator(`${drawn} canvas`).first().waitFor();
}

const chart = chartOf(spike.metric);
const plot = `${chart} .u-over`;
const tick = (hand: Hand, run: string) =>
  hand.click(hand.page.getByRole("checkbox", { name: `tick ${run}`, exact: true }));

/** Pixels around its place within which a spike counts as found. */
const soughtPixels = 12;

const walks: Walked["walks"] = {
  async 1(hand) {
    await hand.click(hand.page.getByRole("button", { name: "Running" }));
    await hand.see("0 found");
  },
  async 3(hand) {
    await open(hand);
    // As somebody does who sees it: along the line, up to its top.
    const said = hand.page.locator(`${chart} .readings`, { hasText: /\b2\.02\b/ });
    for (let beside = -soughtPixels; beside <= soughtPixels; beside++) {
      await hand.point(plot, spike.step / spike.steps, beside);
      if ((await said.count()) > 0) break;
    }
    await said.locator(".at", { hasText: "step" }).waitFor();
  },
  async 4(hand) {
    await open(hand);
    await hand.see(/19,\d+ points, not sampled/);
  },
  async 5(hand) {
    await open(hand);
    await hand.slide(hand.page.getByRole("slider", { name: "amount of smoothing" }), "20");
    await hand.page.waitForURL(/s=x/);
    await hand.drag(plot, 0.4, 0.5);
    await hand.page.waitForURL(/r=/);
    await hand.page
      .locator(chart)
      .getByText(/^(1,\d{3}|2,0\d\d) points, not sampled/)
      .waitFor();
    // The smoothed value is in parentheses after the recorded one.
    await hand.point(plot, 0.5);
    await hand.page.locator(`${chart} .readings`, { hasText: /\(.*\)/ }).waitFor();
  },
  async 6(hand) {
    await hand.click(hand.page.getByRole("columnheader", { name: `${metric} min` }));
    await hand.page.waitForURL(/sort=/);
  },
  async 7(hand) {
    await tick(hand, "2026-07-17_FP8DownProjection");
    await tick(hand, "2026-07-13_PrefixTokenPrediction");
    await hand.press("c");
    await hand.see(/keys? differ/);
  },
  async 8(hand) {
    await search(hand, "meta.year > 2024 and not slug ~ *repeat*");
  },
  async 9(hand) {
    await search(hand, "slug ~ *repeat*");
    // Its completions close, then the field is left: what follows is a key of the page.
    await hand.press("Enter");
    await hand.press("Escape");
    await hand.press("c");
    await hand.page.waitForURL(/\/compare/);
    await hand.click(hand.page.getByLabel("group by: nothing"));
    await hand.click(hand.page.getByRole("button", { name: /^meta\.record/ }));
    await hand.page.locator(chartOf(metric)).scrollIntoViewIfNeeded();
    await hand.page
      .locator(chartOf(metric))
      .getByText(/means; bands reach from the lowest/)
      .waitFor();
  },
  async 10(hand) {
    await open(hand);
    await hand.press("x");
    await hand.page.waitForURL(/x=offset/);
  },
  async 11(hand) {
    await open(hand);
    await hand.press("l");
    await hand.page.waitForURL(/y=log/);
  },
  async 14(hand) {
    await hand.press("c");
    await hand.page.locator(".compared li .swatch").first().waitFor();
  },
  async 16(hand) {
    await hand.press("c");
    await hand.page.locator("figure.chart").first().waitFor();
    await hand.page.locator(chartOf(metric)).scrollIntoViewIfNeeded();
    await hand.page.locator(`${chartOf(metric)} canvas`).waitFor();
  },
  async 17(hand) {
    await open(hand);
    await hand.click(hand.page.getByLabel(`Menu of ${spike.metric}`));
    const coming = hand.page.waitForEvent("download");
    await hand.click(hand.page.locator(chart).getByRole("link", { name: "every point as CSV" }));
    await (await coming).path();
  },
  async 18(hand) {
    await hand.page.reload();
    await hand.see("174 found");
  },
  async 20(hand) {
    await hand.click(hand.page.getByRole("treeitem", { name: /^nanogpt/ }));
    await hand.page.waitForURL(/folder=/);
  },
};

const quarterMs = 15 * 60_000;

function walksOfMade(grow: (at: number) => Promise<void>): Walked["walks"] {
  return {
    async 2(hand) {
      // A quarter of an hour later by the page's clock, for which nobody waits.
      await hand.page.clock.setSystemTime(Date.now() + quarterMs);
      await hand.page.reload();
      await hand.page
        .getByRole("row", { name: live.run })
        .getByText(/silent 1\d min/)
        .waitFor();
    },
    async 12(hand) {
      await openRow(hand, diverged.run, chartOf(diverged.metric));
      const sign = new RegExp(`${diverged.metric} is NaN at step ${diverged.nanFrom}\\b`);
      await hand.page.getByRole("button", { name: sign }).waitFor();
    },
    async 13(hand) {
      await openRow(hand, diverged.run, chartOf(diverged.metric));
      const before = diverged.checkpoints.at(-1)!;
      const at = before.toLocaleString("en");
      const name = new RegExp(`version ${step(before)} of .* at step ${at}`);
      await hand.click(hand.page.getByRole("button", { name }));
      await hand.see(new RegExp(`lossless pull \\S+ --version ${step(before)}`));
    },
    async 15(hand) {
      await openRow(hand, wide.run, "figure.chart");
      await hand.press("/");
      await hand.type(wide.wanted);
      await hand.page.locator(`${chartOf(wide.wanted)} canvas`).waitFor();
    },
    async 19(hand) {
      const own = chartOf(live.metric);
      await openRow(hand, live.run, own);
      const considers = (points: string) =>
        hand.page.locator(own).getByText(`${points} points, not sampled`).waitFor();
      await considers("1,000");
      await grow(live.next);
      await considers("1,001");
      await hand.drag(`${own} .u-over`, 0.2, 0.4);
      await hand.page.waitForURL(/r=/);
      const zoomed = hand.page.url();
      await grow(live.later);
      await hand.see("1,002 points");
      if (hand.page.url() !== zoomed) throw new Error("the zoom is another one");
    },
  };
}
