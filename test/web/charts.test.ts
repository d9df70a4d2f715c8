import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, suite, test } from "node:test";
import { LosslessClient, type OverviewBody } from "@lossless/client";
import type { Browser } from "playwright-core";
import { ArtifactCaller, sendParts } from "../contract/artifact-caller.ts";
import { oneFile, Writer } from "../contract/writer.ts";
import { organizations, Service } from "../service.ts";
import { startChromium } from "./chromium.ts";
import { newPage, signIn } from "./new-page.ts";

const wideSeries = 300;
const ranks = 130;

suite("the charts of an experiment", () => {
  let service: Service;
  let browser: Browser;
  let client: LosslessClient;
  let run: string;
  let wide: string;

  before(async () => {
    service = await Service.start({ people: true });
    client = new LosslessClient({ baseUrl: service.baseUrl, apiKey: organizations.acme.key });
    run = await recordRun(client, service.baseUrl);
    wide = await recordWide(client);
    browser = await startChromium();
  });
  after(async () => {
    await browser?.close();
    await service?.[Symbol.asyncDispose]();
  });

  const open = async (path: string) => {
    const { page, seen } = await newPage(browser);
    const asked: OverviewBody[] = [];
    page.on("request", (request) => {
      if (request.url().endsWith("/overview")) asked.push(request.postDataJSON() as OverviewBody);
    });
    await page.goto(`${service.baseUrl}/sign-in?${new URLSearchParams({ next: path }).toString()}`);
    await signIn(page);
    await page.locator("figure.chart canvas").first().waitFor();
    return { page, seen, asked };
  };

  test("keys change all charts, and the address says how, also to who opens it next", async () => {
    const { page, seen } = await open(`/experiments/${run}`);
    const delta = page.locator("figure", { has: page.getByRole("heading", { name: "delta" }) });
    await page.keyboard.press("l");
    await delta.getByText(/1,000 points, all considered, 500 places at or below 0/).waitFor();
    await page.keyboard.press("l");
    await delta.getByText(/linear within ±0\.00\d/).waitFor();
    await page.keyboard.press("s");
    await page.keyboard.press("x");
    await page.waitForURL(/y=symlog.*s=ema%3A0\.9.*x=offset|x=offset.*y=symlog.*s=ema%3A0\.9/);
    await page.reload();
    await delta.getByText(/linear within/).waitFor();
    assert.equal(await page.getByLabel("x", { exact: true }).inputValue(), "offset");
    await page.keyboard.press("]");
    await page.waitForURL(/r=/);
    await page.keyboard.press("0");
    await page.waitForURL((url) => !url.searchParams.has("r"));
    await page.keyboard.press("?");
    await page.getByRole("dialog").getByText("numbers of the chart").waitFor();
    assert.deepEqual(seen.problems, []);
  });

  test("question 3: the spike's step is under the cursor, on every chart", async () => {
    const { page } = await open(`/experiments/${run}?r=7700~7800`);
    const loss = page.locator("figure[data-series='loss']");
    await loss.getByText("100 points, all considered").waitFor();
    const plot = (await loss.locator(".u-over").boundingBox())!;
    await page.mouse.move(plot.x + plot.width * (77 / 99), plot.y + 60);
    await loss.getByText("step 7,777").waitFor();
    await loss.getByText("9.5").waitFor();
    await page.locator("figure[data-series='delta']").getByText("step 7,7").waitFor();
  });

  test("what failed once is read again, also of an experiment that is over", async () => {
    const { page } = await open(`/experiments/${wide}?m=spread&split=rank`);
    const isFailed = new Set<string>();
    await page.route("**/api/**", async (route) => {
      const request = `${route.request().url()} ${route.request().postData() ?? ""}`;
      const name = /views\/v1\/overview|query\.catalog/.exec(request)?.[0];
      if (name === undefined || isFailed.has(name)) return route.fallback();
      isFailed.add(name);
      await route.fulfill({ status: 404, json: {} });
    });
    await page.reload();
    await page.getByRole("heading", { name: "spread · rank=0" }).waitFor();
    await page.getByText("3 points, all considered", { exact: true }).first().waitFor();
    assert.equal(isFailed.size, 2, [...isFailed].join());
  });

  test("arrows move the cursor, and what is there is said", async () => {
    const { page } = await open(`/experiments/${run}?r=7776~7800`);
    await page.locator("figure[data-series='loss'] .plot").focus();
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowRight");
    const said = page.locator("p[aria-live='polite']", { hasText: "step 7,777: 9.5" });
    await said.waitFor({ state: "attached" });
  });

  test("questions 12 and 13: NaN and checkpoints stand below the chart; a click copies the pull", async () => {
    const { page } = await open(`/experiments/${run}`);
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    const loss = page.locator("figure[data-series='loss']");
    await loss.getByRole("button", { name: "loss is NaN at step 9000" }).waitFor();
    assert.equal(await page.getByRole("button", { name: "loss is NaN" }).count(), 1);
    await loss.getByRole("button", { name: /version 000000005000 of .* at step 5,000/ }).click();
    await loss.getByText(/copied: lossless pull \S+ --version 000000005000/).waitFor();
    const copied = await page.evaluate<string>("navigator.clipboard.readText()");
    assert.match(copied, /^lossless pull run\/checkpoints-\S+ --version 000000005000$/);
    const places = await loss
      .locator(".lane button")
      .evaluateAll((buttons) =>
        buttons.map((button) => [button.className, Math.round(button.getBoundingClientRect().x)]),
      );
    const xOf = (kind: string) => Number(places.find(([name]) => name === kind)?.[1]);
    const plot = (await loss.locator(".u-over").boundingBox())!;
    for (const [kind, step] of [
      ["version", 5_000],
      ["nonfinite", 9_000],
    ] as const)
      assert.ok(Math.abs(xOf(kind) + 12 - plot.x - (plot.width * step) / 19_999) < 2, kind);
  });

  test("question 15: only charts near the screen are asked for, and those that left keep nothing", async () => {
    const { page, asked } = await open(`/experiments/${wide}?m=layer*`);
    await page.locator("figure.chart canvas").nth(3).waitFor();
    await page.waitForFunction("document.querySelectorAll('figure.chart').length >= 300");
    const series = new Set(asked.map((body) => body.series[0].seriesName));
    assert.ok(series.size < 40, `${series.size} of ${wideSeries}`);
    await page.locator("figure.chart").last().scrollIntoViewIfNeeded();
    await page.locator("figure.chart").last().locator("canvas").waitFor();
    await page.waitForFunction(
      "document.querySelector('figure.chart').querySelector('canvas') === null",
    );
    assert.ok((await page.locator("figure.chart canvas").count()) < 40);
  });

  test("question 17: every point is a file, two clicks from the chart", async () => {
    const { page } = await open(`/experiments/${run}`);
    const loss = page.locator("figure[data-series='loss']");
    await loss.getByLabel("Menu of loss").click();
    const waiting = page.waitForEvent("download");
    await loss.getByRole("link", { name: "every point as CSV" }).click();
    const lines = (await readFile(await (await waiting).path(), "utf8")).trim().split("\n");
    assert.equal(lines.length, 1 + 20_000);
    assert.match(lines[7_778], /,7777,\d+,9\.5\r?$/);
  });

  test("the numbers of a chart give the keyboard back to where they were asked for", async () => {
    const { page } = await open(`/experiments/${run}`);
    const loss = page.locator("figure[data-series='loss']");
    const close = loss.getByRole("button", { name: "close" });
    await loss.locator(".plot").focus();
    await page.keyboard.press("t");
    await close.click();
    await close.waitFor({ state: "detached" });
    assert.equal(await page.evaluate("document.activeElement.className"), "plot");
    await loss.getByLabel("Menu of loss").click();
    await loss.getByRole("button", { name: "numbers as a table" }).click();
    await close.click();
    await close.waitFor({ state: "detached" });
    const label = "document.activeElement.getAttribute('aria-label')";
    assert.equal(await page.evaluate(label), "Menu of loss");
  });

  test("many partitions are drawn in part, in words, and can be chosen", async () => {
    const { page } = await open(`/experiments/${wide}?m=spread`);
    await page.getByText(`the first 100 of ${ranks} partitions are drawn: choose above`).waitFor();
    await page.getByLabel("rank", { exact: true }).selectOption({ label: "129" });
    await page.getByText("3 points, all considered", { exact: true }).waitFor();
    await page.waitForURL(/only=rank%3D129/);
    await page.getByLabel("rank", { exact: true }).selectOption({ label: "all" });
    await page
      .getByLabel("partitions", { exact: true })
      .selectOption({ label: "a chart each rank" });
    await page.getByRole("heading", { name: "spread · rank=0" }).waitFor();
    assert.equal(await page.locator("figure.chart").count(), ranks);
  });

  test("a chart's numbers are a table, and a pinned one stands above all", async () => {
    const { page } = await open(`/experiments/${run}?r=7777~7779`);
    await page.locator("figure[data-series='loss'] .plot").focus();
    await page.keyboard.press("t");
    const rows = page.getByRole("region", { name: "Numbers of loss" }).locator("tbody tr");
    await rows.nth(1).waitFor();
    assert.match(await rows.first().innerText(), /^7,777\t.*\t9\.5$/);
    await page.locator("figure[data-series='delta'] .menu summary").click();
    await page.getByRole("button", { name: "pin to the top" }).click();
    await page.waitForURL(/pin=delta/);
    assert.equal(await page.locator("figure").first().getAttribute("data-series"), "delta");
  });

  test("question 2: a running experiment that is silent says for how long", async () => {
    const { page } = await newPage(browser);
    const silent = await client.record({ slug: "silent", meta: {} });
    silent.record("loss", 1, 1);
    await silent.flush();
    await page.clock.setFixedTime(Date.now() + 14.5 * 60_000);
    const path = `/experiments/${silent.experimentId}`;
    await page.goto(`${service.baseUrl}/sign-in?${new URLSearchParams({ next: path }).toString()}`);
    await signIn(page);
    await page.getByText("silent 14 min").waitFor();
    await silent.finish({ error: "out of memory", errorMeta: { gib: 80 } });
    await page.getByText("out of memory").first().waitFor();
    await page.getByText("What the error says besides").click();
    await page.getByText('"gib": 80').waitFor();
  });
});

