import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import type { ReadConsoleBody } from "@lossless/protocol";
import type { Page } from "playwright-core";
import { call, type HttpRequest } from "../http.ts";
import { faultsInAllLooks } from "./axe.ts";
import { type Pages, pagesSuite, type Visitor } from "./pages-suite.ts";
import { beganMs, numbered, Printer } from "./printed-lines.ts";
import { Requests } from "./requests.ts";
import { untilTrue } from "./until.ts";

pagesSuite("the console of a run's page", (pages) => {
  const ask = (request: HttpRequest) => call(pages.service.baseUrl, request);
  const printer = (slug: string) => Printer.open(pages.client, ask, slug);

  test("its end is followed with its open lines, until somebody scrolls, and again on demand", async () => {
    const process = await printer("printed");
    await process.print(numbered(0, 300), " 12%|█▏");
    const page = await open(pages, process);
    await page.getByText("line 299", { exact: true }).waitFor();
    await page.getByText("12%|█▏").waitFor();
    await process.print(numbered(300, 50), " 13%|█▎");
    await page.getByText("line 349", { exact: true }).waitFor();
    await page.getByText("13%|█▎").waitFor();
    assert.equal(await page.getByText("12%|█▏").count(), 0);
    await page.getByText("following the end").waitFor();
    await log(page).hover();
    await page.mouse.wheel(0, -2_000);
    await page.getByRole("button", { name: "to the end" }).waitFor();
    const seen = await firstSeen(page);
    await process.print(numbered(350, 20));
    await page.getByRole("button", { name: "to the end · 20 new lines" }).waitFor();
    assert.equal(await firstSeen(page), seen);
    await page.getByRole("button", { name: "to the end" }).click();
    await page.getByText("line 369", { exact: true }).waitFor();
    await process.print(numbered(370, 1));
    await page.getByText("line 370", { exact: true }).waitFor();
  });

  test("one request waits, and while nothing is printed nothing is asked", async () => {
    const process = await printer("quiet-console");
    await process.print(["alone"]);
    const { page } = await pages.signedIn();
    const requests = new Requests(page);
    await page.goto(`${pages.service.baseUrl}${pathOf(process)}`);
    await page.getByText("alone").waitFor();
    assert.deepEqual(await requests.askedInQuiet(), []);
    assert.equal(requests.waitingMax, 1);
    await process.print(["another"]);
    await page.getByText("another").waitFor();
    const reads = requests.asked().filter((path) => path.endsWith("/console/v1/read"));
    assert.equal(reads.length, 1);
  });

  test("a million lines are scrolled through with a request or two a place, and few are drawn", async () => {
    const process = await printer("long-console");
    for (let first = 0; first < 1_000_000; first += 10_000)
      await process.print(numbered(first, 10_000));
    const { page } = await pages.signedIn();
    const requests = new Requests(page);
    await page.goto(`${pages.service.baseUrl}${pathOf(process)}&wrap=0`);
    await page.getByText("line 999999", { exact: true }).waitFor();
    await requests.settled();
    let reads: string[] = [];
    page.on("request", (request) => {
      const { before, first = 0, ...body } = (request.postDataJSON() ?? {}) as ReadConsoleBody;
      if (!request.url().endsWith("/console/v1/read")) return;
      // Those from the end only ask what is new.
      if (first < 1_000_000) reads.push(JSON.stringify({ before, first, ...body }));
    });
    for (const share of [0.5, 0.1, 0.9, 0.3]) {
      await scrollTo(page, share);
      const wanted = share * 1_000_000;
      await untilTrue(page, `Math.abs((${firstSeenScript} ?? NaN) - ${wanted}) < 2_000`);
      await drawn(page);
      assert.ok(reads.length <= 2, `${share}: ${reads.join()}`);
      reads = [];
    }
    // The wheel goes on from there, line by line.
    const from = await firstSeen(page);
    await log(page).hover();
    await page.mouse.wheel(0, 1_000);
    await untilTrue(page, `${firstSeenScript} > ${from + 20}`);
    assert.ok((await firstSeen(page)) < from + 100);
    for (let share = 0; share < 1; share += 0.02) await scrollTo(page, share);
    await page.getByText("line 980", { exact: false }).first().waitFor();
    const rows = await page.locator(".log-line").count();
    assert.ok(rows <= 300, String(rows));
    await page.keyboard.press("g");
    await page.getByText("line 0", { exact: true }).waitFor();
    await page.keyboard.press("G");
    await page.getByText("line 999999", { exact: true }).waitFor();
  });

  test("a search counts, goes from hit to hit, and marks them, by a text or an expression", async () => {
    const process = await printer("searched-console");
    await process.print(
      numbered(0, 2_000).map((text, at) => (at % 500 === 7 ? `${text}: Loss is NaN` : text)),
    );
    const page = await open(pages, process);
    await page.getByText("line 1999").waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type("loss IS");
    await page.getByText("4 lines", { exact: true }).waitFor();
    await page.keyboard.press("Enter");
    await page.getByText("1 of 4 lines").waitFor();
    await page.locator("mark", { hasText: "Loss is" }).waitFor();
    await page.keyboard.press("Escape");
    await page.keyboard.press("n");
    await page.getByText("2 of 4 lines").waitFor();
    await page.keyboard.press("N");
    await page.keyboard.press("N");
    await page.getByText("4 of 4 lines").waitFor();
    assert.equal(new URL(page.url()).searchParams.get("line"), "1507");
    await page.getByRole("button", { name: "Match capital" }).click();
    await page.getByText("no line matches").waitFor();
    await page.getByRole("button", { name: "Regular expression" }).click();
    await page.getByLabel("Search the console").fill("line 10\\d7: L");
    await page.getByText("1 line", { exact: true }).waitFor();
    await process.print(["line 1017: L again"]);
    await page.getByText("2 lines", { exact: true }).waitFor();
    await page.getByLabel("Search the console").fill("(");
    await page.getByRole("alert").getByText("The regular expression is wrong").waitFor();
  });

  test("a chart's cursor leads to its lines, and a line to the charts at its time", async () => {
    const recorder = await pages.client.record({ slug: "both" });
    for (let step = 0; step < 100; step++)
      recorder.record("loss", 1 / (step + 1), step, { timestampMs: beganMs + 1_000 * step });
    await recorder.finish();
    const process = new Printer(
      ask,
      await pages.client.openExperiment({ slug: "both", description: "" }),
    );
    await process.print(numbered(0, 1_000));
    const { page } = await pages.open(`/experiments/${process.experimentId}?tab=charts`);
    await page.getByText("100 points, not sampled").waitFor();
    await page.locator(".chart .plot").focus();
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowRight");
    await page.locator("p[aria-live='polite']", { hasText: /step/ }).first().waitFor();
    const said = await page.locator("p[aria-live='polite']").first().textContent();
    const step = /(\d+)/.exec(said!)![1];
    await page.keyboard.press("o");
    await page.locator(".log-line[data-chosen=true]", { hasText: `line ${step}` }).waitFor();
    assert.equal(new URL(page.url()).searchParams.get("line"), step);
    await page.getByRole("button", { name: "charts at this time" }).press("Enter");
    await page.waitForURL(/x=time/);
    const at = String(beganMs + 1_000 * Number(step));
    assert.equal(new URL(page.url()).searchParams.get("at"), at);
    await page
      .locator(".readings .at", { hasText: new Date(Number(at)).toISOString().slice(14, 19) })
      .waitFor();
    await page.goBack();
    await page.locator(".log-line[data-chosen=true]", { hasText: `line ${step}` }).waitFor();
  });

  test("processes stand side by side at the same place, or alone, and streams are chosen", async () => {
    const first = await printer("ranks");
    const ranks = [0, 1].map((rank) =>
      first.beside({ id: `p${rank}`, rank, host: "node", processId: 100 + rank }),
    );
    for (let part = 0; part < 500; part += 10)
      for (const [rank, process] of ranks.entries())
        await process.print(numbered(part, 10).map((text) => `${text} of ${rank}`));
    await ranks[1].print([{ text: "careful", stream: "warning" }]);
    const page = await open(pages, first, { viewport: { width: 1_440, height: 900 } });
    await page.getByText("careful").waitFor();
    await page
      .locator(".log-line", { hasText: "careful" })
      .getByText("warn", { exact: true })
      .waitFor();
    await page
      .locator(".log-line", { hasText: "careful" })
      .getByText("r1", { exact: true })
      .waitFor();
    await page.getByRole("button", { name: "side by side" }).click();
    const panes = page.getByRole("log");
    await panes.nth(1).getByText("line 499 of 1").waitFor();
    await panes.nth(0).getByText("line 499 of 0").waitFor();
    assert.equal(await panes.nth(0).getByText("of 1").count(), 0);
    await scrollTo(page, 0);
    await panes.nth(1).getByText("line 0 of 1", { exact: true }).waitFor();
    await page.getByRole("button", { name: "side by side" }).click();
    await page.getByLabel("Streams: all streams").click();
    for (const stream of ["stdout", "stderr"])
      await page.getByLabel(stream, { exact: true }).uncheck();
    await page.getByText("line 499 of 1").waitFor({ state: "detached" });
    await page.getByText("careful").waitFor();
    await page.getByText("following the end").waitFor();
    assert.match(decodeURIComponent(page.url()), /streams=debug,info,warning,error,critical/);
  });

  test("lines are chosen, linked and copied as they were printed, and all are downloaded", async () => {
    const process = await printer("copied-console");
    const long = "x".repeat(16_384);
    await process.print([...numbered(0, 3_000), long]);
    const visitor = { permissions: ["clipboard-read", "clipboard-write"] };
    const page = await open(pages, process, visitor, "&line=1500");
    await page.locator(".log-line[data-chosen=true]", { hasText: "line 1500" }).waitFor();
    assert.ok((await firstSeen(page)) > 1_400);
    const number = (line: number) => page.locator(`.log-line[data-line="${line}"] .number`);
    await number(1_502).click({ modifiers: ["Shift"] });
    await page.getByText("lines 1500 to 1502").waitFor();
    await page.getByRole("button", { name: "copy text" }).click();
    await page.getByText("copied", { exact: true }).waitFor();
    const clipboard = () => page.evaluate("navigator.clipboard.readText()");
    assert.equal(await clipboard(), "line 1500\nline 1501\nline 1502");
    await page.evaluate(`(() => {
      const words = (line) => document.querySelector('[data-line="' + line + '"] .log-words').firstChild;
      getSelection().setBaseAndExtent(words(1501), 5, words(1503), 4);
    })()`);
    await page.keyboard.press("Control+c");
    assert.equal(await clipboard(), "1501\nline 1502\nline");
    await page.keyboard.press("j");
    await page.waitForURL(/line=1501(&|$)/);
    const saving = page.waitForEvent("download");
    await page.getByRole("button", { name: "download" }).click();
    const saved = await readFile(await (await saving).path(), "utf8");
    assert.equal(saved, `${[...numbered(0, 3_000), long].join("\n")}\n`);
    await page.keyboard.press("G");
    await page.getByRole("button", { name: "… 14,384 more characters" }).click();
    assert.equal(await page.locator(".log-line .log-words").last().textContent(), long);
  });

  test("colours, streams and a run without a console can be told in every look", async () => {
    const process = await printer("coloured");
    await process.print([
      { text: "error: no", spans: [{ start: 0, end: 6, style: "1;31" }] },
      {
        text: "dim and bright",
        spans: [
          { start: 0, end: 3, style: "2" },
          { start: 8, end: 14, style: "97" },
        ],
      },
      { text: "on yellow", spans: [{ start: 0, end: 9, style: "37;43" }] },
      ...(["stderr", "debug", "info", "warning", "error", "critical"] as const).map((stream) => ({
        text: `of ${stream}`,
        stream,
      })),
    ]);
    const page = await open(pages, process, {}, "&line=0-4&find=of");
    await page.getByText("6 lines").waitFor();
    assert.deepEqual(await faultsInAllLooks(page), []);
    const words = await page.locator(".log-line .stream").allTextContents();
    assert.deepEqual(words.slice(3), ["err", "debug", "info", "warn", "error", "crit"]);
    const empty = await pages.client.openExperiment({ slug: "silent", description: "" });
    await page.goto(`${pages.service.baseUrl}/experiments/${empty.experimentId}?tab=console`);
    await page.getByText("This run has no console").waitFor();
    assert.deepEqual(await faultsInAllLooks(page), []);
  });
});

