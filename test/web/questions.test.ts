import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { before, test } from "node:test";
import type { LosslessClient, OverviewBody } from "@lossless/client";
import type { Locator, Page } from "playwright-core";
import { answers, clicksSaid } from "./answers.ts";
import { keptBy } from "./kept.ts";
import { pagesSuite } from "./pages-suite.ts";
import { counted, recordRun, recordWide, wideSeries } from "./recorded-runs.ts";

/**
 * Questions of people, numbered as in docs/web.md, which says how many clicks and keys the answer
 * takes from the start page. 7, 9 and 16 are asked where experiments are compared.
 */
pagesSuite("the questions of people who look", (pages) => {
  const { service } = pages;
  let client: LosslessClient;

  before(async () => {
    ({ client } = pages);
    await recordSweep(client);
    await recordRun(pages);
    await recordWide(client);
  });

  /** The start page, as somebody sees it who has just come. */
  async function visit(
    path = "/experiments",
    prepare: (page: Page) => Promise<void> = async () => undefined,
  ): Promise<Visit> {
    const { page } = await pages.signedIn();
    const visit = await Visit.begin(page);
    await prepare(page);
    await page.goto(service.baseUrl + path);
    await page.getByRole("heading").or(page.getByRole("grid")).first().waitFor();
    return visit;
  }

  test("1: what runs now, without the finished ones?", async () => {
    const { page, took } = await visit();
    await page.getByRole("button", { name: "Running" }).click();
    await page.getByText("1 found", { exact: true }).waitFor();
    assert.deepEqual(await names(page), ["sweep/live"]);
    assert.equal(await took(), clicksSaid(1));
  });

  test("2: it says running: does it still live?", async () => {
    const later = Date.now() + 14.5 * 60_000;
    const { page, took } = await visit(undefined, (page) => page.clock.setSystemTime(later));
    const row = page.getByRole("row", { name: /sweep\/live/ });
    await row.getByText(/silent 1\d min/).waitFor();
    assert.equal(await took(), clicksSaid(2));
  });

  test("3: was there a spike, and at which step?", async () => {
    const { page, took, open } = await visit();
    const loss = await open("run", "loss");
    await point(loss, 7_777 / 19_999);
    await loss.locator(".at", { hasText: /step 7,7\d\d/ }).waitFor();
    await loss.getByText(/… 9\.5/).waitFor();
    // All charts say what they have there.
    await page.locator("figure[data-series='delta'] .at", { hasText: /step 7,7\d\d/ }).waitFor();
    assert.equal(await took(), clicksSaid(3));
  });

  test("4: is this shape real, or a sample?", async () => {
    const { took, open } = await visit();
    const loss = await open("run", "loss");
    await loss.getByText("20,000 points, not sampled", { exact: true }).waitFor();
    assert.equal(await took(), clicksSaid(4));
  });

  test("5: why does the smoothed curve change when I zoom? It does not", async () => {
    const { page, took, open } = await visit();
    const delta = await open("run", "delta");
    await page.getByRole("slider", { name: "amount of smoothing" }).fill("20");
    await point(delta, 0.6);
    const smoothed = delta.locator(".readings > span", { hasText: /\(.*\)/ });
    await smoothed.waitFor();
    const before = await smoothed.innerText();
    const place = await delta.locator(".at").innerText();
    for (const times of [1, 2, 3, 4]) {
      await page.keyboard.press("]");
      await page.waitForURL(/r=/);
      const most = 1_000 / 2 ** times;
      await until(delta.locator(".below"), (text) => Number.parseInt(text, 10) <= most + 2);
      assert.equal(await smoothed.innerText(), before);
      assert.equal((await delta.locator(".at").innerText()).split(",")[1], place.split(",")[1]);
    }
    assert.equal(await took(), clicksSaid(5));
  });

  test("6: which run has the lowest validation loss, not the last?", async () => {
    const { page, took } = await visit();
    await page.getByRole("columnheader", { name: "val/loss min" }).click();
    await page.locator(".line:first-child a[aria-label='sweep/3']").waitFor();
    assert.equal(await took(), clicksSaid(6));
  });

  test("8: runs with lr over 0.01 whose name has no concat?", async () => {
    const { page, took } = await visit();
    await page.getByRole("combobox", { name: "Query" }).click();
    await page.keyboard.type("meta.l");
    await page.getByRole("option", { name: "meta.lr" }).waitFor();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.keyboard.type("> 0.01 and not slug ~ *concat*");
    await page.getByText("2 found", { exact: true }).waitFor();
    assert.deepEqual((await names(page)).toSorted(), ["sweep/2", "sweep/3"]);
    assert.equal(await took(), clicksSaid(8));
  });

  test("10: the same over relative step, wall time, another series?", async () => {
    const { page, took, open, press } = await visit();
    const loss = await open("run", "loss");
    await press("x");
    await page.waitForURL(/x=offset/);
    await point(loss, 0.5, "step + ");
    assert.equal(await took(), clicksSaid(10));
    await press("x");
    await page.waitForURL(/x=elapsed/);
    await point(loss, 0.5, "after ");
    await page.getByLabel("x", { exact: true }).selectOption({ label: "delta" });
    await page.waitForURL(/x=metric%3Adelta/);
    await loss
      .getByText(/1,000 points, not sampled, 19,000 more points not on this axis/)
      .waitFor();
  });

  test("11: log scale with zeros and negatives?", async () => {
    const { took, open, press } = await visit();
    const delta = await open("run", "delta");
    await press("l");
    await delta.getByText(/1,000 points, not sampled, 500 places at or below 0/).waitFor();
    assert.equal(await took(), clicksSaid(11));
    await press("l");
    await delta.getByText(/linear within ±/).waitFor();
  });

  test("12: where did it become NaN?", async () => {
    const { page, took, open } = await visit();
    const loss = await open("run", "loss");
    const mark = loss.getByRole("button", { name: "loss is NaN at step 9000" });
    await mark.waitFor();
    // It is of this series alone.
    assert.equal(await page.getByRole("button", { name: "loss is NaN" }).count(), 1);
    await stands(loss, mark, 9_000 / 19_999);
    assert.equal(await took(), clicksSaid(12));
  });

  test("13: which checkpoint lies before the collapse?", async () => {
    const { page, took, open } = await visit();
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    const loss = await open("run", "loss");
    const mark = loss.getByRole("button", { name: /version 000000005000 of .* at step 5,000/ });
    await mark.waitFor();
    await stands(loss, mark, 5_000 / 19_999);
    await mark.click();
    await loss.getByText(/copied: lossless pull \S+ --version 000000005000/).waitFor();
    const copied = await page.evaluate<string>("navigator.clipboard.readText()");
    assert.match(copied, /^lossless pull run\/checkpoints-\S+ --version 000000005000$/);
    assert.equal(await took(), clicksSaid(13));
  });

  test("14: which colour is which run, today and tomorrow?", async () => {
    const { page, took, press } = await visit();
    // Where two colours meet the younger experiment takes another one: this is the oldest.
    const name = "sweep/0";
    const colourOf = async (place: Locator) =>
      /line-\d+/.exec((await place.getAttribute("class"))!)?.[0];
    const row = page.locator(".line", { has: page.getByLabel(name, { exact: true }) });
    const own = await colourOf(row.locator(".dot").first());
    assert.notEqual(own, undefined);
    await press("c");
    await page.waitForURL(/compare/);
    const isThere = async (where: Page) => {
      const line = where.locator(".compared li", { has: where.getByText(name, { exact: true }) });
      assert.equal(await colourOf(line.locator(".swatch")), own);
    };
    await isThere(page);
    assert.equal(await took(), clicksSaid(14));
    await isThere((await visit(page.url().slice(service.baseUrl.length))).page);
  });

  test("15: I have 2,000 metrics; must the page freeze?", async (context) => {
    const asked = new Set<string>();
    const { page, took, open } = await visit(undefined, async (page) => {
      page.on("request", (request) => {
        if (!request.url().endsWith("/overview")) return;
        for (const { seriesName } of (request.postDataJSON() as OverviewBody).series)
          asked.add(seriesName);
      });
    });
    const startedMs = performance.now();
    const charts = await open("wide");
    const firstMs = performance.now() - startedMs;
    const canvases = page.locator("figure.chart canvas");
    await canvases.nth(3).waitFor();
    assert.ok((await charts.count()) >= wideSeries);
    assert.ok(asked.size < 40, `${asked.size} of ${wideSeries}`);
    assert.ok((await canvases.count()) < 40);
    const { heapBytes, nodes } = await keptBy(page);
    const figures = { firstMs: Math.round(firstMs), asked: asked.size, heapBytes, nodes };
    context.diagnostic(JSON.stringify(figures));
    await charts.last().scrollIntoViewIfNeeded();
    await charts.last().locator("canvas").waitFor();
    // Those that left keep nothing.
    await charts.first().locator("canvas").waitFor({ state: "detached" });
    assert.ok((await canvases.count()) < 40);
    assert.equal(await took(), clicksSaid(15));
    await page.keyboard.press("/");
    await page.keyboard.type("layer3/w13*");
    await page.getByRole("heading", { name: "layer3/w133", exact: true }).waitFor();
    await page.getByRole("heading", { name: "layer3/w1393", exact: true }).waitFor();
    assert.equal(await charts.count(), 12);
  });

  test("17: give me the data of this chart, all of it", async () => {
    const { page, took, open } = await visit();
    const loss = await open("run", "loss");
    await loss.getByLabel("Menu of loss").click();
    const waiting = page.waitForEvent("download");
    await loss.getByRole("link", { name: "every point as CSV" }).click();
    const lines = (await readFile(await (await waiting).path(), "utf8")).trim().split("\n");
    assert.equal(lines.length, 1 + 20_000);
    assert.match(lines[7_778], /,7777,\d+,9\.5\r?$/);
    assert.equal(await took(), clicksSaid(17));
  });

  test("18: I reloaded, or sent the link: is it the same view?", async () => {
    const table = new URLSearchParams({ q: "meta.lr > 0", sort: "metric.val/loss.min" });
    const { page, took } = await visit(`/experiments?${table.toString()}`);
    await page.getByText("4 found", { exact: true }).waitFor();
    const before = await names(page);
    await page.reload();
    await page.getByText("4 found", { exact: true }).waitFor();
    assert.deepEqual(await names(page), before);
    assert.equal(await took(), clicksSaid(18));
    const { page: other } = await visit("/go?slug=run&r=9000~11000&y=symlog&s=ema:0.9");
    const loss = other.locator("figure[data-series='loss'] .below");
    await until(loss, (text) => /^2,000 points.*linear within/.test(text));
    const said = await loss.innerText();
    const { page: sent } = await visit(other.url().slice(service.baseUrl.length));
    await until(sent.locator("figure[data-series='loss'] .below"), (text) => text === said);
  });

  test("19: new points come: do zoom and scroll stay, does a whole chart follow?", async () => {
    const recorder = await client.record({ slug: "growing" });
    for (const name of ["a", "b", "c", "d", "e", "f"])
      for (let step = 0; step < 1_000; step++) recorder.record(name, step % 7, step);
    await recorder.flush();
    const path = `/experiments/${recorder.experimentId}`;
    const [whole, zoomed] = [await visit(`${path}?tab=charts`), await visit(`${path}?r=100~200`)];
    const below = ({ page }: Visit) => page.locator("figure[data-series='a'] .below");
    await until(below(whole), (text) => text === "1,000 points, not sampled");
    await until(below(zoomed), (text) => text === "100 points, not sampled");
    for (const { page } of [whole, zoomed]) {
      await page.locator("figure[data-series='f'] canvas").waitFor();
      await page.evaluate("scrollTo(0, 150)");
    }
    const place = await zoomed.page.evaluate("scrollY");
    recorder.record("a", 3, 1_500);
    await recorder.flush();
    await until(below(whole), (text) => text === "1,001 points, not sampled");
    // The new point is on the page that is zoomed, too, and leaves its picture as it is.
    await zoomed.page.getByText("6,001 points", { exact: true }).waitFor();
    assert.equal(await below(zoomed).innerText(), "100 points, not sampled");
    assert.equal(new URL(zoomed.page.url()).searchParams.get("r"), "100~200");
    assert.equal(await zoomed.page.evaluate("scrollY"), place);
    assert.equal(await whole.page.evaluate("scrollY"), place);
    assert.equal((await whole.took()) + (await zoomed.took()), clicksSaid(19));
    await recorder.finish();
  });

  test("20: where are the runs of project X?", async () => {
    const { page, took } = await visit();
    await page.getByRole("treeitem", { name: /^sweep/ }).click();
    await page.getByText("5 found", { exact: true }).waitFor();
    assert.equal(await took(), clicksSaid(20));
  });

  test("each question of the pages' documentation is asked, and no other", async () => {
    const suites = ["questions", "compare", "difference"].map((name) =>
      readFile(join(import.meta.dirname, `${name}.test.ts`), "utf8"),
    );
    const asked = (await Promise.all(suites)).flatMap((text) =>
      Array.from(text.matchAll(/, clicksSaid\((\d+)\)\)/g), ([, number]) => Number(number)),
    );
    assert.equal(answers.size, 20);
    assert.deepEqual(
      asked.toSorted((one, other) => one - other),
      [...answers.keys()],
    );
  });
});

