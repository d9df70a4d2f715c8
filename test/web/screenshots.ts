import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import type { Browser, Page } from "playwright-core";
import { checkoutRoot, people, Service } from "../service.ts";
import { startChromium } from "./chromium.ts";
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
  /** What stands in the middle of the picture; without one it begins at the top of the page. */
  from?: string;
}

const shown = "2024-10-13_llmc";
const pictures: Picture[] = [
  { name: "pages", path: `/go?slug=${shown}`, whole: /points, all/ },
  {
    name: "compare",
    path: "/compare?q=slug+~+*2024*&m=val/loss",
    whole: /points, all/,
    from: "figure.chart",
  },
  { name: "experiments", path: "/experiments", whole: /2024-06-06_AdamW/ },
  { name: "artifacts", path: "/artifacts", whole: /tokenizer/ },
  {
    name: "artifact",
    path: "/artifact?name=nanogpt%2Fmuon-12%2Fcheckpoints&file=config.json",
    whole: /d_model/,
  },
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
else await take(values.out ?? join(checkoutRoot, "docs"), pictures.slice(0, 1), [laptop]);

async function take(out: string, wanted: Picture[], sizes: typeof screens): Promise<void> {
  await using service = await Service.start({ people: true });
  await importRuns(service, values.runs, "--folder", "nanogpt");
  if (values.all) await pushMany(clientOf(service));
  const browser = await startChromium();
  try {
    for (const colorScheme of ["light", "dark"] as const) {
      for (const { name: screen, ...viewport } of sizes) {
        const page = await signedInPage(browser, service, { colorScheme, viewport });
        for (const { name, path, whole, from } of wanted) {
          await page.goto(service.baseUrl + path);
          if (from !== undefined) await page.locator(from).first().scrollIntoViewIfNeeded();
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
