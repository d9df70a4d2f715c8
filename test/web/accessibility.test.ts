import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { Page } from "playwright-core";
import { faultsInAllLooks } from "./axe.ts";
import { consentPath, type Filled, fillPages } from "./filled-pages.ts";
import { pagesSuite } from "./pages-suite.ts";

const organizationPages = [
  "people",
  "keys",
  "tokens",
  "sign-on",
  "locations",
  "connections",
  "usage",
  "trash",
  "rules",
  "guests",
  "audit",
];

pagesSuite("every page is accessible", (pages) => {
  const { service } = pages;
  let filled: Filled;

  before(async () => {
    filled = await fillPages(pages.client, await pages.clientOf("max"), pages.mlflow);
  });

  test("in light, in dark, in forced colours, and on a phone", async () => {
    let { page } = await pages.newPage();
    const faults: string[] = [];
    const hold = async (name: string): Promise<void> => {
      for (const fault of await faultsInAllLooks(page)) faults.push(`${name}, ${fault}`);
    };
    const see = async (path: string, isReady: (page: Page) => Promise<void>): Promise<void> => {
      await page.goto(service.baseUrl + path);
      await isReady(page);
      await hold(path);
    };
    const heading = (page: Page) => page.getByRole("heading").first().waitFor();
    await see("/sign-in", heading);
    await see("/join", heading);
    await see("/device", heading);
    ({ page } = await pages.open("/experiments", { person: "rita" }));
    await page.getByRole("heading", { name: "Record your first experiment" }).waitFor();
    await hold("the first page");
    await see("/artifacts", (page) =>
      page.getByRole("heading", { name: "Push your first artifact" }).waitFor(),
    );
    ({ page } = await pages.signedIn());
    await see("/experiments", (page) => page.getByText("running-one").first().waitFor());
    await see("/experiments?cols=status", async (page) => {
      await page.getByRole("button", { name: "columns", exact: true }).click();
      await page.getByRole("dialog").getByText("meta.seed").waitFor();
    });
    await see("/experiments?q=nothing-has-this", (page) =>
      page.getByText(/No experiments found/).waitFor(),
    );
    const { running, failed, report } = filled;
    const drawn = (page: Page) =>
      page
        .getByText(/points, not sampled/)
        .first()
        .waitFor();
    await see(`/experiments/${running}`, (page) =>
      page.getByRole("button", { name: "max" }).waitFor(),
    );
    await see(`/experiments/${running}?tab=charts`, drawn);
    await see(`/experiments/${running}?x=time&y=log&s=ema:0.9`, drawn);
    await see(`/experiments/${running}?tab=meta`, (page) => page.getByText("adamw").waitFor());
    await see(`/experiments/${running}?tab=annotations`, (page) =>
      page.getByText("warm").waitFor(),
    );
    await see(`/experiments/${failed}?tab=charts`, (page) =>
      page.locator(".lane button.error").waitFor(),
    );
    await see("/artifacts", (page) => page.getByRole("link", { name: "runs/" }).waitFor());
    await see("/artifacts?q=nothing-has-this", (page) => page.getByText(/No path/).waitFor());
    await see(`/experiments/${running}?tab=artifacts`, (page) =>
      page.getByRole("link", { name: "runs/model" }).first().waitFor(),
    );
    await see(`/experiments/${running}?m=train/loss`, async (page) => {
      await page.getByRole("button", { name: /version 0+2 of runs/ }).click();
      await page.getByRole("group", { name: "Marks at this place" }).waitFor();
    });
    await see("/lineage?artifact=runs%2Fmodel&version=000000000001", (page) =>
      page.getByRole("heading", { name: "Used for, 1 step after" }).waitFor(),
    );
    await see("/models", (page) => page.getByText("@production → 2").waitFor());
    await see("/model?name=segmenter", async (page) => {
      await page.getByRole("button", { name: "alias…" }).first().click();
      await page.getByRole("dialog").waitFor();
    });
    const artifact = "/artifact?name=runs%2Fmodel";
    await see(`${artifact}&with=000000000001`, async (page) => {
      await page.getByText("1 upload in progress").waitFor();
      await page.getByText(/Compared with/).waitFor();
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
      [`${both}&hide=${failed}&ref=${running}`, /points, not sampled/],
      [`${both}&group=-rank&band=std`, /means; bands/],
    ] as const)
      await see(address, async (page) => {
        await page.locator("figure.chart").first().scrollIntoViewIfNeeded();
        await page.getByText(words).first().waitFor();
      });
    await see("/compare", (page) => page.getByText("Nothing to compare yet").waitFor());
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
    await see(`${both}&apart=marked&a=${running}`, async (page) => {
      const rows = page.getByRole("region", { name: "Keys that tell A from B" });
      await rows.getByRole("button", { expanded: false }).first().click();
      await rows.getByText("values in A and in B:").waitFor();
    });
    await see(`${both}&apart=best`, (page) => page.getByLabel("which is best").waitFor());
    await see(`${both}&matters=usual`, (page) =>
      page.getByText(/too few to compute importance/).waitFor(),
    );
    for (const plot of ["parallel", "scatter"]) {
      await see(`/compare?e=${running},${failed}&plot=${plot}&axes=points,status`, async (page) => {
        await page.locator(".relations [data-experiments]").waitFor();
        await page.getByText("ranges of the axes").click();
      });
    }
    for (const part of organizationPages)
      await see(`/organization/${part}`, async (page) => {
        await page.getByRole("heading", { level: 1 }).waitFor();
        await page.getByText("Loading …").waitFor({ state: "detached" });
      });
    await see("/organization/locations?add=s3", (page) =>
      page.getByLabel("Bucket", { exact: true }).waitFor(),
    );
    await see("/organization/connections?connect=new", (page) =>
      page.getByLabel("Google Cloud").waitFor(),
    );
    await see("/organization/keys", async (page) => {
      await page.getByLabel(/Name of the new key/).fill("seen");
      await page.getByRole("button", { name: "Create a key" }).click();
      await page.getByRole("region", { name: "The key" }).waitFor();
    });
    await see("/organization/keys", async (page) => {
      await page.getByRole("button", { name: /^Revoke seen/ }).click();
      await page.getByRole("dialog").waitFor();
    });
    await see("/account", async (page) => {
      await page.getByText("this session").waitFor();
      await page.locator(".menu[data-place=pages] > summary").click();
    });
    await see(consentPath, (page) => page.getByRole("button", { name: "Allow" }).waitFor());
    await see("/experiments/unknown", (page) => page.getByText(/no such experiment/).waitFor());
    assert.deepEqual(faults, []);
  });
});
