import { spawn } from "node:child_process";
import { join } from "node:path";
import { freePort } from "../../free-port.ts";
import type { Hand, Walked } from "./hand.ts";
import { answered, end, type PeerFiles } from "./peer-server.ts";
import { metric, spike } from "./runs.ts";

export async function startTensorboard({ python, tensorboard }: PeerFiles): Promise<Walked> {
  const port = String(await freePort());
  const flags = ["--logdir", tensorboard, "--host", "127.0.0.1", "--port", port];
  const server = spawn(join(python, "../tensorboard"), flags, { stdio: "ignore" });
  const url = `http://127.0.0.1:${port}/`;
  await answered(
    `${url}data/plugin/timeseries/tags`,
    (text) => text.split(`"${spike.run}"`).length > 1,
  );
  return {
    name: "TensorBoard",
    async begin(page) {
      await page.goto(url);
      await page.locator("line-chart-interactive-view").first().waitFor();
    },
    walks,
    [Symbol.asyncDispose]: () => end(server),
  };
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
  async 16(hand) {
    await filterTags(hand, metric);
    await hand.point(plot, 0.5);
    await hand.see("2024-10-10_Muon");
  },
  17: "a file has one run of the chart, with the 1,000 points that were read",
  18: "the address keeps filters, and no zoom",
  async 20(hand) {
    await filterRuns(hand, "ValueEmbed");
    await hand.page.getByText("2024-10-10_Muon").first().waitFor({ state: "detached" });
  },
};