function pathOf({ experimentId }: Printer): string {
  return `/experiments/${experimentId}?tab=console`;
}

async function open(
  pages: Pages,
  process: Printer,
  visitor: Visitor = {},
  more = "",
): Promise<Page> {
  return (await pages.open(pathOf(process) + more, visitor)).page;
}

function log(page: Page) {
  return page.getByRole("log").first();
}

/** The first line on the screen; null: none is drawn there. */
const firstSeenScript = `(() => {
  const log = document.querySelector(".log");
  const { top, bottom } = log.getBoundingClientRect();
  const seen = [...log.querySelectorAll(".log-line[data-line]")].find((row) => {
    const box = row.getBoundingClientRect();
    return box.top >= top && box.bottom <= bottom;
  });
  return seen === undefined ? null : Number(seen.dataset.line);
})()`;

async function firstSeen(page: Page): Promise<number> {
  return (await page.evaluate(firstSeenScript)) as number;
}

/** As somebody does who draws the scrollbar there. */
async function scrollTo(page: Page, share: number): Promise<void> {
  await page.evaluate(`(() => {
    const log = document.querySelector(".log");
    log.scrollTop = ${share} * log.scrollHeight;
    return new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)));
  })()`);
}

/** Until lines that were asked for are drawn. */
async function drawn(page: Page): Promise<void> {
  await page.locator(".log[aria-busy=false]").first().waitFor();
}
