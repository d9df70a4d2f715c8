import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { LosslessClient, OverviewBody } from "@lossless/client";
import type { Locator } from "playwright-core";
import { pagesSuite } from "./pages-suite.ts";
import { ranks, recordRun, recordWide } from "./recorded-runs.ts";

pagesSuite("the charts of an experiment", (pages) => {
  const { service } = pages;
  let client: LosslessClient;
  let run: string;
  let wide: string;

  before(async () => {
    ({ client } = pages);
    run = await recordRun(pages);
    wide = await recordWide(client);
  });

  const open = async (path: string) => {
    const { page, seen } = await pages.signedIn();
    const asked: OverviewBody[] = [];
    page.on("request", (request) => {
      if (request.url().endsWith("/overview")) asked.push(request.postDataJSON() as OverviewBody);
    });
    await page.goto(service.baseUrl + path);
    await page.locator("figure.chart canvas").first().waitFor();
    return { page, seen, asked };
  };

  test("keys change all charts, and the address says how, also to who opens it next", async () => {
    const { page, seen } = await open(`/experiments/${run}?tab=charts`);
    const delta = page.locator("figure", { has: page.getByRole("heading", { name: "delta" }) });
    await page.keyboard.press("l");
    await delta.getByText(/1,000 points, not sampled, 500 places at or below 0/).waitFor();
    await page.keyboard.press("l");
    await delta.getByText(/linear within ±0\.00\d/).waitFor();
    await page.keyboard.press("s");
    await page.keyboard.press("x");
    await page.waitForURL(/y=symlog.*s=x%3A0\.9.*x=offset|x=offset.*y=symlog.*s=x%3A0\.9/);
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
    await page.getByText("3 points, not sampled", { exact: true }).first().waitFor();
    assert.equal(isFailed.size, 2, [...isFailed].join());
  });

  test("ranges and any smoothing are written as numbers, by keys alone", async () => {
    const { page } = await open(`/experiments/${run}?tab=charts`);
    await page.getByRole("button", { name: "exact…" }).focus();
    await page.keyboard.press("Enter");
    const dialog = page.getByRole("dialog", { name: "Ranges and smoothing" });
    // The toolbar around it lays out a field of its own.
    const { height } = (await dialog.getByLabel("x from").boundingBox())!;
    assert.ok(height < 64, `a field of one line is ${height} pixels high`);
    await dialog.getByLabel("x from").fill("100");
    await page.keyboard.press("Enter");
    await dialog
      .getByRole("alert")
      .getByText(/^Enter both ends of x/)
      .waitFor();
    await dialog.getByLabel("x to").fill("199");
    await dialog.getByLabel("y from").fill("0");
    await dialog.getByLabel("y to").fill("2");
    await dialog.getByLabel("Smoothing").selectOption("ema");
    await dialog.getByLabel("Amount").fill("0.95");
    await page.keyboard.press("Enter");
    await dialog.waitFor({ state: "detached" });
    await page
      .locator("figure[data-series='loss']")
      .getByText(/^100 points, not sampled/)
      .waitFor();
    const { searchParams } = new URL(page.url());
    const shown = ["r", "yr", "s"].map((name) => searchParams.get(name));
    assert.deepEqual(shown, ["100~200", "0~2", "ema:0.95"]);
    assert.equal(await page.getByLabel("smooth", { exact: true }).inputValue(), "ema");
  });

  test("smoothing is chosen by a slider, by keys too, and old addresses mean what they meant", async () => {
    const { page, asked } = await open(`/experiments/${run}?tab=charts`);
    const slider = page.getByRole("slider", { name: "amount of smoothing" });
    const smoothed = () => asked.at(-1)?.smooth;
    await slider.focus();
    for (let press = 0; press < 20; press++) await page.keyboard.press("ArrowRight");
    await page.waitForURL(/s=x%3A0\.9(&|$)/);
    assert.equal(await slider.getAttribute("aria-valuetext"), "0.9");
    const loss = page.locator("figure[data-series='loss']");
    await loss.getByText(/smoothed over about the last 1 % of the axis/).waitFor();
    assert.deepEqual(smoothed(), { kind: "x", weight: 0.9 });
    await page.getByLabel("smooth", { exact: true }).selectOption("ema");
    await loss.getByText(/smoothed over about the last 10 points/).waitFor();
    assert.deepEqual(smoothed(), { kind: "ema", weight: 0.9 });
    await slider.focus();
    await page.keyboard.press("Home");
    await page.waitForURL((url) => !url.searchParams.has("s"));
    for (const [address, told] of [
      ["ema:0.987", "0.987"],
      ["gauss:100", "± 100"],
    ]) {
      await page.goto(`${service.baseUrl}/experiments/${run}?tab=charts&s=${address}`);
      await slider.and(page.locator(`[aria-valuetext="${told}"]`)).waitFor();
      assert.equal(new URL(page.url()).searchParams.get("s"), address);
    }
  });

  test("a pointer that goes pixel by pixel reads every column on its way", async () => {
    const { page } = await open(`/experiments/${run}?tab=charts`);
    const read = await page.evaluate<string[]>(`(async () => {
      const chart = document.querySelector("figure[data-series='loss']");
      const over = chart.querySelector(".u-over");
      const { left, top } = over.getBoundingClientRect();
      const said = () => chart.querySelector(".at")?.textContent.split(",", 2).join() ?? "";
      const steps = [""];
      for (let at = 60; at < 100; at++) {
        const place = { clientX: left + at, clientY: top + 40, bubbles: true };
        over.dispatchEvent(new MouseEvent("mousemove", place));
        for (let frames = 0; frames < 20 && said() === steps.at(-1); frames++)
          await new Promise((resolve) => requestAnimationFrame(resolve));
        steps.push(said());
      }
      return steps.slice(1);
    })()`);
    assert.equal(new Set(read).size, 40, read.join("; "));
  });

  test("arrows move the cursor, and what is there is said", async () => {
    const { page } = await open(`/experiments/${run}?r=7776~7800`);
    await page.locator("figure[data-series='loss'] .plot[tabindex]").focus();
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowRight");
    const said = page.locator("p[aria-live='polite']", { hasText: "step 7,777: 9.5" });
    await said.waitFor({ state: "attached" });
  });

  test("the numbers of a chart give the keyboard back to where they were asked for", async () => {
    const { page } = await open(`/experiments/${run}?tab=charts`);
    const loss = page.locator("figure[data-series='loss']");
    const close = loss.getByRole("button", { name: "close" });
    await loss.locator("canvas").waitFor();
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
    await page
      .getByText(`only the first 100 of ${ranks} partitions are drawn; choose others above`)
      .waitFor();
    await page.getByLabel("rank", { exact: true }).selectOption({ label: "129" });
    await page.getByText("3 points, not sampled", { exact: true }).waitFor();
    await page.waitForURL(/only=rank%3D129/);
    await page.getByLabel("rank", { exact: true }).selectOption({ label: "all" });
    await page
      .getByLabel("partitions", { exact: true })
      .selectOption({ label: "one chart per rank" });
    await page.getByRole("heading", { name: "spread · rank=0" }).waitFor();
    await page
      .locator("figure.chart")
      .nth(ranks - 1)
      .waitFor({ state: "attached" });
    assert.equal(await page.locator("figure.chart").count(), ranks);
  });

  test("a chart's numbers are a table, and a pinned one stands above all", async () => {
    const { page } = await open(`/experiments/${run}?r=7777~7779`);
    await page.locator("figure[data-series='loss'] .plot[tabindex]").focus();
    await page.keyboard.press("t");
    const rows = page.getByRole("region", { name: "Numbers of loss" }).locator("tbody tr");
    await rows.nth(1).waitFor();
    assert.match(await rows.first().innerText(), /^7,777\t.*\t9\.5$/);
    await page.locator("figure[data-series='delta'] .menu summary").click();
    await page.getByRole("button", { name: "pin to the top" }).click();
    await page.waitForURL(/pin=delta/);
    assert.equal(await page.locator("figure").first().getAttribute("data-series"), "delta");
  });

  test("each of many things that happened in one place is reached, by keys and by a pointer", async () => {
    const many = 250;
    const noted = await client.record({ slug: "noted", meta: {} });
    for (let step = 0; step < 100; step++) noted.record("loss", step, step);
    await noted.flush();
    for (let at = 1; at <= many; at++) void noted.annotate(`note ${at}.`, { step: 50 });
    await noted.finish();
    const { page } = await open(`/experiments/${noted.experimentId}?tab=charts`);
    const sign = page.getByRole("button", {
      name: /^250: note .* and 245 more; click to list all$/,
    });
    const card = page.getByRole("group", { name: "Marks at this place" });
    const notes = card.getByText(/^note \d+\.$/);
    await sign.focus();
    await page.keyboard.press("Enter");
    await card.waitFor();
    assert.equal(await page.evaluate("document.activeElement.tagName"), "UL");
    assert.equal(await notes.count(), 100);
    for (const more of [/^show 100 more of 150$/, /^show 50 more of 50$/]) {
      await card.getByRole("button", { name: more }).focus();
      await page.keyboard.press("Enter");
      await card.getByRole("button", { name: more }).waitFor({ state: "detached" });
    }
    assert.equal(new Set(await notes.allInnerTexts()).size, many);
    await page.keyboard.press("Escape");
    await card.waitFor({ state: "detached" });
    await sign.click();
    await card.getByText("note 250.").waitFor();
    await sign.focus();
    await page.keyboard.press("Escape");
    await card.waitFor({ state: "detached" });
    await sign.click();
    await card.getByText("note 250.").waitFor();
    assert.equal(await sign.getAttribute("aria-expanded"), "true");
    await card.getByRole("button", { name: "Close" }).click();
    await card.waitFor({ state: "detached" });
    assert.equal(
      await sign.evaluate("document.activeElement.getAttribute('aria-expanded')"),
      "false",
    );
  });

  test("on a phone the bar's menu and the entry of the page are on the screen, whole", async () => {
    const viewport = { width: 390, height: 844 };
    const { page } = await pages.open("/organization/people", { viewport });
    const entry = page.getByRole("navigation", { name: "Pages" }).getByText("Organization");
    const inside = async (locator: Locator) => {
      const { x, width } = (await locator.boundingBox())!;
      assert.ok(x >= 0 && x + width <= 390, `from ${x}, ${width} wide`);
    };
    await entry.waitFor();
    await inside(entry);
    await page.locator(".menu[data-place=pages] > summary").click();
    await inside(page.getByRole("button", { name: /^acme/ }));
    // On a narrower one the entries are scrolled, to that of the page.
    await page.setViewportSize({ width: 260, height: 500 });
    await page.reload();
    await entry.waitFor();
    const { x, width } = (await entry.boundingBox())!;
    assert.ok(x + width <= 260);
  });

  test("an experiment without one finite value says so, and where it began", async () => {
    const diverged = await client.record({ slug: "never-finite" });
    for (let step = 3; step < 9; step++) diverged.record("loss", step < 6 ? NaN : Infinity, step);
    for (const name of ["9", "10", "__proto__"]) diverged.record(name, NaN, 4);
    await diverged.finish();
    const { page } = await pages.open(`/experiments/${diverged.experimentId}?tab=charts`);
    await page.getByText("No points were recorded: no value was finite.").waitFor();
    await page.getByText("loss from step 3 on").waitFor();
    const names = await page.locator("section.waiting bdi").allTextContents();
    assert.deepEqual(names, ["10", "9", "__proto__", "loss"]);
  });

  test("a series that became NaN and stayed it says so where its line ends", async () => {
    const diverged = await client.record({ slug: "diverged" });
    for (let step = 0; step < 60; step++) diverged.record("loss", step < 50 ? step : NaN, step);
    await diverged.finish();
    const { page } = await pages.open(`/experiments/${diverged.experimentId}?tab=charts`);
    await page.getByRole("button", { name: /^1\d: loss is NaN at step 50;/ }).waitFor();
  });

  test("charts are there in a locale whose name is no tag of a language", async () => {
    const { page, seen } = await pages.open(`/experiments/${run}?tab=charts`, {
      locale: "en-US@posix",
    });
    await page.locator("figure[data-series='loss'] canvas").waitFor();
    assert.equal(await page.evaluate("navigator.languages[0]"), "en-US@posix");
    assert.deepEqual(seen.problems, []);
  });

  test("a running experiment that is silent says for how long", async () => {
    const { page } = await pages.signedIn();
    const silent = await client.record({ slug: "silent", meta: {} });
    silent.record("loss", 1, 1);
    await silent.flush();
    await page.clock.setFixedTime(Date.now() + 14.5 * 60_000);
    await page.goto(`${service.baseUrl}/experiments/${silent.experimentId}?tab=charts`);
    await page.getByText(/silent 1\d min/).waitFor();
    await silent.finish({ error: "out of memory", errorMeta: { gib: 80 } });
    await page.getByText("out of memory").first().waitFor();
    await page.getByText("Details of the error").click();
    await page.getByText('"gib": 80').waitFor();
  });
});
