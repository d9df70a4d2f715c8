import { LosslessClient } from "@lossless/client";
import { organizations, Service } from "../../service.ts";
import { importRuns } from "../../web/import-runs.ts";
import { signIn } from "../../web/new-page.ts";
import type { Hand, Walked } from "./hand.ts";
import { configOf, metric, spike } from "./runs.ts";

export async function startLossless(runs: string): Promise<Walked> {
  const service = await Service.start({ people: true });
  const { baseUrl } = service;
  const count = await importRuns(service, runs, "--folder", "nanogpt");
  const client = new LosslessClient({ baseUrl, apiKey: organizations.acme.key });
  await writeConfigs(client);
  return {
    name: "Lossless",
    async begin(page) {
      await page.goto(`${baseUrl}/experiments`);
      await page.getByLabel("E-mail").or(page.getByRole("grid")).first().waitFor();
      if ((await page.getByLabel("E-mail").count()) > 0) await signIn(page);
      await page.getByText(`${count} found`, { exact: true }).waitFor();
    },
    walks,
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  };
}

/** What the names of runs say, as the meta that a program would have given. */
async function writeConfigs(client: LosslessClient): Promise<void> {
  const { rows } = await client.views.experiments({ limit: 500 });
  for (const { experimentId, slug } of rows) {
    const config = Object.entries(configOf(slug));
    const meta = config.map(([key, after]) => ({ path: [key], after }));
    await client.editExperiment({ experimentId, meta });
  }
  while ((await client.views.experiments({ limit: 0 })).behind > 0);
}

async function search(hand: Hand, query: string): Promise<void> {
  await hand.click(hand.page.getByRole("combobox", { name: "Query" }));
  await hand.type(query);
  await hand.page.getByText(/^\d+ found$/).waitFor();
}

async function open(hand: Hand): Promise<void> {
  await search(hand, spike.run);
  await hand.click(hand.page.getByRole("link", { name: spike.run, exact: true }));
  await hand.page.locator(`${chart} canvas`).waitFor();
}

const chart = `figure[data-series='${spike.metric}']`;
const plot = `${chart} .u-over`;
const tick = (hand: Hand, run: string) =>
  hand.click(hand.page.getByRole("checkbox", { name: `tick ${run}`, exact: true }));

const walks: Walked["walks"] = {
  async 1(hand) {
    await hand.click(hand.page.getByRole("button", { name: "Running" }));
    await hand.see("0 found");
  },
  2: "all of the runs are finished: a running one says how long it has been silent",
  async 3(hand) {
    await open(hand);
    // As somebody does who sees it: along the line, up to its top.
    const said = hand.page.locator(`${chart} .readings`, { hasText: /2\.02/ });
    for (let pixel = -4; (await said.count()) === 0; pixel++)
      await hand.point(plot, spike.step / spike.steps + pixel / 1_000);
  },
  async 4(hand) {
    await open(hand);
    await hand.see(/19,\d+ points, all considered/);
  },
  async 5(hand) {
    await open(hand);
    await hand.choose(hand.page.getByLabel("smooth"), "ema:0.9");
    await hand.drag(plot, 0.4, 0.5);
    await hand.see(/\(.*\)/);
  },
  async 6(hand) {
    await hand.click(hand.page.getByRole("columnheader", { name: `${metric} min` }));
    await hand.page.waitForURL(/sort=/);
  },
  async 7(hand) {
    await tick(hand, "2026-07-17_FP8DownProjection");
    await tick(hand, "2026-07-13_PrefixTokenPrediction");
    await hand.press("c");
    await hand.see(/keys differ/);
  },
  async 8(hand) {
    await search(hand, "meta.year > 2024 and not slug ~ *repeat*");
    await hand.page.getByText("174 found", { exact: true }).waitFor({ state: "detached" });
  },
  async 9(hand) {
    await search(hand, "slug ~ *repeat*");
    await hand.page.getByText("174 found", { exact: true }).waitFor({ state: "detached" });
    await hand.page.keyboard.press("Escape");
    await hand.page.getByRole("grid").focus();
    await hand.press("c");
    const group = hand.page.getByLabel("group by");
    await group.waitFor();
    await hand.choose(group, "meta.record");
    await hand.page.locator("figure.chart").first().scrollIntoViewIfNeeded();
    await hand.see(/means; bands from the least/);
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
    await hand.page.locator("figure.chart[data-series='val/loss']").scrollIntoViewIfNeeded();
    await hand.page.locator("figure.chart[data-series='val/loss'] canvas").waitFor();
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
