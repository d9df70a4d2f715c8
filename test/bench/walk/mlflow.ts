import { spawn } from "node:child_process";
import { join } from "node:path";
import { freePort } from "../../free-port.ts";
import type { Hand, Walked } from "./hand.ts";
import { answered, end, type PeerFiles } from "./peer-server.ts";
import { configOf, spike } from "./runs.ts";

export async function startMlflow({ python, mlflow }: PeerFiles): Promise<Walked> {
  const port = String(await freePort());
  const url = `http://127.0.0.1:${port}`;
  const store = ["--backend-store-uri", `sqlite:///${mlflow}/mlflow.db`];
  const flags = ["server", ...store, "--host", "127.0.0.1", "--port", port, "--workers", "1"];
  const server = spawn(join(python, "../mlflow"), flags, { stdio: "ignore", cwd: mlflow });
  await answered(`${url}/health`, (text) => text === "OK");
  await writeConfigs(`${url}/api/2.0/mlflow/runs`);
  return {
    name: "MLflow",
    async begin(page) {
      await page.goto(`${url}/#/experiments/1/runs`);
      await page.getByText("100 matching runs").waitFor();
    },
    walks,
    [Symbol.asyncDispose]: () => end(server),
  };
}

/** What the names of runs say, as the params that a program would have logged. */
async function writeConfigs(runs: string): Promise<void> {
  const ask = async (path: string, body: object): Promise<Reply> => {
    const headers = { "content-type": "application/json" };
    const reply = await fetch(runs + path, { method: "POST", headers, body: JSON.stringify(body) });
    if (!reply.ok) throw new Error(`${path}: ${await reply.text()}`);
    return (await reply.json()) as Reply;
  };
  const found = await ask("/search", { experiment_ids: ["1"], max_results: 1_000 });
  for (const { info, data } of found.runs) {
    if (data.params !== undefined) continue;
    const config = Object.entries(configOf(info.run_name));
    const params = config.map(([key, value]) => ({ key, value: String(value) }));
    await ask("/log-batch", { run_id: info.run_id, params });
  }
}

interface Reply {
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
  await hand.click(hand.page.getByRole("link", { name: spike.run }));
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

const walks: Walked["walks"] = {
  async 1(hand) {
    await search(hand, "attributes.status = 'RUNNING'");
    await hand.see("0 matching runs");
  },
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
  17: "the file has the 320 points that were read",
  18: "after a reload the zoom is gone",
  async 20(hand) {
    await search(hand, "attributes.run_name LIKE '%ValueEmbed%'");
    await hand.see("33 matching runs");
  },
};
