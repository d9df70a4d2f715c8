import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { LosslessClient, type ReportBlock } from "@lossless/client";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { faultsOf } from "./axe.ts";
import { call } from "../http.ts";
import { organizations, people, Service } from "../service.ts";
import { startChromium } from "./chromium.ts";
import { newPage, signIn } from "./new-page.ts";
import { pngOf, pushVersions, step } from "./pushed-artifacts.ts";

const looks: Record<string, BrowserContextOptions> = {
  light: { colorScheme: "light" },
  dark: { colorScheme: "dark" },
  "forced colours": { forcedColors: "active", colorScheme: "dark" },
  "on a phone": { viewport: { width: 390, height: 844 } },
};

suite("every page is accessible", () => {
  let service: Service;
  let browser: Browser;
  let experiments: Record<"running" | "failed", string>;
  let report: string;

  before(async () => {
    service = await Service.start({ people: true });
    browser = await startChromium();
    experiments = await fill(service);
    report = await save(service, experiments.running);
  });
  after(async () => {
    await browser?.close();
    await service?.[Symbol.asyncDispose]();
  });

  for (const [look, options] of Object.entries(looks)) {
    test(`in ${look}`, async () => {
      const { page } = await newPage(browser, options);
      const faults: string[] = [];
      const see = async (path: string, isReady: (page: Page) => Promise<void>): Promise<void> => {
        await page.goto(service.baseUrl + path);
        await isReady(page);
        for (const fault of await faultsOf(page)) faults.push(`${path}: ${fault}`);
      };
      const heading = (page: Page) => page.getByRole("heading").first().waitFor();
      await see("/sign-in", heading);
      await see("/join", heading);
      await see("/device", heading);
      await page.goto(`${service.baseUrl}/experiments`);
      await signIn(page, "rita");
      await page.getByRole("heading", { name: "Record a first experiment" }).waitFor();
      for (const fault of await faultsOf(page)) faults.push(`the first page: ${fault}`);
      await see("/artifacts", (page) =>
        page.getByRole("heading", { name: "Push a first artifact" }).waitFor(),
      );
      await page.context().clearCookies();
      await page.goto(`${service.baseUrl}/experiments`);
      await signIn(page);
      await see("/experiments", (page) => page.getByText("running-one").first().waitFor());
      await see("/experiments?cols=status", async (page) => {
        await page.getByRole("button", { name: "columns", exact: true }).click();
        await page.getByRole("dialog").getByText("meta.seed").waitFor();
      });
      await see("/experiments?q=nothing-has-this", (page) => page.getByText(/Nothing/).waitFor());
      const { running, failed } = experiments;
      const drawn = (page: Page) =>
        page
          .getByText(/points, all considered/)
          .first()
          .waitFor();
      await see(`/experiments/${running}`, drawn);
      await see(`/experiments/${running}?x=time&y=log&s=ema:0.9`, drawn);
      await see(`/experiments/${running}?tab=meta`, (page) => page.getByText("adamw").waitFor());
      await see(`/experiments/${running}?tab=annotations`, (page) =>
        page.getByText("warm").waitFor(),
      );
      await see(`/experiments/${failed}`, (page) => page.locator(".lane button.error").waitFor());
      await see("/artifacts", (page) => page.getByRole("link", { name: "runs/" }).waitFor());
      await see("/artifacts?q=nothing-has-this", (page) => page.getByText(/No path/).waitFor());
      await see(`/experiments/${running}?tab=artifacts`, (page) =>
        page.getByRole("link", { name: "runs/model" }).waitFor(),
      );
      await see(`/experiments/${running}?m=train/loss`, async (page) => {
        await page.getByRole("button", { name: /version 0+2 of runs/ }).click();
        await page.getByRole("group", { name: "Versions saved here" }).waitFor();
      });
      const artifact = "/artifact?name=runs%2Fmodel";
      await see(`${artifact}&with=000000000001`, async (page) => {
        await page.getByText("An upload is under way").waitFor();
        await page.getByText(/Against/).waitFor();
      });
      for (const [file, shown] of [
        ["plot.png", /48 × 32/],
        ["config.json", /"lr"/],
        ["scores.csv", /task/],
      ] as const)
        await see(`${artifact}&file=${file}`, (page) => page.getByText(shown).first().waitFor());
      await see("/artifact?name=none", (page) => page.getByText(/no such artifact/).waitFor());
      await see(`/compare?e=${running},${failed}&keys=equal`, async (page) => {
        await page.getByRole("button", { name: "optimizer.name", exact: true }).click();
        await page.getByText("meta.optimizer.name = adamw").waitFor();
        await page.getByRole("button", { name: "train/loss min" }).waitFor();
      });
      const both = `/compare?e=${running},${failed}`;
      for (const [address, words] of [
        [`${both}&hide=${failed}&ref=${running}`, /points, all considered/],
        [`${both}&group=-rank&band=std`, /means; bands/],
      ] as const)
        await see(address, async (page) => {
          await page.locator("figure.chart").first().scrollIntoViewIfNeeded();
          await page.getByText(words).first().waitFor();
        });
      await see("/compare", (page) => page.getByText("Nothing is compared yet").waitFor());
      await see("/experiments?q=status = running", async (page) => {
        await page.getByRole("button", { name: "Saved" }).click();
        await page.getByLabel("Menu of the view Saved").click();
        await page.getByRole("button", { name: "rename or share…" }).click();
        await page.getByRole("heading", { name: "Rename or share Saved" }).waitFor();
      });
      await see("/reports", (page) => page.getByRole("link", { name: "A report" }).waitFor());
      await see(`/reports/${report}`, drawn);
      await see(`/reports/${report}?edit=1`, drawn);
      await see("/reports/unknown", (page) => page.getByText(/no report/).waitFor());
      for (const plot of ["parallel", "scatter"]) {
        await see(
          `/compare?e=${running},${failed}&plot=${plot}&axes=points,status`,
          async (page) => {
            // A level line has no height, so nothing of it counts as visible.
            await page
              .locator(".relations .experiment-mark")
              .first()
              .waitFor({ state: "attached" });
            await page.getByText("axes and their parts").click();
          },
        );
      }
      for (const part of ["people", "keys", "locations", "connections", "usage", "audit"])
        await see(`/organization/${part}`, async (page) => {
          await page.getByRole("heading", { level: 1 }).waitFor();
          await page.getByText("Reading …").waitFor({ state: "detached" });
        });
      await see("/organization/locations?add=s3", (page) =>
        page.getByLabel("Bucket", { exact: true }).waitFor(),
      );
      await see("/organization/connections?connect=new", (page) =>
        page.getByLabel("Google Cloud").waitFor(),
      );
      await see("/organization/keys", async (page) => {
        await page.getByLabel(/Name of a new key/).fill(look);
        await page.getByRole("button", { name: "Make a key" }).click();
        await page.getByRole("region", { name: "The key" }).waitFor();
      });
      await see("/organization/keys", async (page) => {
        await page.getByRole("button", { name: new RegExp(`^Revoke ${look}`) }).click();
        await page.getByRole("dialog").waitFor();
      });
      await see("/account", async (page) => {
        await page.getByText("this one").waitFor();
        await page.locator(".organization-menu > summary").click();
      });
      await see("/experiments/unknown", (page) => page.getByText(/no such experiment/).waitFor());
      assert.deepEqual(faults, []);
    });
  }
});

