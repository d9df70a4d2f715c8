import { execFile, spawn } from "node:child_process";
import { mkdtempDisposable, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { freePort } from "../../free-port.ts";
import { changes, type Hand, type Walked } from "./hand.ts";
import { answered, end, type PeerFiles } from "./peer-server.ts";
import {
  aboutMade,
  diverged,
  live,
  madeRuns,
  type MadePoint,
  metric,
  pointsOf,
  spike,
  wide,
} from "./runs.ts";

/** One server has the real runs, another one the made ones. */
export async function startTensorboard({ python, tensorboard }: PeerFiles): Promise<Walked> {
  const stack = new AsyncDisposableStack();
  const directory = stack.use(await mkdtempDisposable(join(tmpdir(), "lossless-walk-")));
  const grow = (run: string, points: Iterable<MadePoint>) =>
    write(python, directory.path, run, points);
  const real = await serve(python, tensorboard, [spike.run]);
  stack.defer(real.end);
  const startMade = async () => {
    for (const run of madeRuns) await grow(run, pointsOf(run));
    const { url, end: endMade } = await serve(python, join(directory.path, "logs"), madeRuns);
    stack.defer(endMade);
    return url;
  };
  let made: Promise<string> | undefined;
  return {
    name: "TensorBoard",
    async begin(page, question) {
      await page.goto(aboutMade.has(question) ? await (made ??= startMade()) : real.url);
      await page.locator(plot).first().waitFor();
    },
    walks: { ...walks, ...walksOfMade((at) => grow(live.run, [{ ...next, step: at }])) },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

async function serve(python: string, logs: string, runs: readonly string[]) {
  const port = String(await freePort());
  const flags = ["--logdir", logs, "--host", "127.0.0.1", "--port", port];
  const server = spawn(join(python, "../tensorboard"), flags, { stdio: "ignore" });
  const url = `http://127.0.0.1:${port}/`;
  await answered(`${url}data/plugin/timeseries/tags`, (text) =>
    runs.every((run) => text.includes(`"${run}"`)),
  );
  return { url, end: () => end(server) };
}

const next: MadePoint = { name: live.metric, step: 0, value: 0 };

/** Event files in `logs`, of which a run has one more each time. */
async function write(
  python: string,
  directory: string,
  run: string,
  points: Iterable<MadePoint>,
): Promise<void> {
  const lines = [...points].map(({ name, step, value }) => `${step},${step},${name},${value}`);
  const file = join(directory, `${run}.csv.gz`);
  await writeFile(file, gzipSync(["step,elapsed_ms,metric,value", ...lines].join("\n")));
  const program = join(import.meta.dirname, "../peers/fill.py");
  await promisify(execFile)(python, [program, "whole", join(directory, "logs"), file]);
}

const plot = "line-chart-interactive-view";

/** One chart, with all runs that have it. */
async function filterTags(hand: Hand, tag: string): Promise<void> {
  await hand.click(hand.page.locator("input[placeholder='Filter tags (regex)']"));
  await hand.type(`^${tag}$`);
  await hand.see("Tags matching filter");
  await hand.page.getByText(tag, { exact: true }).first().waitFor();
}

/** The runs at the left. */
async function filterRuns(hand: Hand, pattern: string): Promise<void> {
  await hand.click(hand.page.locator("input[placeholder='Filter runs (regex)']"));
  await hand.type(pattern);
}

const axisText = (hand: Hand) => hand.page.locator('line-chart-axis[axis="x"]').first().innerText();

const walks: Walked["walks"] = {
  1: "event files do not say whether their run goes on",
  2: "event files do not say whether their run goes on",
  3: `of ${spike.run} 1,000 of 19,560 points are read, and step 9,025 is not among them`,
  4: "1,000 points of a series are read, and the page does not say so",
  async 5(hand) {
    await filterTags(hand, spike.metric);
    await hand.drag(plot, 0.4, 0.5);
    await hand.point(plot, 0.5);
    await hand.see("Smoothed");
  },
  async 6(hand) {
    await filterTags(hand, metric);
    // Its completion lies over the page.
    await hand.press("Escape");
    const range = hand.page.locator("mat-checkbox", { hasText: "Enable Range Selection" });
    await hand.click(range);
    await hand.click(hand.page.getByText("Min", { exact: true }));
    await hand.see("2.7752");
  },
  7: "it has no configurations but of runs that write hparams, and shows no difference of those",
  8: "runs are found by a regular expression on their names alone",
  9: "it draws no means over runs",
  async 10(hand) {
    await filterTags(hand, metric);
    const before = await axisText(hand);
    await hand.click(hand.page.locator("mat-select", { hasText: "Step" }));
    await hand.click(hand.page.locator("mat-option", { hasText: "Relative" }));
    while ((await axisText(hand)) === before) await hand.page.waitForTimeout(20);
  },
  11: "its other axis is logarithmic, which has no place for values at or below 0",
  13: "event files have no checkpoints",
  async 14(hand) {
    await hand.page.locator("runs-data-table .run-color-swatch").first().waitFor();
    return "seven colours for all runs; of 174, one became another when two runs were added";
  },
  async 16(hand) {
    await filterTags(hand, metric);
    await hand.point(plot, 0.5);
    await hand.page.locator("tr.tooltip-row").nth(99).waitFor();
  },
  17: "a file has one run of the chart, with the 1,000 points that were read",
  18: "the address keeps filters, and no zoom",
  async 20(hand) {
    await filterRuns(hand, "ValueEmbed");
    await hand.page.getByText("2024-10-10_Muon").first().waitFor({ state: "detached" });
  },
};

/** Time that its server takes to see new data. */
const seenMs = 7_000;
const drawnMs = 5_000;

function walksOfMade(grow: (at: number) => Promise<void>): Walked["walks"] {
  return {
    async 12(hand) {
      await filterTags(hand, diverged.metric);
      await hand.point(plot, 1, -2);
      await hand.see("NaN");
      return "of 9,010 points 1,000 are read: to some nine steps";
    },
    async 15(hand) {
      await filterTags(hand, wide.wanted);
      await hand.page.locator(plot).first().waitFor();
    },
    async 19(hand) {
      await filterTags(hand, live.metric);
      const whole = await axisText(hand);
      await grow(live.next);
      await sleep(seenMs);
      await hand.click(hand.page.locator(".reload-button"));
      if (!(await changes(hand.page, () => axisText(hand), whole, drawnMs)))
        throw new Error("the chart does not follow");
      await hand.drag(plot, 0.2, 0.4);
      await hand.page.waitForTimeout(1_000);
      const zoomed = await axisText(hand);
      await grow(live.later);
      await sleep(seenMs);
      await hand.click(hand.page.locator(".reload-button"));
      const isLost = await changes(hand.page, () => axisText(hand), zoomed, drawnMs);
      return `when it is told to reload; the zoom ${isLost ? "is lost" : "stays"}`;
    },
  };
}
