import { execFileSync, spawn } from "node:child_process";
import { existsSync, globSync, mkdirSync, renameSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Browser, Page } from "playwright-core";
import { freePort } from "../free-port.ts";
import { MlflowServer } from "../mlflow/server.ts";
import { checkoutRoot, people, Service } from "../service.ts";
import { startChromium } from "../web/chromium.ts";
import { importRuns } from "../web/import-runs.ts";
import { median } from "./measure.ts";
import { answered, end } from "./walk/peer-server.ts";

export interface PeersOptions {
  /** A folder with runs as `lossless import` takes them, each a `.csv.gz`. */
  runs: string;
  rounds: number;
  progress: (line: string) => void;
}

/** The run with a spike in one single step, which a person would want to find. */
const spike = { run: "2024-10-13_llmc", metric: "grad/norm", step: 9_025, value: 2.02 };
const packages = ["tensorboard==2.21.0", "tensorboardX==2.6.5", "mlflow==3.17.2"];
/** The directory kept between runs of this bench. */
const directory = join(checkoutRoot, "node_modules/.cache/lossless-peers");
const patienceMs = 60_000;
/** A narrower drag does not zoom everywhere. */
const zoomPixelsMin = 24;

/** A tracker with all runs, and how a person gets to a curve in it. */
interface Peer extends AsyncDisposable {
  name: string;
  /** Signs in, where there is something to sign in to. */
  enter(page: Page): Promise<void>;
  /** The page on which the curve is. */
  url: string;
  /** In the page: whether the curve is there. */
  curve: string;
  /** Where a drag zooms. */
  plot: string;
  /** In the page: what differs once the zoomed curve is there. */
  zoomed: string;
}

/**
 * Measures the waits of a person with TensorBoard or MLflow, with the same runs in the same
 * browser: the first curve, a curve zoomed to a hundredth of its steps, and whether the value of a
 * single step there was shown.
 */
export async function comparePeers({ runs, rounds, progress }: PeersOptions): Promise<void> {
  const files = globSync(join(runs, "*.csv.gz")).toSorted();
  const python = install(join(directory, "environment"), progress);
  const browser = await startChromium();
  try {
    for (const start of [startLossless, startTensorboard, startMlflow]) {
      await using peer = await start({ python, runs, files });
      progress(`${peer.name} has ${files.length} runs`);
      const first: number[] = [];
      const zoom: number[] = [];
      let came = true;
      for (let round = 0; round < rounds; round++) {
        const one = await visit(browser, peer);
        first.push(one.firstMs);
        zoom.push(one.zoomMs);
        came &&= one.came;
      }
      const words = came ? "came" : "did not come";
      progress(
        `${peer.name}: first curve ${median(first).toFixed(0)} ms, zoomed ${median(zoom).toFixed(0)} ms, ` +
          `the value of step ${spike.step} ${words}`,
      );
    }
  } finally {
    await browser.close();
  }
}

async function visit(browser: Browser, peer: Peer) {
  const viewport = { width: 1_400, height: 900 };
  const context = await browser.newContext({ locale: "en-US", bypassCSP: true, viewport });
  context.setDefaultTimeout(patienceMs);
  try {
    const page = await context.newPage();
    await peer.enter(page);
    const bodies: Promise<string>[] = [];
    page.on("response", (response) => {
      const type = response.headers()["content-type"] ?? "";
      if (type.includes("json")) bodies.push(response.text().catch(() => ""));
    });
    const startedMs = performance.now();
    await page.goto(peer.url, { waitUntil: "commit" });
    await page.waitForFunction(peer.curve, undefined, { polling: 20 });
    const firstMs = performance.now() - startedMs;
    // The rest of the page loads first, so that only the zoom is measured.
    await sleep(5_000);
    const zoomMs = await zoom(page, peer);
    await sleep(2_000);
    const texts = await Promise.all(bodies);
    const came = texts.some((text) => new RegExp(`\\b${spike.value}(?!\\d)`).test(text));
    return { firstMs, zoomMs, came };
  } finally {
    await context.close();
  }
}

