import { randomUUID } from "node:crypto";
import { MlflowServer } from "../../mlflow/server.ts";
import { changes, type Hand, type Walked } from "./hand.ts";
import type { PeerFiles } from "./peer-server.ts";
import {
  aboutMade,
  configOf,
  live,
  madeRuns,
  type MadePoint,
  pointsOf,
  spike,
  wide,
} from "./runs.ts";

/** The made runs are an experiment of their own, a new one each time. */
export async function startMlflow({ python, mlflow }: PeerFiles): Promise<Walked> {
  const server = await MlflowServer.start(python, { kept: mlflow, workers: 1 });
  const url = server.baseUrl;
  const service = new MlflowService(url);
  await writeConfigs(service);
  let made: ReturnType<typeof recordMade> | undefined;
  const grow = async (at: number) => service.log((await made!).live, [{ ...next, step: at }]);
  return {
    name: "MLflow",
    async begin(page, question) {
      const isMade = aboutMade.has(question);
      const experiment = isMade ? (await (made ??= recordMade(service))).experiment : "1";
      await page.goto(`${url}/#/experiments/${experiment}/runs`);
      await page.getByText(`${isMade ? madeRuns.length : 100} matching runs`).waitFor();
    },
    walks: { ...walks, ...walksOfMade(grow) },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

/** Maximum number of metrics in a request. */
const metricsMax = 1_000;

class MlflowService {
  readonly #url: string;

  constructor(url: string) {
    this.#url = url;
  }

  async ask<Reply>(path: string, body: object): Promise<Reply> {
    const headers = { "content-type": "application/json" };
    const address = `${this.#url}/api/2.0/mlflow/${path}`;
    const reply = await fetch(address, { method: "POST", headers, body: JSON.stringify(body) });
    if (!reply.ok) throw new Error(`${path}: ${await reply.text()}`);
    return (await reply.json()) as Reply;
  }

  /** JSON has no NaN: it is sent as a text. */
  async log(run: string, points: Iterable<MadePoint>): Promise<void> {
    const all = [...points].map(({ name, value, step }) => ({
      key: name,
      value: Number.isFinite(value) ? value : String(value),
      step,
      timestamp: beganMs + step,
    }));
    for (let at = 0; at < all.length; at += metricsMax)
      await this.ask("runs/log-batch", { run_id: run, metrics: all.slice(at, at + metricsMax) });
  }
}

const beganMs = 1_704_067_200_000;
const next: MadePoint = { name: live.metric, step: 0, value: 0 };

async function recordMade(service: MlflowService): Promise<{ experiment: string; live: string }> {
  const { experiment_id: experiment } = await service.ask<{ experiment_id: string }>(
    "experiments/create",
    { name: `made ${randomUUID()}` },
  );
  const ids = new Map<string, string>();
  for (const name of madeRuns) {
    const body = { experiment_id: experiment, run_name: name, start_time: Date.now() };
    const { run } = await service.ask<{ run: { info: { run_id: string } } }>("runs/create", body);
    const { run_id } = run.info;
    ids.set(name, run_id);
    await service.log(run_id, pointsOf(name));
    if (name === live.run) continue;
    await service.ask("runs/update", { run_id, status: "FINISHED", end_time: Date.now() });
  }
  return { experiment, live: ids.get(live.run)! };
}

/** Writes the parts of run names as the params that a program would have logged. */
async function writeConfigs(service: MlflowService): Promise<void> {
  const asked = { experiment_ids: ["1"], max_results: 1_000 };
  const found = await service.ask<Found>("runs/search", asked);
  for (const { info, data } of found.runs) {
    if (data.params !== undefined) continue;
    const config = Object.entries(configOf(info.run_name));
    const params = config.map(([key, value]) => ({ key, value: String(value) }));
    await service.ask("runs/log-batch", { run_id: info.run_id, params });
  }
}

interface Found {
  runs: { info: { run_id: string; run_name: string }; data: { params?: unknown } }[];
}

const plot = ".js-plotly-plot .nsewdrag";

async function search(hand: Hand, filter: string): Promise<void> {
  await hand.click(hand.page.getByTestId("search-box"));
  await hand.type(filter);
  await hand.press("Enter");
}

async function open(hand: Hand): Promise<void> {
  await search(hand, `attributes.run_name = '${spike.run}'`);
  await openRow(hand, spike.run);
}

async function openRow(hand: Hand, run: string): Promise<void> {
  await hand.click(hand.page.getByRole("link", { name: run }));
  await hand.click(hand.page.getByRole("tab", { name: "Model metrics" }));
  await hand.page.locator(plot).first().waitFor();
  await hand.page.locator(".scatterlayer path.js-line").first().waitFor({ state: "attached" });
}

async function showCharts(hand: Hand): Promise<void> {
  await hand.click('label:has(input[value="CHART"])');
  await hand.page.locator(plot).first().waitFor();
}

const tick = (hand: Hand, at: number) =>
  hand.click(hand.page.locator(".ag-row .ag-checkbox-input").nth(at));
const ticks = (hand: Hand) => hand.page.locator(".js-plotly-plot .xaxislayer-above").first();

/** Its service gives null for the metric of such a run, and the page says "Model metrics (0)". */
const noNaN = "of a metric whose last value is NaN it draws no chart, and does not list it";

const walks: Walked["walks"] = {
  async 1(hand) {
    await search(hand, "attributes.status = 'RUNNING'");
    await hand.see("0 matching runs");
  },
  2: "the table says when a run began, and nothing of its last value",
  3: "320 points of 19,560 are read, of a zoom to an eighth 320, too: step 9,025 is in neither",
  4: "320 points of a series are read, and the page does not say so",
  async 5(hand) {
    await open(hand);
    await hand.click(hand.page.getByLabel("Configure charts"));
    await hand.see("Line smoothing");
    await hand.click(hand.page.getByRole("slider"));
    await hand.press("Escape");
    await hand.drag(plot, 0.4, 0.55);
    await hand.page.waitForTimeout(1_000);
  },
  6: "the table has the last value of each metric, and no least one",
  async 7(hand) {
    await tick(hand, 1);
    await tick(hand, 2);
    await hand.click(hand.page.getByRole("button", { name: "Compare" }));
    await hand.see("Show diff only");
  },
  8: "its filters have no NOT LIKE",
  async 9(hand) {
    await showCharts(hand);
    await hand.click(hand.page.getByText("Group by"));
    await hand.click(hand.page.getByText("record", { exact: true }).last());
    await hand.see(/^Group: /);
    return "means, no band";
  },
  async 10(hand) {
    await open(hand);
    const before = await ticks(hand).textContent();
    await hand.click(hand.page.getByLabel("Configure charts"));
    await hand.click(hand.page.getByText("Time (relative)"));
    while ((await ticks(hand).textContent()) === before) await hand.page.waitForTimeout(20);
  },
  11: "its other axis is logarithmic, which has no place for values at or below 0",
  12: noNaN,
  13: `${noNaN}; checkpoints are files, by their names`,
  async 14(hand) {
    await showCharts(hand);
    await hand.page.locator(".ag-row input[type=color]").first().waitFor({ state: "attached" });
    return "some 20 colours for all runs";
  },
  async 16(hand) {
    await showCharts(hand);
    await hand.click(hand.page.getByTestId("experiment-view-runs-visibility-column-header"));
    await hand.click(hand.page.getByText("Show all runs"));
    // A chart has two paths of each run.
    await hand.page.waitForFunction(`[...document.querySelectorAll(".js-plotly-plot")].some(
      (plot) => plot.querySelectorAll("path.js-line").length >= 200)`);
    return "of the 100 runs that its table has";
  },
  17: "the file has the 320 points that were read",
  18: "after a reload the zoom is gone",
  async 20(hand) {
    await search(hand, "attributes.run_name LIKE '%ValueEmbed%'");
    await hand.see("33 matching runs");
  },
};

/** Longer than it waits between two reads of a run that goes on. */
const followsMs = 45_000;

function walksOfMade(grow: (at: number) => Promise<void>): Walked["walks"] {
  return {
    async 15(hand) {
      await openRow(hand, wide.run);
      await hand.click(hand.page.getByPlaceholder("Search metric charts"));
      await hand.type(wide.wanted);
      await hand.see(wide.wanted);
    },
    async 19(hand) {
      await openRow(hand, live.run);
      const text = () => ticks(hand).textContent();
      const whole = await text();
      await grow(live.next);
      if (!(await changes(hand.page, text, whole, followsMs)))
        throw new Error(`the chart does not follow within ${followsMs / 1_000} s`);
      await hand.drag(plot, 0.2, 0.5);
      await hand.page.waitForTimeout(1_000);
      const zoomed = await text();
      await grow(live.later);
      const isLost = await changes(hand.page, text, zoomed, followsMs);
      return `follows within ${followsMs / 1_000} s; the zoom ${isLost ? "is lost" : "stays"}`;
    },
  };
}