async function recordRun(client: LosslessClient, baseUrl: string): Promise<string> {
  const recorder = await client.record({ slug: "run", meta: {} });
  for (let step = 0; step < 20_000; step++) {
    if (step === 9_000) recorder.record("loss", NaN, step);
    recorder.record("loss", step === 7_777 ? 9.5 : 1 + Math.sin(step / 900) / 10, step);
    if (step % 20 === 0)
      recorder.record("delta", step < 10_000 ? -1 - step / 1e4 : step / 1e4, step);
    if (step % 5_000 === 0) await recorder.ready();
  }
  await recorder.finish();
  const target = { baseUrl, observe: () => undefined };
  const caller = new ArtifactCaller(target, organizations.acme.key);
  const writer = await Writer.open(caller, `run/checkpoints-${crypto.randomUUID().slice(0, 8)}`);
  const upload = await writer.begin("000000005000", oneFile, {
    meta: { experiment: "run", step: 5_000 },
  });
  await writer.commit(upload.upload, await sendParts(upload, oneFile));
  return recorder.experimentId;
}

async function recordWide(client: LosslessClient): Promise<string> {
  const recorder = await client.record({ slug: "wide", meta: {} });
  for (let at = 0; at < wideSeries; at++)
    for (const step of [1, 2, 3]) recorder.record(`layer${at % 10}/w${at}`, at * step, step);
  for (let rank = 0; rank < ranks; rank++)
    for (const step of [1, 2, 3])
      recorder.record("spread", rank + step, step, { meta: { rank: String(rank) } });
  await recorder.finish();
  return recorder.experimentId;
}
