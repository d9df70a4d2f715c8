import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { before, test } from "node:test";
import { LosslessClient } from "@lossless/client";
import type { Page } from "playwright-core";
import { clicksSaid } from "./answers.ts";
import { faultsInAllLooks } from "./axe.ts";
import { pagesSuite } from "./pages-suite.ts";
import { Requests } from "./requests.ts";

const hostile = '</script><img src=x onerror="window.hacked=1">\u202e run';

pagesSuite("comparing experiments", (pages) => {
  const { service, organizations } = pages;
  let client: LosslessClient;
  /** Experiment ids by slug. */
  let ids: Map<string, string>;
  /** A hundred in a folder. */
  let many: string[];

  before(async () => {
    ({ client } = pages);
    ids = await recordRuns(client);
    const folderId = (await client.folders.ensure(["many"]))!;
    many = await Promise.all(
      Array.from({ length: 100 }, (_, at) => recordOne(client, at, folderId)),
    );
  });

  const open = (path: string) => pages.open(path);
  const idsOf = (...slugs: string[]) => slugs.map((slug) => ids.get(slug)!).join(",");

  test("what is ticked is compared with a key, and without ticks what the query finds", async () => {
    const { page, seen } = await open("/experiments?q=slug ~ sweep/*");
    await page.getByLabel("tick sweep/a1").click();
    await page.getByLabel("tick sweep/b2").click();
    await page.keyboard.press("c");
    await page.waitForURL(/\/compare\?e=\w{26}%2C\w{26}$/);
    await lineOf(page, "sweep/a1").waitFor();
    assert.equal(await page.locator(".compared li").count(), 2);
    await page.goBack();
    await page.getByLabel("tick sweep/a1").click();
    await page.getByLabel("tick sweep/b2").click();
    await page.getByRole("link", { name: "compare all results" }).click();
    await lineOf(page, "sweep/b1").waitFor();
    assert.equal(await page.locator(".compared li").count(), 4);
    assert.deepEqual(seen.problems, []);
  });

  test("the list hides, shows alone, makes the reference and removes, by keys too", async () => {
    const { page } = await open(`/compare?e=${idsOf("sweep/a1", "sweep/a2", "sweep/b1")}`);
    const hidden = () => page.locator(".compared li[data-hidden=true]").count();
    await lineOf(page, "sweep/a1").click();
    await page.waitForURL(/hide=/);
    assert.equal(await hidden(), 1);
    await page.getByRole("button", { name: "show all" }).click();
    await page.waitForURL((url) => !url.searchParams.has("hide"));
    await page.getByRole("button", { name: "hide done" }).click();
    await page.waitForURL(/hide=/);
    assert.equal(await hidden(), 2);
    await page.getByRole("button", { name: "show all" }).click();
    await page.waitForURL((url) => !url.searchParams.has("hide"));
    await lineOf(page, "sweep/a2").focus();
    await page.keyboard.press("o");
    await page.waitForURL(new RegExp(`hide=${ids.get("sweep/a1")}%2C${ids.get("sweep/b1")}`));
    assert.equal(await lineOf(page, "sweep/a2").getAttribute("aria-pressed"), "true");
    await page.keyboard.press("r");
    await page.waitForURL(new RegExp(`ref=${ids.get("sweep/a2")}`));
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Delete");
    await page.waitForURL((url) => url.searchParams.get("e") === idsOf("sweep/a1", "sweep/a2"));
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("Enter");
    await page.waitForURL(new RegExp(`/experiments/${ids.get("sweep/a1")}`));
  });

  test("what the list's search finds is shown alone, by a click and by keys", async () => {
    const compared = many.slice(0, 20);
    const { page, seen } = await open(`/compare?e=${compared.join(",")}`);
    const chart = page.locator("figure[data-series='loss']");
    await chart.getByText("8,000 points, not sampled").waitFor();
    const only = page.getByRole("button", { name: /^only th/ });
    assert.equal(await only.count(), 0);
    const search = page.getByRole("searchbox", { name: "Search compared experiments" });
    await search.fill("many 00");
    await page.getByRole("button", { name: "only these 10", pressed: false }).click();
    await chart.getByText("4,000 points, not sampled").waitFor();
    const hidden = compared.slice(10).join(",");
    assert.equal(new URL(page.url()).searchParams.get("hide"), hidden);
    await page.reload();
    await chart.getByText("4,000 points, not sampled").waitFor();
    await page.getByRole("button", { name: "show all" }).click();
    await chart.getByText("8,000 points, not sampled").waitFor();
    await search.fill("quantum");
    await page.getByText("No experiment matches.").waitFor();
    assert.equal(await only.count(), 0);
    await search.fill("many 007");
    await search.press("Enter");
    await chart.getByText("400 points, not sampled").waitFor();
    await page.getByRole("button", { name: "only this one", pressed: true }).waitFor();
    await lineOf(page, "many/007").press("Shift+O");
    await chart.getByText("8,000 points, not sampled").waitFor();
    assert.deepEqual(seen.problems, []);
  });

  test("ids that are none here are said and left out, and so are those beyond a hundred", async () => {
    const foreign = new LosslessClient({
      baseUrl: service.baseUrl,
      apiKey: organizations.rival.key,
    });
    const theirs = await foreign.record({ slug: "theirs" });
    const { page } = await open(`/compare?e=${idsOf("sweep/a1")},${theirs.experimentId},nobody`);
    await page.getByText(`does not have them: ${theirs.experimentId} and 1 more.`).waitFor();
    assert.equal(await page.locator(".compared li").count(), 1);
    const many = Array.from({ length: 120 }, (_, at) => `none-${at}`).join(",");
    await page.goto(`${service.baseUrl}/compare?e=${idsOf("sweep/a1")},${many}`);
    await page.getByText("Showing the first 100 of 121 experiments.").waitFor();
  });

  test("an experiment that the query finds later joins, and one can be left out of it", async () => {
    const { page } = await open("/compare?q=slug ~ later/*&sort=slug");
    await page.getByText("No experiments found.").waitFor();
    for (const slug of ["later/1", "later/2"])
      await client.openExperiment({ slug, description: "", meta: {} });
    await lineOf(page, "later/2").waitFor();
    // Its buttons come when ⋯ is pointed at.
    await lineOf(page, "later/1").hover();
    const tools = page.locator(".compared li:hover .tools");
    const { width } = (await tools.boundingBox())!;
    await tools.hover({ position: { x: width - 8, y: 12 } });
    await page.getByRole("button", { name: "Remove later/1" }).click();
    await page.waitForURL(/q=.*not\+id\+in/);
    await lineOf(page, "later/1").waitFor({ state: "detached" });
    assert.equal(await page.locator(".compared li").count(), 1);
  });

  test("a chart has a line for each experiment, and hiding one takes its line out", async () => {
    const { page, seen } = await open(`/compare?e=${idsOf("sweep/a1", "sweep/a2", "sweep/b1")}`);
    const chart = page.locator("figure[data-series='train/loss']");
    await chart.getByText("3,000 points, not sampled").waitFor();
    assert.equal(await chart.locator(".readings .partition").count(), 3);
    await page.getByRole("button", { name: "sweep/a2" }).first().click();
    await chart.getByText("2,000 points, not sampled").waitFor();
    assert.equal(await chart.locator(".readings .partition").count(), 2);
    await chart.locator(".plot").focus();
    await page.keyboard.press("ArrowRight");
    const said = page.locator("p[aria-live='polite']", {
      hasText: /step 0: sweep\/a1 0\.05.*sweep\/b1/,
    });
    await said.waitFor({ state: "attached" });
    assert.deepEqual(seen.problems, []);
  });

  test("a colour is that of an experiment, here and in any other company", async () => {
    const kindOf = async (page: Page, slug: string) =>
      page.locator(".compared li", { hasText: slug }).locator(".swatch").getAttribute("class");
    const { page } = await open(`/compare?e=${idsOf("sweep/a1", "sweep/a2", "sweep/b1")}`);
    await lineOf(page, "sweep/a1").waitFor();
    const before = await kindOf(page, "sweep/a1");
    await page.goto(`${service.baseUrl}/compare?e=${idsOf("sweep/a1", "sweep/b2")}`);
    await lineOf(page, "sweep/b2").waitFor();
    assert.equal(await kindOf(page, "sweep/a1"), before);
  });

  test("question 9: the mean over seeds with a band", async () => {
    const { page } = await open("/experiments?q=slug ~ sweep/*");
    const clicks = new Clicks(page);
    await clicks.click("tick sweep/a1");
    await clicks.click("tick sweep/a2");
    await clicks.press("c");
    await clicks.open("group by: nothing");
    await clicks.click("all but meta.seed", "button");
    const chart = page.locator("figure[data-series='train/loss']");
    await chart
      .getByText(/2,000 points, not sampled, lines are means; bands reach from the lowest/)
      .waitFor();
    assert.equal(clicks.count, clicksSaid(9));
    assert.deepEqual(await faultsInAllLooks(page), []);
    // The menu of a chart has no end that one has to scroll to.
    const menu = page.locator("figure[data-series='train/loss'] .menu");
    await menu.locator("summary").click();
    await menu.getByRole("button", { name: "full screen" }).waitFor();
    const hidden = await page.evaluate<number>(`{
      const list = document.querySelector(".menu[open] > div");
      list.scrollHeight - list.clientHeight;
    }`);
    assert.equal(hidden, 0);
    await page.keyboard.press("Escape");
    await page.goto(`${page.url()}&r=100~101`);
    const values = [1, 2].map((seed) => 0.1 * Math.cos(100 / 100 + seed));
    const mean = (values[0] + values[1]) / 2;
    const shown = (value: number) => value.toPrecision(6);
    const [low, high] = values.toSorted((one, other) => one - other);
    const text = `${shown(mean)}, N 2 (${shown(low)} … ${shown(high)})`;
    await chart.locator("canvas").waitFor();
    await chart.locator(".plot").focus();
    await page.keyboard.press("ArrowRight");
    const said = page.locator("p[aria-live='polite']", { hasText: `step 100: all ${text}` });
    await said.waitFor({ state: "attached" });
  });

  test("values of keys stand whole before the values of their groups, also on a phone", async () => {
    const address = "/compare?q=slug ~ sweep/*&group=meta.seed";
    const { page } = await pages.open(address, { viewport: { width: 390, height: 844 } });
    const names = page.locator("figure[data-series='train/loss'] .readings .cut-name");
    await names.nth(1).waitFor();
    const cut = await page.evaluate<number>(`[...document.querySelectorAll(
      ".readings.grouped .cut-name > bdi")].filter((one) => {
        const [own, room] = [one, one.parentElement].map((each) => each.getBoundingClientRect());
        return own.width < 1 || own.right > room.right + 1;
      }).length`);
    assert.equal(cut, 0);
  });

  test("beside the list the controls of the charts take two rows, grouped, smoothed and zoomed too", async () => {
    const address = "/compare?q=slug ~ sweep/*&group=meta.seed&s=x:0.9&r=10~500";
    const { page } = await pages.open(address, { viewport: { width: 1_024, height: 768 } });
    await page.getByLabel("group by: seed").waitFor();
    await page.getByRole("button", { name: "reset zoom" }).waitFor();
    const heights = await page.evaluate<number[]>(`[".heading", ".toolbar"].map((part) =>
      document.querySelector(".compare " + part).clientHeight)`);
    const [heading, toolbar] = heights;
    assert.ok(heading < 48, `${heading} pixels are one row`);
    assert.ok(toolbar < 110, `${toolbar} pixels are two rows`);
  });

  test("the controls of a run's charts are one row, and stay one when they are zoomed", async () => {
    for (const width of [1_024, 1_280]) {
      const address = `/experiments/${ids.get("sweep/a1")}?tab=charts&s=x:0.9&r=10~500`;
      const { page } = await pages.open(address, { viewport: { width, height: 768 } });
      await page.getByRole("button", { name: "reset zoom" }).waitFor();
      const height = await page.evaluate<number>(`document.querySelector(".toolbar").clientHeight`);
      assert.ok(height < 70, `${height} pixels are one row`);
    }
  });

  test("question 16: a hundred runs of a folder are laid over each other", async () => {
    const { page } = await open("/experiments");
    const clicks = new Clicks(page);
    await clicks.click(/^many/, "treeitem");
    await page.getByText("100 found", { exact: true }).waitFor();
    await clicks.press("c");
    await page.waitForURL(/compare\?.*folder=/);
    const chart = page.locator("figure[data-series='loss']");
    await chart.getByText("100 lines: point at one to read it").waitFor();
    await chart.getByText("40,000 points, not sampled").waitFor();
    assert.equal(clicks.count, clicksSaid(16));
  });

  test("a chart for each value of a meta, and one line for each group of them", async () => {
    const { page } = await open("/compare?q=slug ~ sweep/*&sort=slug&split=meta.lr&group=meta.lr");
    await page.getByRole("heading", { name: "train/loss · lr=0.1" }).waitFor();
    await page.getByRole("heading", { name: "train/loss · lr=0.2" }).waitFor();
    assert.equal(await page.locator("figure.chart").count(), 2);
    await page.getByText("2,000 points, not sampled").nth(1).waitFor();
    // A report looks for its part of what the query finds.
    await page.getByLabel("Menu of train/loss · lr=0.1").click();
    await page.getByRole("button", { name: "add to a report…" }).click();
    await page.getByRole("button", { name: "+ report" }).click();
    await page.getByLabel("Name").fill("A part");
    await page.keyboard.press("Enter");
    await page.getByRole("link", { name: "A part" }).click();
    await page.getByRole("heading", { name: "train/loss · lr=0.1" }).waitFor();
    const words = "live: experiments found by “slug ~ sweep/* and meta.lr = 0.1”, sorted by slug";
    await page.locator("figure", { hasText: words }).getByText("2,000 points").waitFor();
  });

  test("a hundred lines are each what it is alone, and the chart considers every point", async () => {
    const { page } = await open("/compare?q=slug ~ many/*&sort=slug");
    const chart = page.locator("figure[data-series='loss']");
    await chart.getByText("40,000 points, not sampled").waitFor();
    await chart.getByText("100 lines: point at one to read it").waitFor();
    const body = { xAxis: "step", columns: 40, start: 30, end: 391 } as const;
    const series = many.map((experimentId) => ({ experimentId, seriesName: "loss" }));
    const together = await client.views.overview({ ...body, series });
    for (const [at, one] of series.entries()) {
      const alone = await client.views.overview({ ...body, series: [one] });
      assert.deepEqual(together.series[at], alone.series[0]);
    }
  });

  test("every point of every line is a file, and the lines of groups are one", async () => {
    const { page } = await open(
      `/compare?e=${idsOf("sweep/a1", "sweep/a2")}&group=meta.lr&m=loss&r=10~20`,
    );
    const chart = page.locator("figure[data-series='train/loss']");
    await chart.getByText("20 points, not sampled").waitFor();
    const saved = async (name: string) => {
      await chart.locator("summary").click();
      const [download] = await Promise.all([
        page.waitForEvent("download"),
        chart.getByText(name).click(),
      ]);
      return (await readFile(await download.path(), "utf8")).trimEnd().split(/\r?\n/);
    };
    const [header, ...rows] = await saved("every point as CSV");
    assert.equal(header, "experimentId,slug,seriesName,metadata,step,timestampMs,value");
    assert.equal(rows.length, 20);
    assert.equal(rows.filter((row) => row.includes('"sweep/a2"')).length, 10);
    const [head, ...means] = await saved("means and bands as CSV");
    assert.equal(head, "group,step,mean,min,max,members,recorded");
    assert.ok(means.every((row) => row.startsWith("lr=0.1,") && /,2,[02]$/.test(row)));
  });

  test("who runs grows on the page, by one request that waits, and in a quiet page asks nothing", async () => {
    const recorder = await client.record({ slug: "growing" });
    recorder.record("train/loss", 1, 0);
    await recorder.flush();
    const { page } = await open("/experiments");
    const requests = new Requests(page);
    const compared = `${recorder.experimentId},${idsOf("sweep/a1")}`;
    await page.goto(`${service.baseUrl}/compare?e=${compared}`);
    const chart = page.locator("figure[data-series='train/loss']");
    await chart.getByText("1,001 points, not sampled").waitFor();
    recorder.record("train/loss", 1, 1);
    await recorder.flush();
    await chart.getByText("1,002 points, not sampled").waitFor();
    await requests.settled();
    let revisionsRead = 0;
    page.on("request", (request) => {
      if (request.postData()?.includes("svc.v2.query.revisions")) revisionsRead++;
    });
    await recorder.finish();
    await page
      .locator(".compared li", { hasText: "growing" })
      .getByLabel("done", { exact: true })
      .waitFor();
    assert.deepEqual(await requests.askedInQuiet(), []);
    assert.equal(revisionsRead, 0);
    assert.ok(requests.waitingMax <= 1);
  });

  test("what has no step is looked for in one request, and what nobody looked for is counted", async () => {
    const noted = await client.record({ slug: "noted" });
    for (let step = 0; step < 10; step++)
      noted.record("train/loss", step, step, { timestampMs: 1_000_000 + step });
    for (let at = 0; at < 105; at++)
      void noted.annotate(`note ${at}.`, { timestampMs: 1_000_000 + at });
    await noted.finish();
    const { page } = await pages.signedIn();
    const places: number[] = [];
    page.on("request", (request) => {
      if (!request.url().endsWith("/points")) return;
      places.push((request.postDataJSON() as { places: number[] }).places.length);
    });
    const compared = `${noted.experimentId},${idsOf("sweep/a1")}`;
    await page.goto(`${service.baseUrl}/compare?e=${compared}`);
    await page.getByText(/^5 older annotations without a step: shown only when/).waitFor();
    await page
      .getByRole("button", { name: /noted: note \d+\./ })
      .first()
      .waitFor();
    // The experiment itself, and then its annotations.
    assert.ok(places.includes(100) && places.length <= 3, places.join());
  });

  test("texts of users are only ever text", async () => {
    const { page, seen } = await open(`/compare?e=${ids.get(hostile)}`);
    await lineOf(page, hostile).waitFor();
    assert.equal(await page.evaluate("window.hacked"), undefined);
    assert.equal(await page.locator("#app img").count(), 0);
    assert.deepEqual(seen.problems, []);
  });
});