/** A person at the start page; what they do to get an answer is counted. */
class Visit {
  readonly page: Page;
  #clicks = 0;
  #keys = 0;

  private constructor(page: Page) {
    this.page = page;
  }

  static async begin(page: Page): Promise<Visit> {
    const visit = new Visit(page);
    await page.exposeFunction("noteClick", () => void visit.#clicks++);
    // Keys that press a button are clicks to the page, and have no pointer.
    const noted = "({ isTrusted, detail }) => isTrusted && detail > 0 && noteClick()";
    await page.addInitScript(`addEventListener("click", ${noted}, true);`);
    return visit;
  }

  /** From its row to an experiment's page; gives one of its charts, drawn. */
  readonly open = async (slug: string, seriesName?: string): Promise<Locator> => {
    await this.page.getByRole("link", { name: slug, exact: true }).click();
    const chart = this.page.locator(
      seriesName === undefined ? "figure.chart" : `figure[data-series='${seriesName}']`,
    );
    await chart.first().locator("canvas").waitFor();
    return chart;
  };

  readonly press = async (key: string): Promise<void> => {
    this.#keys++;
    await this.page.keyboard.press(key);
  };

  /** Clicks and keys until now. */
  readonly took = async (): Promise<number> => {
    await this.page.evaluate("0");
    return this.#clicks + this.#keys;
  };
}

/** Puts the pointer at this share of a plot, until the chart says what is there. */
async function point(chart: Locator, share: number, hasText: string | RegExp = ""): Promise<void> {
  for (let nudge = 0; ; nudge = 1 - nudge) {
    // While another picture is made there is none.
    const plot = await chart.locator(".u-over").boundingBox();
    if (plot !== null)
      await chart.page().mouse.move(plot.x + plot.width * share, plot.y + 40 + nudge);
    if (await chart.locator(".at", { hasText }).isVisible()) return;
    await setTimeout(50);
  }
}

/** A mark stands below its place of the axis. */
async function stands(chart: Locator, mark: Locator, share: number): Promise<void> {
  const [plot, box] = [
    (await chart.locator(".u-over").boundingBox())!,
    (await mark.boundingBox())!,
  ];
  assert.ok(Math.abs(box.x + box.width / 2 - plot.x - plot.width * share) < 2);
}

async function until(place: Locator, isRight: (text: string) => boolean): Promise<void> {
  for (let look = 0; look < 600; look++) {
    await place.waitFor();
    if (isRight((await place.innerText()).trim())) return;
    await setTimeout(100);
  }
  assert.fail(`it says: ${await place.innerText()}`);
}

/** The names of the rows that are drawn, from the top. */
async function names(page: Page): Promise<string[]> {
  const links = await page.locator(".line a").all();
  return Promise.all(links.map(async (link) => (await link.getAttribute("aria-label"))!));
}

/** Five runs in a folder, of which one goes on, and one whose name says concat. */
async function recordSweep(client: LosslessClient): Promise<void> {
  const folderId = (await client.folders.ensure(["sweep"]))!;
  for (let seed = 0; seed < 4; seed++) {
    const recorder = await client.record({
      slug: `sweep/${seed}`,
      meta: { lr: seed / 100 },
      folderId,
    });
    // The last value is the highest of those that got lowest.
    for (let step = 0; step < 50; step++)
      recorder.record("val/loss", (step === 40 ? 4 : 5) - seed * (step === 40 ? 1 : -1), step);
    await recorder.finish();
  }
  const live = await client.record({ slug: "sweep/live", folderId });
  live.record("val/loss", 9, 1);
  await live.flush();
  const concat = await client.record({ slug: "a/concat", meta: { lr: 1 } });
  await concat.finish();
  await counted(client);
}