/** Drags over the hundredth of the axis in which the spike lies. */
async function zoom(page: Page, { plot, zoomed }: Peer): Promise<number> {
  const box = (await page.locator(plot).first().boundingBox())!;
  const before = JSON.stringify(await page.evaluate(zoomed));
  const middle = box.x + (box.width * spike.step) / 19_560;
  const half = Math.max(zoomPixelsMin / 2, box.width / 200);
  // Over most of the height: some zoom both axes, and one has buttons at the top.
  await page.mouse.move(middle - half, box.y + 40);
  await page.mouse.down();
  await page.mouse.move(middle + half, box.y + box.height - 4, { steps: 4 });
  await page.mouse.up();
  const startedMs = performance.now();
  await page.waitForFunction(`(${zoomed}) !== ${before}`, undefined, { polling: 20 });
  return performance.now() - startedMs;
}

interface PeerStart {
  /** That of the environment which has the peers. */
  python: string;
  runs: string;
  files: string[];
}

async function startLossless({ runs }: PeerStart): Promise<Peer> {
  const service = await Service.start({ people: true });
  const { baseUrl } = service;
  await importRuns(service, runs);
  return {
    name: "Lossless",
    async enter(page) {
      await page.goto(`${baseUrl}/experiments`);
      await page.getByLabel("E-mail").fill(people.ada.email);
      await page.getByLabel("Password").fill(people.ada.password);
      await page.getByRole("button", { name: "Sign in" }).click();
      await page.waitForURL(`${baseUrl}/experiments`);
      await page.goto("about:blank");
    },
    url: `${baseUrl}/go?slug=${spike.run}&tab=charts`,
    curve: `/[0-9] points, not/.test(document.body.innerText)`,
    plot: ".u-over",
    zoomed: `/([0-9,]+) points, not/.exec(document.body.innerText)?.[1]`,
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  };
}

async function startTensorboard({ python, files }: PeerStart): Promise<Peer> {
  const data = fill(python, "tensorboard", join(directory, "tensorboard"), files);
  const port = String(await freePort());
  const flags = ["--logdir", data, "--host", "127.0.0.1", "--port", port];
  const server = spawn(join(python, "../tensorboard"), flags, { stdio: "ignore" });
  const tag = encodeURIComponent(spike.metric);
  const tags = `http://127.0.0.1:${port}/data/plugin/timeseries/tags`;
  await answered(tags, (text) => text.split(spike.metric).length > 1);
  return {
    name: "TensorBoard",
    enter: async () => {},
    url: `http://127.0.0.1:${port}/?tagFilter=${tag}#timeseries`,
    // The axis is from 0 to 1 until the points have come.
    curve: `!["", "0 0.2 0.4 0.6 0.8 1"].includes(
      (document.querySelector("line-chart-axis")?.innerText ?? "").replace(/\\s+/g, " ").trim())`,
    plot: "line-chart-interactive-view",
    zoomed: `document.querySelector('line-chart-axis[axis="x"]').innerText`,
    [Symbol.asyncDispose]: () => end(server),
  };
}

async function startMlflow({ python, files }: PeerStart): Promise<Peer> {
  const data = fill(python, "mlflow", join(directory, "mlflow"), files);
  const server = await MlflowServer.start(python, { kept: data, workers: 1 });
  const found = await fetch(`${server.baseUrl}/api/2.0/mlflow/runs/search`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      experiment_ids: ["1"],
      filter: `attributes.run_name = '${spike.run}'`,
    }),
  });
  const { runs } = (await found.json()) as { runs: { info: { run_id: string } }[] };
  return {
    name: "MLflow",
    enter: async () => {},
    url: `${server.baseUrl}/#/experiments/1/runs/${runs[0].info.run_id}/model-metrics`,
    curve: `(document.querySelector(".scatterlayer path.js-line")?.getAttribute("d") ?? "") !== ""`,
    plot: ".js-plotly-plot .nsewdrag",
    zoomed: `document.querySelector(".js-plotly-plot .xaxislayer-above").textContent`,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

/** The peers in an environment of their own, which later runs of this bench find again. */
function install(environment: string, progress: (line: string) => void): string {
  const python = join(environment, "bin/python");
  if (existsSync(join(environment, "bin/mlflow"))) return python;
  progress(`installing ${packages.join(", ")}`);
  execFileSync("python3", ["-m", "venv", environment], { stdio: "inherit" });
  execFileSync(python, ["-m", "pip", "install", "--quiet", ...packages], { stdio: "inherit" });
  return python;
}

function fill(python: string, kind: string, data: string, files: string[]): string {
  if (existsSync(data)) return data;
  const written = `${data}.${process.pid}`;
  mkdirSync(written, { recursive: true });
  const program = join(import.meta.dirname, "peers/fill.py");
  execFileSync(python, [program, kind, written, ...files], { stdio: "ignore" });
  renameSync(written, data);
  return data;
}
