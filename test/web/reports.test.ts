import assert from "node:assert/strict";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { after, before, suite, test } from "node:test";
import { LosslessClient, type ReportBlock } from "@lossless/client";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { call } from "../http.ts";
import { organizations, people, Service } from "../service.ts";
import { startChromium } from "./chromium.ts";
import { newPage, type Seen, signIn } from "./new-page.ts";

const hostile = `</script><img src="https://evil.example/x" onerror="document.title='ran'">\u202eevil`;
const markdown = `## What was seen

The **loss** of [the run](/go?slug=one) falls, see [a paper](https://arxiv.org/abs/1).

| lr | loss |
|---:|------|
| 0.1 | 0.5 |

- [x] done

<script>document.title = "ran"</script> <b onclick="x">not bold</b>
[click](javascript:document.title='ran') ![a picture](https://evil.example/p.png)
`;

suite("reports in a browser", () => {
  let service: Service;
  let browser: Browser;
  let max: LosslessClient;
  let directory: string;
  const ids: string[] = [];

  before(async () => {
    service = await Service.start({ people: true });
    browser = await startChromium();
    directory = await mkdtemp(join(tmpdir(), "lossless-reports-"));
    const client = new LosslessClient({
      baseUrl: service.baseUrl,
      apiKey: organizations.acme.key,
    });
    for (const [at, slug] of ["one", "two", hostile].entries()) {
      const recorder = await client.record({ slug, description: hostile, meta: { lr: at } });
      for (let step = 0; step < 20_000; step++)
        recorder.record("loss", (at + 1) / (1 + step / 500) + Math.sin(step * (at + 1)) / 20, step);
      await recorder.finish();
      ids.push(recorder.experimentId);
    }
    const session = await call(service.baseUrl, { path: "/api/v1/sessions", body: people.max });
    const { token } = JSON.parse(session.text) as { token: string };
    max = new LosslessClient({ baseUrl: service.baseUrl, credential: async () => token });
    while ((await max.views.experiments({ limit: 0 })).behind > 0) await setTimeout(50);
  });
  after(async () => {
    await browser?.close();
    await service?.[Symbol.asyncDispose]();
    if (directory !== undefined) await rm(directory, { recursive: true });
  });

  async function open(
    path: string,
    options: BrowserContextOptions = {},
    person: keyof typeof people = "max",
  ): Promise<{ page: Page; seen: Seen }> {
    const { page, seen } = await newPage(browser, options);
    await page.goto(service.baseUrl + path);
    await signIn(page, person);
    return { page, seen };
  }

  const chart = (part: Partial<Extract<ReportBlock, { kind: "chart" }>> = {}): ReportBlock => ({
    kind: "chart",
    experimentIds: ids,
    seriesName: "loss",
    title: "",
    view: "",
    ...part,
  });
  const table: ReportBlock = {
    kind: "table",
    query: "metric.loss.points > 0 or slug ~ *",
    columns: "status, meta.lr, metric.loss.min",
    sort: "created",
    limit: 2,
  };

  const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
  const drawn = (page: Page, count: number) =>
    until(
      page,
      `document.querySelectorAll("figure.chart canvas").length === ${count} &&
       document.querySelector("[data-waiting]") === null`,
    );

  /** Every pixel of every chart. */
  const canvases = (page: Page) =>
    page.evaluate<{ width: number; height: number; url: string }[]>(
      `[...document.querySelectorAll("canvas")].map((canvas) =>
        ({ width: canvas.width, height: canvas.height, url: canvas.toDataURL() }))`,
    );

  for (const [look, options] of Object.entries({
    "light, one pixel": { deviceScaleFactor: 1 },
    "dark, two pixels": { deviceScaleFactor: 2, colorScheme: "dark" },
  } satisfies Record<string, BrowserContextOptions>))
    test(`a file draws what the page draws, byte for byte, without any service: ${look}`, async () => {
      const name = `Loss ${look}`;
      const blocks = [
        { kind: "text", markdown } as const,
        chart(),
        chart({ experimentIds: [ids[0]], view: "x=elapsed&s=ema:0.9&y=log", title: hostile }),
        table,
      ];
      const { id } = await max.reports.create({ name, scope: "own", blocks });
      const { page } = await open(`/reports/${id}`, options);
      await drawn(page, 2);
      const saved = page.waitForEvent("download");
      await button(page, "Save as a file").click();
      const download = await saved;
      assert.equal(download.suggestedFilename(), `${name}.html`);
      const path = join(directory, `${options.deviceScaleFactor}.html`);
      await download.saveAs(path);
      await page.getByText(/^Saved, [\d.]+ MB; it opens without the service.$/).waitFor();
      const wanted = await canvases(page);
      assert.equal(wanted.length, 2);

      const { page: file, seen } = await newPage(browser, { ...options, offline: true });
      await file.goto(`file://${path}`);
      await drawn(file, 2);
      const got = await canvases(file);
      for (const [at, { url, ...size }] of wanted.entries()) {
        const { url: own, ...ownSize } = got[at];
        assert.deepEqual(ownSize, size);
        assert.ok(own === url, `chart ${at} differs`);
      }
      assert.deepEqual(seen.problems, []);
      assert.equal(await file.title(), name);
      assert.equal(await file.locator("img, iframe, [onclick], [onerror]").count(), 0);
      assert.equal(await file.locator("script").count(), 2);
      await file.getByText("60,000 points, all considered").waitFor();
      await file.locator(".readings bdi", { hasText: "two" }).waitFor();
      await file.locator(".plot").first().hover();
      await file.getByText(/^step [\d,]+: one /).waitFor();
      await file.getByText(`Saved as a file by ${people.max.email} of acme`).waitFor();
      const link = file.getByRole("link", { name: "the run" });
      assert.equal(await link.getAttribute("href"), `${service.baseUrl}/go?slug=one`);
      const text = await readFile(path, "utf8");
      assert.ok(!/ak_|as_|csrf/.test(text.replaceAll(/sha256-\S+/g, "")), "no secret is in it");
      await page.context().close();
      await file.context().close();
    });

  test("hostile text is text, links have no referrer, pictures of others are not loaded", async () => {
    const blocks = [
      { kind: "text", markdown } as const,
      { kind: "text", markdown: hostile } as const,
    ];
    const { id } = await max.reports.create({ name: hostile, scope: "own", blocks });
    const { page, seen } = await open(`/reports/${id}`);
    await page.getByRole("heading", { name: "What was seen" }).waitFor();
    assert.equal(await page.title(), `${hostile} · Lossless`);
    assert.equal(await page.locator("main img, main script").count(), 0);
    assert.equal(await page.getByRole("link", { name: "click" }).count(), 0);
    const paper = page.getByRole("link", { name: "a paper" });
    assert.equal(await paper.getAttribute("rel"), "noopener noreferrer nofollow");
    await page.getByRole("link", { name: "picture: a picture" }).waitFor();
    await page.getByRole("cell", { name: "0.5" }).waitFor();
    assert.deepEqual([...seen.origins], [service.baseUrl]);
    assert.deepEqual(seen.problems, []);
    // A link to a page of ours loads nothing anew.
    await page.getByRole("link", { name: "the run" }).click();
    await page.getByRole("heading", { name: "one" }).waitFor();
  });

  test("a report is written from nothing by keys: blocks, order, preview, save", async () => {
    const { page } = await open("/reports");
    await button(page, "+ report").focus();
    await page.keyboard.press("Enter");
    await page.keyboard.type("By keys");
    await page.keyboard.press("Enter");
    await button(page, "+ text").focus();
    await page.keyboard.press("Enter");
    await page.getByLabel("Text, in Markdown").focus();
    await page.keyboard.type("*first* words");
    await page.getByLabel("Preview").locator("em", { hasText: "first" }).waitFor();
    await button(page, "+ table").focus();
    await page.keyboard.press("Enter");
    await page.getByText("3 experiments").waitFor();
    await page.getByLabel("Columns").focus();
    await page.keyboard.press("Alt+ArrowUp");
    await page.getByRole("region", { name: "Block 1, table" }).waitFor();
    assert.equal(await page.evaluate("document.activeElement.value"), "status, created");
    await page.getByText("not saved yet").waitFor();
    await page.keyboard.press("Control+s");
    await button(page, "Edit").waitFor();
    const [{ id }] = await max.reports.list();
    const { blocks, scope } = await max.reports.read(id);
    assert.deepEqual(
      blocks.map(({ kind }) => kind),
      ["table", "text"],
    );
    assert.equal(scope, "own");
  });

  test("what somebody else wrote meanwhile is not written over unawares", async () => {
    const made = await max.reports.create({ name: "Both write", scope: "shared", blocks: [] });
    const { page } = await open(`/reports/${made.id}?edit=1`, {}, "ada");
    await button(page, "+ text").click();
    await page.getByLabel("Text, in Markdown").fill("ada's");
    await max.reports.change(made, { blocks: [{ kind: "text", markdown: "max's" }] });
    await button(page, "Save").click();
    await page.getByText(`${people.max.email} has changed this report`).waitFor();
    assert.equal(await page.getByLabel("Text, in Markdown").inputValue(), "ada's");
    await button(page, "Save").click();
    await button(page, "Edit").waitFor();
    const { blocks } = await max.reports.read(made.id);
    assert.deepEqual(blocks, [{ kind: "text", markdown: "ada's" }]);
  });

  test("a chart's menu adds it to a report, as it is looked at; it is kept as of now", async () => {
    const made = await max.reports.create({ name: "Collected", scope: "own", blocks: [] });
    const { page } = await open(`/experiments/${ids[0]}?s=ema:0.9`);
    await page.getByText("20,000 points, all considered").waitFor();
    await page.getByLabel("Menu of loss").click();
    await button(page, "add to a report…").click();
    await button(page, "Collected").click();
    await page.getByRole("link", { name: "Collected" }).waitFor();
    const one = await max.reports.read(made.id);
    const expected = chart({ experimentIds: [ids[0]], view: "s=ema%3A0.9" });
    assert.deepEqual(one.blocks, [expected]);
    // A report keeps the query, where there is one.
    await page.goto(`${service.baseUrl}/compare?q=slug+%3D+one`);
    await page.getByText("20,000 points, all considered").waitFor();
    await page.getByLabel("Menu of loss").click();
    await button(page, "add to a report…").click();
    await button(page, "Collected").click();
    await page.getByRole("link", { name: "Collected" }).click();
    await page.getByText("live: what “slug = one” finds").waitFor();
    await button(page, "Edit").click();
    await button(page, "keep it as of now").nth(1).click();
    await button(page, "Save").click();
    await button(page, "Edit").waitFor();
    await page.getByText(/as of \d{4}-/).waitFor();
    const { blocks } = await max.reports.read(made.id);
    const kept = blocks[1];
    assert.ok(kept.kind === "chart");
    assert.deepEqual(
      [kept.experimentIds, kept.query, kept.pinned?.points],
      [[ids[0]], undefined, 20_000],
    );
  });

  test("on paper it is light, whole and without what is pressed", async () => {
    const blocks = [{ kind: "text", markdown } as const, chart()];
    const { id } = await max.reports.create({ name: "Printed", scope: "own", blocks });
    const { page } = await open(`/reports/${id}`, { colorScheme: "dark" });
    await drawn(page, 1);
    const [dark] = await canvases(page);
    await page.emulateMedia({ media: "print", colorScheme: "dark" });
    await button(page, "Edit").waitFor({ state: "hidden" });
    const ground = () =>
      page.evaluate("getComputedStyle(document.documentElement).backgroundColor");
    assert.equal(await ground(), "rgb(255, 255, 255)");
    const { page: light } = await open(`/reports/${id}`, { colorScheme: "light" });
    await drawn(light, 1);
    const [wanted] = await canvases(light);
    await until(
      page,
      `document.querySelector("canvas").toDataURL() === ${JSON.stringify(wanted.url)}`,
    );
    assert.notEqual(dark.url, wanted.url);
  });
});

/** The policy of the pages lets no test wait in them. */
async function until(page: Page, holds: string): Promise<void> {
  while (!(await page.evaluate(holds))) await setTimeout(50);
}
