/**
 * Walks the questions of docs/web.md in our pages, in TensorBoard's and in MLflow's, with the same
 * runs in the same Chromium: `npm run walk -- DIR`, where DIR has the runs as `.csv.gz`. The peers
 * have to be there: `npm run bench -- --peers DIR` installs and fills them. After the folder may
 * stand one tracker (`lossless`, `tensorboard`, `mlflow`) and, after that, questions: `3,5,9`.
 */
import { join } from "node:path";
import { parseArgs } from "node:util";
import "../../../web/build.ts";
import type { Browser } from "playwright-core";
import { checkoutRoot } from "../../service.ts";
import { startChromium } from "../../web/chromium.ts";
import { Hand, type Walked } from "./hand.ts";
import { startLossless } from "./lossless.ts";
import { startMlflow } from "./mlflow.ts";
import { startTensorboard } from "./tensorboard.ts";

const questions = 20;
const patienceMs = 20_000;
/** Time for a start page to finish loading. */
const settleMs = 3_000;

const { positionals } = parseArgs({ allowPositionals: true });
const [runs, only, asked] = positionals;
if (runs === undefined) throw new Error("Name the folder that has the runs.");
const directory = join(checkoutRoot, "node_modules/.cache/lossless-peers");
const files = {
  python: join(directory, "environment/bin/python"),
  tensorboard: join(directory, "tensorboard"),
  mlflow: join(directory, "mlflow"),
};
const starts = {
  lossless: () => startLossless(runs),
  tensorboard: () => startTensorboard(files),
  mlflow: () => startMlflow(files),
};

const browser = await startChromium();
try {
  for (const [name, start] of Object.entries(starts)) {
    if (only !== undefined && only !== name) continue;
    await using walked = await start();
    for (let question = 1; question <= questions; question++) {
      if (asked !== undefined && !asked.split(",").includes(String(question))) continue;
      console.log(`${walked.name} | ${question} | ${await answer(browser, walked, question)}`);
    }
  }
} finally {
  await browser.close();
}

/** Clicks and seconds, from the start page on; or why there is none. */
async function answer(browser: Browser, walked: Walked, question: number): Promise<string> {
  const walk = walked.walks[question];
  if (walk === undefined) return "not asked";
  if (typeof walk === "string") return `no: ${walk}`;
  const viewport = { width: 1_400, height: 900 };
  const context = await browser.newContext({ locale: "en-US", bypassCSP: true, viewport });
  context.setDefaultTimeout(patienceMs);
  try {
    const page = await context.newPage();
    await walked.begin(page, question);
    await page.waitForTimeout(settleMs);
    const hand = new Hand(page);
    const startedMs = performance.now();
    const but = await walk(hand);
    const seconds = ((performance.now() - startedMs) / 1_000).toFixed(1);
    return `${hand.clicks}, ${seconds} s${but ? ` (${but})` : ""}`;
  } catch (error) {
    return `failed: ${String(error).split("\n").slice(0, 3).join(" ")}`;
  } finally {
    await context.close();
  }
}
