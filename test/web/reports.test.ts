import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { before, test } from "node:test";
import type { LosslessClient, ReportBlock } from "@lossless/client";
import type { BrowserContextOptions, Page, Route } from "playwright-core";
import { pagesSuite } from "./pages-suite.ts";
import { counted } from "./recorded-runs.ts";
import { Requests } from "./requests.ts";
import { untilTrue } from "./until.ts";
import { suiteDirectory } from "../suite-service.ts";

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

pagesSuite("reports in a browser", (pages) => {
  const { service, people } = pages;
  let max: LosslessClient;
  const directory = suiteDirectory("reports");
  const ids: string[] = [];

  before(async () => {
    const { client } = pages;
    for (const [at, slug] of ["one", "two", hostile].entries()) {
      const recorder = await client.record({ slug, description: hostile, meta: { lr: at } });
      for (let step = 0; step < 20_000; step++)
        recorder.record("loss", (at + 1) / (1 + step / 500) + Math.sin(step * (at + 1)) / 20, step);
      if (slug === "one") {
        await recorder.annotate("warm", { step: 5_000 });
        const saved = { kind: "artifact", artifact: "run/model", version: "5", step: 12_000 };
        await recorder.annotate("saved", saved);
      }
      await recorder.finish();
      ids.push(recorder.experimentId);
    }
    max = await pages.clientOf("max");
    await counted(max);
  });

  const open = (
    path: string,
    options: BrowserContextOptions = {},
    person: keyof typeof people = "max",
  ) => pages.open(path, { ...options, person });

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
    untilTrue(
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
      const { page } = await pages.signedIn({ ...options, person: "max" });
      const requests = new Requests(page);
      await page.goto(`${service.baseUrl}/reports/${id}`);
      await drawn(page, 2);
      await requests.settled();
      const saved = page.waitForEvent("download");
      await button(page, "Save as a file").click();
      const download = await saved;
      // Both charts have the same reference.
      const asked = requests.asked().filter((path) => path.endsWith("/annotations"));
      assert.equal(asked.length, 1);
      assert.equal(download.suggestedFilename(), `${name}.html`);
      const path = join(directory, `${options.deviceScaleFactor}.html`);
      await download.saveAs(path);
      await page.getByText(/^Saved, [\d.]+ MB\. The file opens without the service\.$/).waitFor();
      const wanted = await canvases(page);
      assert.equal(wanted.length, 2);

      const { page: file, seen } = await pages.newPage({ ...options, offline: true });
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
      await file.getByText("60,000 points, not sampled").waitFor();
      await file.locator(".readings bdi", { hasText: "two" }).waitFor();
      await file.locator(".plot").first().hover();
      await file.getByText(/^step [\d,]+: one /).waitFor();
      assert.equal(await file.getByRole("button", { name: "one: warm" }).count(), 1);
      await file
        .getByRole("button", { name: /^one: version 5 of run/ })
        .first()
        .click();
      const version = file.getByRole("link", { name: "open" });
      const address = `${service.baseUrl}/artifact?name=run%2Fmodel&version=5`;
      assert.equal(await version.getAttribute("href"), address);
      await file.getByText(`Saved as a file by ${people.max.email} of acme`).waitFor();
      const link = file.getByRole("link", { name: "the run" });
      assert.equal(await link.getAttribute("href"), `${service.baseUrl}/go?slug=one`);
      const text = await readFile(path, "utf8");
      assert.ok(!/ak_|as_|csrf/.test(text.replaceAll(/sha256-\S+/g, "")), "no secret is in it");
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
    assert.deepEqual([...seen.origins], [new URL(service.baseUrl).origin]);
    assert.deepEqual(seen.problems, []);
    // A link to a page of ours loads nothing anew.
    await page.getByRole("link", { name: "the run" }).click();
    await page.getByRole("heading", { name: "one" }).waitFor();
  });

  test("a report is written from nothing by keys: blocks, order, save", async () => {
    const { page } = await open("/reports");
    await button(page, "+ report").focus();
    await page.keyboard.press("Enter");
    await page.keyboard.type("By keys");
    await page.keyboard.press("Enter");
    await button(page, "+ text").focus();
    await page.keyboard.press("Enter");
    // Its field has the focus by itself.
    await page.getByLabel("Text, in Markdown").and(page.locator(":focus")).waitFor();
    await page.keyboard.type("*first* words");
    await page.keyboard.press("Escape");
    await page.locator(".prose em", { hasText: "first" }).waitFor();
    await button(page, "Write: Block 1, text").and(page.locator(":focus")).waitFor();
    await button(page, "+ table").focus();
    await page.keyboard.press("Enter");
    await page.getByText("3 experiments").waitFor();
    await page.getByText("more settings").click();
    await page.getByLabel("Columns as text").focus();
    await page.keyboard.press("Alt+ArrowUp");
    await page.getByRole("region", { name: "Block 1, table" }).waitFor();
    assert.match(await page.evaluate<string>("document.activeElement.value"), /^status, .*began/);
    await page.getByText("unsaved changes").waitFor();
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
    await page.locator(".prose", { hasText: "ada's" }).waitFor();
    await button(page, "Save").click();
    await button(page, "Edit").waitFor();
    const { blocks } = await max.reports.read(made.id);
    assert.deepEqual(blocks, [{ kind: "text", markdown: "ada's" }]);
  });

  test("a chart's menu adds it to a report, as it is looked at; it is kept as of now", async () => {
    const made = await max.reports.create({ name: "Collected", scope: "own", blocks: [] });
    const { page } = await open(`/experiments/${ids[0]}?s=ema:0.9`);
    await page.getByText("20,000 points, not sampled").waitFor();
    await page.getByLabel("Menu of loss").click();
    await button(page, "add to a report…").click();
    await button(page, "Collected").click();
    await page.getByRole("link", { name: "Collected" }).waitFor();
    const one = await max.reports.read(made.id);
    const expected = chart({ experimentIds: [ids[0]], view: "s=ema%3A0.9" });
    assert.deepEqual(one.blocks, [expected]);
    // A report keeps the query, where there is one.
    await page.goto(`${service.baseUrl}/compare?q=slug+%3D+one`);
    await page.getByText("20,000 points, not sampled").waitFor();
    await page.getByLabel("Menu of loss").click();
    await button(page, "add to a report…").click();
    await button(page, "Collected").click();
    await page.getByRole("link", { name: "Collected" }).click();
    await page.getByText("live: experiments found by “slug = one”").waitFor();
    await button(page, "Edit").click();
    await button(page, "keep as of now").nth(1).click();
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

  test("words of a table are whole on a phone, where it is scrolled", async () => {
    const words = "| first | second | third | fourth | fifth | sixth | seventh |";
    const text = `${words}\n${"|--".repeat(7)}|\n${words}`;
    const blocks = [{ kind: "text", markdown: text } as const];
    const { id } = await max.reports.create({ name: "Narrow", scope: "own", blocks });
    const { page } = await open(`/reports/${id}`, { viewport: { width: 390, height: 844 } });
    const cell = page.getByRole("cell", { name: "seventh" });
    await cell.waitFor();
    const lines = await page.evaluate(
      `Math.max(...[...document.querySelectorAll("td")].map((cell) => {
        const range = document.createRange();
        range.selectNodeContents(cell);
        return range.getClientRects().length;
      }))`,
    );
    assert.equal(lines, 1);
    assert.equal(await page.evaluate("document.documentElement.scrollWidth"), 390);
  });

  test("on paper it is light, whole and without what is pressed", async () => {
    const blocks = [{ kind: "text", markdown } as const, chart()];
    const { id } = await max.reports.create({ name: "Printed", scope: "own", blocks });
    const { page } = await open(`/reports/${id}`, { colorScheme: "dark" });
    await drawn(page, 1);
    const [dark] = await canvases(page);
    await page.emulateMedia({ media: "print", colorScheme: "dark" });
    await button(page, "Edit").waitFor({ state: "hidden" });
    await page.getByRole("button", { name: "one: warm" }).waitFor();
    await page.getByRole("button", { name: /^one: version 5/ }).waitFor();
    const ground = () =>
      page.evaluate("getComputedStyle(document.documentElement).backgroundColor");
    assert.equal(await ground(), "rgb(255, 255, 255)");
    const { page: light } = await open(`/reports/${id}`, { colorScheme: "light" });
    await drawn(light, 1);
    const [wanted] = await canvases(light);
    await untilTrue(
      page,
      `document.querySelector("canvas").toDataURL() === ${JSON.stringify(wanted.url)}`,
    );
    assert.notEqual(dark.url, wanted.url);
  });

  test("a chart of a folder in an order stays live there, with what happened in its reference", async () => {
    const made = await max.reports.create({ name: "Filed", scope: "own", blocks: [] });
    const folderId = (await pages.client.folders.ensure(["filed"]))!;
    const file = async (slug: string) => {
      const recorder = await pages.client.record({ slug, folderId });
      for (const step of [0, 1, 2, 3]) recorder.record("rate", step, step);
      await recorder.annotate("halved", { step: 2 });
      await recorder.finish();
      return recorder.experimentId;
    };
    const filed = [await file("filed-a"), await file("filed-b"), await file("filed-c")];
    const address = `/compare?folder=${folderId}&sort=slug&ref=${filed[1]}&hide=${filed[2]}`;
    const { page } = await open(address);
    await page.getByText("8 points, not sampled").waitFor();
    await page.getByLabel("Menu of rate").click();
    await button(page, "add to a report…").click();
    await button(page, "Filed").click();
    await page.getByRole("link", { name: "Filed", exact: true }).click();
    const live = { query: `not id in (${filed[2]})`, folderId, sort: "slug" };
    const drawn = { seriesName: "rate", title: "", view: "" };
    const block = { kind: "chart" as const, ...live, referenceId: filed[1], ...drawn };
    assert.deepEqual((await max.reports.read(made.id)).blocks, [block]);
    const mark = page.getByRole("button", { name: "filed-b: halved" });
    await mark.waitFor();
    await page
      .getByText(/8 points, .* · live: all experiments in filed except 1, sorted by slug/)
      .waitFor();
    // Who comes later is drawn, too.
    await file("filed-d");
    await page.reload();
    await page.getByText("12 points, not sampled").waitFor();
    await button(page, "Edit").click();
    await button(page, "Settings: Block 1, chart").click();
    await page.getByText("more settings: in one folder, sorted by slug").click();
    assert.equal(
      await page.getByLabel("Sort by; the first hundred are drawn").inputValue(),
      "slug",
    );
    await button(page, "In the folder: filed").click();
    await button(page, "no folder").click();
    await button(page, "In the folder: any").waitFor();
    await page.getByLabel("Marks below it are of").selectOption(filed[0]);
    await page.keyboard.press("Tab");
    await page.getByRole("button", { name: "filed-a: halved" }).waitFor();
    await button(page, "Save").click();
    await button(page, "Edit").waitFor();
    const { folderId: _, ...anywhere } = block;
    const saved = (await max.reports.read(made.id)).blocks;
    assert.deepEqual(saved, [{ ...anywhere, referenceId: filed[0] }]);
  });

  test("a table of a folder has what is in it and below it, and says where", async () => {
    const { client } = pages;
    for (const path of [["tabled"], ["tabled", "below"]]) {
      const folderId = (await client.folders.ensure(path))!;
      await (await client.record({ slug: path.join("-"), folderId })).finish();
    }
    const whole = { ...table, query: "", limit: 1 };
    const blocks = [whole as ReportBlock];
    const made = await max.reports.create({ name: "Tabled", scope: "own", blocks });
    const { page } = await open(`/reports/${made.id}?edit=1`);
    await button(page, "Settings: Block 1, table").click();
    await page.getByText("more settings: 1 row").click();
    await button(page, "In the folder: any").click();
    await button(page, "tabled").click();
    const said = page.getByText("the first 1 of 2 experiments in tabled", { exact: true });
    await said.waitFor();
    await button(page, "Save").click();
    await button(page, "Edit").waitFor();
    await said.waitFor();
    const folderId = await client.folders.ensure(["tabled"]);
    assert.deepEqual((await max.reports.read(made.id)).blocks, [{ ...whole, folderId }]);
    await button(page, "Edit").click();
    await button(page, "Settings: Block 1, table").click();
    await page.getByText("more settings: in one folder, 1 row").click();
    await button(page, "In the folder: tabled").click();
    await button(page, "no folder").click();
    await page.getByText(/^the first 1 of \d+ experiments$/).waitFor();
  });

  test("the folders are read once for all charts of one, and not for others", async () => {
    const folderId = (await pages.client.folders.ensure(["read", "once"]))!;
    const { experimentIds: _, ...rest } = chart() as Extract<ReportBlock, { kind: "chart" }>;
    const live = { ...rest, query: "slug = one", title: "Live" };
    const blocks = [{ ...live, folderId }, { ...live, folderId }, live];
    const made = await max.reports.create({ name: "Once", scope: "own", blocks });
    const { page } = await pages.signedIn({ person: "max" });
    let foldersRead = 0;
    page.on("request", (request) => {
      if (request.url().endsWith("/views/v1/folders")) foldersRead++;
    });
    await page.goto(`${service.baseUrl}/reports/${made.id}`);
    const where = page.getByText(/in read\/once/);
    await where.nth(1).waitFor();
    assert.equal(foldersRead, 1);
    await button(page, "Edit").click();
    await button(page, "Settings: Block 2, chart").click();
    await page.getByText("more settings").click();
    await button(page, "In the folder: read/once").waitFor();
    await where.nth(1).waitFor();
    assert.equal(foldersRead, 2);
  });

  test("what is not saved is not lost by a link, by going back or by Cancel, unless one says so", async () => {
    const made = await max.reports.create({ name: "Unsaved", scope: "own", blocks: [] });
    const { page } = await open(`/reports/${made.id}`);
    await button(page, "Edit").click();
    const text = page.getByLabel("Text, in Markdown");
    // Nothing is written yet, so nothing is asked.
    await button(page, "Cancel").click();
    await button(page, "Edit").click();
    await button(page, "+ text").click();
    await text.fill("[a page](/experiments) only here");
    await text.press("Escape");
    const written = page.locator(".prose", { hasText: "a page only here" });
    const dialog = page.getByRole("dialog", { name: "Leave without saving?" });
    const answer = async (name: string) => {
      await dialog.getByRole("button", { name, exact: true }).click();
      await dialog.waitFor({ state: "detached" });
    };
    const steps = await page.evaluate("history.length");
    const ways = [
      () => page.getByRole("link", { name: "a page" }).click(),
      () => page.getByRole("link", { name: "Experiments", exact: true }).click(),
      () => button(page, "Cancel").click(),
      () => page.evaluate("history.back()"),
      () => page.evaluate("history.go(-2)"),
    ];
    for (const leave of ways) {
      await leave();
      await dialog.waitFor();
      await answer("Cancel");
      assert.ok(await written.isVisible());
      assert.equal(new URL(page.url()).search, "?edit=1");
    }
    // Who stays has the steps that they had, before and behind.
    assert.equal(await page.evaluate("history.length"), steps);
    await page.evaluate("history.back()");
    await answer("Leave");
    await page.getByText("This report is empty.").waitFor();
    assert.equal(await page.evaluate("history.length"), steps);
    await page.evaluate("history.forward()");
    await button(page, "+ text").click();
    await page.getByRole("link", { name: "Experiments", exact: true }).click();
    await answer("Leave");
    await page.waitForURL(/\/experiments$/);
    assert.deepEqual((await max.reports.read(made.id)).blocks, []);
  });

  test("what is pressed twice is done once, and what is written while it is saved stays", async () => {
    const { page } = await open("/reports");
    const held = await holdWrites(page);
    await button(page, "+ report").click();
    await page.getByLabel("Name").fill("Pressed twice");
    for (const _ of [1, 2]) await page.keyboard.press("Enter");
    await held.next();
    await page.getByRole("button", { name: "Create …" }).waitFor();
    held.go();
    await button(page, "+ text").click();
    const named = (await max.reports.list()).filter(({ name }) => name === "Pressed twice");
    assert.equal(named.length, 1);

    const text = page.getByLabel("Text, in Markdown");
    await text.fill("one");
    for (const _ of [1, 2]) await page.keyboard.press("Control+s");
    await held.next();
    await text.fill("one and two");
    held.go();
    await page.getByText("unsaved changes").waitFor();
    await untilTrue(page, `!document.querySelector("button.strong").disabled`);
    const before = await max.reports.read(named[0].id);
    assert.deepEqual(before.blocks, [{ kind: "text", markdown: "one" }]);
    assert.equal(await text.inputValue(), "one and two");
    await page.keyboard.press("Control+s");
    await held.next();
    held.go();
    await button(page, "Edit").waitFor();
    assert.equal(held.seen, 3);

    await page.goto(`${service.baseUrl}/experiments/${ids[0]}?tab=charts`);
    await page.getByLabel("Menu of loss").click();
    await button(page, "add to a report…").click();
    // As fast as nobody is: both before the page has drawn anything.
    await button(page, "Pressed twice").waitFor();
    await page.evaluate(`{
      const buttons = [...document.querySelectorAll(".reports button")];
      const one = buttons.find((button) => button.textContent === "Pressed twice");
      for (const _ of [1, 2]) one.click();
    }`);
    await held.next();
    held.go();
    await page.getByRole("link", { name: "Pressed twice" }).waitFor();
    assert.equal((await max.reports.read(named[0].id)).blocks.length, 2);
    assert.equal(held.seen, 4);
  });

  test("a chart whose query is none says so, others draw, and a file says what is not in it", async () => {
    const { experimentIds: _, ...rest } = chart() as Extract<ReportBlock, { kind: "chart" }>;
    const blocks = [
      { ...rest, query: "meta.lr >", title: "Broken" },
      chart({ experimentIds: [ids[0]] }),
      { ...table, query: "nonsense (" },
    ];
    const made = await max.reports.create({ name: "Partly", scope: "own", blocks });
    const { page } = await open(`/reports/${made.id}`);
    await page.getByText("20,000 points, not sampled").waitFor();
    const broken = page.locator("figure", { hasText: "Broken" });
    await broken.getByRole("alert").waitFor();
    await drawn(page, 1);
    const saved = page.waitForEvent("download");
    await button(page, "Save as a file").click();
    const path = join(directory, "partly.html");
    await (await saved).saveAs(path);
    await page.getByText(/^Saved, .*Left out: Broken: .*; a table: /).waitFor();
    const { page: file, seen } = await pages.newPage({ offline: true });
    await file.goto(`file://${path}`);
    await drawn(file, 1);
    await file.getByRole("heading", { name: "Broken" }).waitFor();
    assert.deepEqual(seen.problems, []);
  });

  test("saving waits for charts that are read, and stops when one says so", async () => {
    const made = await max.reports.create({ name: "Slow", scope: "own", blocks: [chart()] });
    const { page } = await pages.signedIn({ person: "max" });
    await page.route("**/api/views/v1/overview", () => undefined);
    await page.goto(`${service.baseUrl}/reports/${made.id}`);
    await button(page, "Save as a file").click();
    await page.getByText("Loading the data of the charts …").waitFor();
    await button(page, "Stop saving").click();
    await page.getByText("Stopped: nothing was saved.").waitFor();
    await button(page, "Save as a file").waitFor();
  });

  test("the legend of a file is of what it draws, whatever the page is zoomed to or points at", async () => {
    const blocks = [chart({ experimentIds: [ids[0]] })];
    const made = await max.reports.create({ name: "Legend", scope: "own", blocks });
    const { page } = await open(`/reports/${made.id}`);
    await drawn(page, 1);
    const legend = page.locator(".readings");
    const wanted = await legend.innerText();
    const box = (await page.locator(".u-over").boundingBox())!;
    const at = (share: number) => [box.x + box.width * share, box.y + box.height / 2] as const;
    await page.mouse.move(...at(0.1));
    await page.mouse.down();
    await page.mouse.move(...at(0.3));
    await page.mouse.up();
    await button(page, "back to the saved view").waitFor();
    await drawn(page, 1);
    await legend.getByText(/^step /).waitFor();
    assert.notEqual(await legend.innerText(), wanted);
    const saved = page.waitForEvent("download");
    await button(page, "Save as a file").press("Enter");
    const path = join(directory, "legend.html");
    await (await saved).saveAs(path);
    const { page: file } = await pages.newPage({ offline: true });
    await file.goto(`file://${path}`);
    assert.equal(await file.locator(".readings").innerText(), wanted);
  });
});

/** Holds a page's writes: `next` waits for a request, `go` lets it through. */
async function holdWrites(page: Page) {
  const arrived: Route[] = [];
  const held = {
    seen: 0,
    next: async () => {
      while (arrived.length === 0) await setTimeout(10);
    },
    go: () => void arrived.shift()!.continue(),
  };
  await page.route(/\/api\/views\/v1\/reports?(\?|$)/, (route) => {
    if (route.request().method() === "GET") return route.continue();
    held.seen++;
    arrived.push(route);
  });
  return held;
}