type Role = "checkbox" | "treeitem" | "button";

/** Clicks and keys until an answer is shown. */
class Clicks {
  count = 0;
  readonly #page: Page;

  constructor(page: Page) {
    this.#page = page;
  }

  async click(name: string | RegExp, role: Role = "checkbox"): Promise<void> {
    this.count++;
    await this.#page.getByRole(role, { name, exact: true }).click();
  }

  async press(key: string): Promise<void> {
    this.count++;
    await this.#page.keyboard.press(key);
  }

  async open(label: string): Promise<void> {
    this.count++;
    await this.#page.getByLabel(label, { exact: true }).click();
  }
}

function lineOf(page: Page, slug: string) {
  const name = page.locator(`.cut-name[data-whole=${JSON.stringify(slug)}]`);
  return page.locator(".compared li .slug", { has: name });
}

async function recordOne(client: LosslessClient, at: number, folderId: string): Promise<string> {
  const recorder = await client.record({ slug: `many/${String(at).padStart(3, "0")}`, folderId });
  for (let step = 0; step < 400; step++)
    recorder.record("loss", Math.sin(step * (at + 1)) + at / 10, step);
  await recorder.finish();
  return recorder.experimentId;
}

async function recordRuns(client: LosslessClient): Promise<Map<string, string>> {
  const ids = new Map<string, string>();
  for (const [slug, lr, seed] of [
    ["sweep/a1", 0.1, 1],
    ["sweep/a2", 0.1, 2],
    ["sweep/b1", 0.2, 1],
    ["sweep/b2", 0.2, 2],
    [hostile, 0.3, 3],
  ] as const) {
    const recorder = await client.record({ slug, meta: { lr, seed } });
    for (let step = 0; step < 1_000; step++)
      recorder.record("train/loss", lr * Math.cos(step / 100 + seed), step);
    if (slug === "sweep/a2") await recorder.flush();
    else await recorder.finish();
    ids.set(slug, recorder.experimentId);
  }
  return ids;
}
