import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
// Pictures show the pages of these sources.
import "../../web/build.ts";
import { LosslessClient } from "@lossless/client";
import type { Browser, Page } from "playwright-core";
import { call } from "../http.ts";
import { checkoutRoot, people, Service } from "../service.ts";
import { startChromium } from "./chromium.ts";
import { consentPath } from "./filled-pages.ts";
import { importRuns, keptRuns } from "./import-runs.ts";
import { withPalette } from "./palette-png.ts";
import { clientOf, pushMany } from "./pushed-artifacts.ts";

const help = `npm run screenshots: the pictures of the README, from real runs.

  --runs DIR   runs as lossless import takes them, .csv.gz (default: those of test/web/runs)
  --out DIR    where the pictures go (default: docs)
  --all        every page, light and dark, on a phone, on a laptop and on a wide screen, for looking
               at; into --out, which has to be given
`;

interface Picture {
  name: string;
  path: string;
  /** Text that is there once the page is whole. */
  whole: RegExp;
  /** The element at the top of the picture; by default the top of the page. */
  from?: string;
  /** Left out: as high as the screen. */
  height?: number;
  isInReadme?: true;
}

const shown = "2024-10-13_llmc";
const compared = "/compare?q=slug+~+*2024*";
const points = /points, not sampled/;
const pictures: Picture[] = [
  { name: "pages", path: `/go?slug=${shown}&tab=charts`, whole: points, isInReadme: true },
  {
    name: "compare",
    path: `${compared}&m=*/loss&y=log&yr=3~8`,
    whole: points,
    from: ".curves",
    height: 540,
    isInReadme: true,
  },
  { name: "compare-top", path: `${compared}&apart=best`, whole: /metrics?/ },
  {
    name: "compare-relations",
    path: `${compared}&plot=parallel`,
    whole: /experiments/,
    from: ".relations",
  },
  { name: "experiments", path: "/experiments", whole: /^\d{4}-\d\d-\d\d_/ },
  ...["overview", "console", "meta", "artifacts", "annotations"].map((tab) => {
    return { name: `experiment-${tab}`, path: `/go?slug=${shown}&tab=${tab}`, whole: /llmc/ };
  }),
  { name: "artifacts", path: "/artifacts", whole: /tokenizer/ },
  {
    name: "artifact",
    path: "/artifact?name=nanogpt%2Fmuon-12%2Fcheckpoints&file=config.json",
    whole: /d_model/,
  },
  { name: "reports", path: "/reports", whole: /What the year brought/ },
  ...[
    "people",
    "keys",
    "locations",
    "connections",
    "usage",
    "audit",
    "trash",
    "rules",
    "guests",
  ].map((name) => {
    return { name, path: `/organization/${name}`, whole: new RegExp(name, "i") };
  }),
  { name: "tokens", path: "/organization/tokens", whole: /Create a token/ },
  { name: "sign-on", path: "/organization/sign-on", whole: /Issuer/ },
  { name: "authorize", path: consentPath, whole: /Allow/ },
  { name: "account", path: "/account", whole: /this session/ },
];
/** The other charts on the screen come shortly after the first one. */
const settleMs = 2_000;
const laptop = { name: "", width: 1_280, height: 800 };
const screens = [
  { name: "phone", width: 390, height: 844 },
  laptop,
  { name: "wide", width: 2_560, height: 1_300 },
];

const { values } = parseArgs({
  options: {
    runs: { type: "string", default: keptRuns },
    out: { type: "string" },
    all: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});

if (values.help) console.log(help);
else if (values.all && values.out === undefined) throw new Error("--all wants --out DIR.");
else if (values.all) await take(values.out!, pictures, screens);
else {
  const inReadme = pictures.filter((picture) => picture.isInReadme);
  await take(values.out ?? join(checkoutRoot, "docs"), inReadme, [laptop]);
}

async function take(out: string, wanted: Picture[], sizes: typeof screens): Promise<void> {
  await using service = await Service.start({ people: true });
  await importRuns(service, values.runs, "--folder", "nanogpt");
  const more = values.all ? [await fillOthers(service)] : [];
  const browser = await startChromium();
  try {
    for (const colorScheme of ["light", "dark"] as const) {
      for (const { name: screen, ...viewport } of sizes) {
        const page = await signedInPage(browser, service, { colorScheme, viewport });
        for (const { name, path, whole, from, height = viewport.height } of [...wanted, ...more]) {
          await page.setViewportSize({ ...viewport, height });
          await page.goto(service.baseUrl + path);
          // Charts come when somebody is near.
          if (from !== undefined) await beginWith(page, from);
          await page.getByText(whole).first().waitFor();
          await sleep(settleMs);
          const parts = [name, screen, colorScheme].filter((part) => part !== "");
          const file = join(out, `${parts.join("-")}.png`);
          await writeFile(file, withPalette(await page.screenshot({ animations: "disabled" })));
          console.log(file);
        }
        await page.context().close();
      }
    }
  } finally {
    await browser.close();
  }
}

/** Scrolls to an element again if content that loads later moves it. */
async function beginWith(page: Page, selector: string): Promise<void> {
  await page.locator(selector).first().waitFor();
  for (let look = 0; look < 5; look++) {
    await page.evaluate(`document.querySelector("${selector}").scrollIntoView()`);
    await sleep(settleMs / 5);
  }
}

/** Fills the other pages; returns the picture of a report. */
async function fillOthers(service: Service): Promise<Picture> {
  const client = clientOf(service);
  await pushMany(client);
  const { experimentId } = await client.openExperiment({ slug: "a-mistake", description: "" });
  await client.trash.experiments([experimentId]);
  const { baseUrl } = service;
  const { text } = await call(baseUrl, { path: "/api/v1/sessions", body: people.ada });
  const token = (JSON.parse(text) as { token: string }).token;
  const person = new LosslessClient({ baseUrl, credential: async () => token });
  const query = "slug ~ *2024*";
  const { id } = await person.reports.create({
    name: "What the year brought",
    scope: "shared",
    blocks: [
      { kind: "text", markdown: "## A year of records\n\nThe *same* loss, in **less** time.\n" },
      { kind: "chart", query, seriesName: "val/loss", title: "", view: "y=log" },
      { kind: "table", query, columns: "status,points", sort: "slug", limit: 5 },
    ],
  });
  return { name: "report", path: `/reports/${id}`, whole: points };
}

/** The clock of the page stands still, an hour after the import, so that no age differs. */
async function signedInPage(
  browser: Browser,
  { baseUrl }: Service,
  look: { colorScheme: "light" | "dark"; viewport: { width: number; height: number } },
): Promise<Page> {
  const context = await browser.newContext({
    locale: "en-US",
    timezoneId: "UTC",
    bypassCSP: true,
    ...look,
  });
  const page = await context.newPage();
  await page.clock.setFixedTime(Date.now() + 3_600_000);
  await page.goto(`${baseUrl}/experiments`);
  await page.getByLabel("E-mail").fill(people.ada.email);
  await page.getByLabel("Password").fill(people.ada.password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.waitForURL(`${baseUrl}/experiments`);
  return page;
}