async function fill({ baseUrl }: Service): Promise<Record<"running" | "failed", string>> {
  const client = new LosslessClient({ baseUrl, apiKey: organizations.acme.key });
  const meta = { optimizer: { name: "adamw", betas: [0.9, 0.95] }, seed: 1337 };
  const running = await client.record({ slug: "running-one", description: "a text", meta });
  for (let step = 0; step < 500; step++) {
    running.record("train/loss", Math.cos(step / 30), step);
    for (const rank of ["0", "1", "2"])
      running.record("train/grad", Math.sin(step / 9), step, { meta: { rank } });
  }
  running.record("system/gpu", 1, 1);
  await running.annotate("warm", { from: "a person" });
  await running.flush();
  const failed = await client.record({ slug: "failed-one" });
  failed.record("loss", 1, 1);
  await failed.finish({ error: "out of memory", errorMeta: { code: 137 } });
  await fillArtifacts(client);
  return { running: running.experimentId, failed: failed.experimentId };
}

/** A view and a report that everybody sees; gives the report. */
async function save({ baseUrl }: Service, experimentId: string): Promise<string> {
  const session = await call(baseUrl, { path: "/api/v1/sessions", body: people.max });
  const { token } = JSON.parse(session.text) as { token: string };
  const max = new LosslessClient({ baseUrl, credential: async () => token });
  const scope = "shared";
  await max.savedViews.create({ name: "Saved", scope, address: "/experiments?q=running" });
  const markdown =
    "## Why\n\n- [x] *done*\n\n> said\n\n|a|b|\n|-|-:|\n|1|[2](/go)|\n\n```\ncode\n```\n";
  const drawn = { title: "", view: "" };
  const blocks: ReportBlock[] = [
    { kind: "text", markdown },
    { kind: "chart", query: "", seriesName: "loss", ...drawn },
    { kind: "chart", experimentIds: [experimentId], seriesName: "train/loss", ...drawn },
    { kind: "table", query: "", columns: "status", sort: "slug", limit: 1 },
  ];
  return (await max.reports.create({ name: "A report", scope, blocks })).id;
}

async function fillArtifacts(client: LosslessClient): Promise<void> {
  const meta = { experiment: "running-one", step: 100, val: { loss: 3.2 } };
  const files = {
    "config.json": '{"lr": 0.1}',
    "scores.csv": "task,accuracy\narc,0.5\n",
    "plot.png": pngOf(48, 32),
    "net/a": "a",
  };
  await pushVersions(client, "runs/model", [
    { name: step(1), files: { "config.json": "{}", old: "old" } },
    { name: step(2), files, meta },
  ]);
  await client.artifacts.writeNote("runs/model", "eval.json", "{}");
  const place = { cloud: "here", region: "there", source: "node" };
  const { epoch } = await client.artifacts.open("runs/model", { mode: "latest", place });
  const body = { epoch, place, files: [{ name: "a", size: 1 }], meta: {} };
  await client.artifacts.begin("runs/model", step(3), body);
}
