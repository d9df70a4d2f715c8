import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { LosslessClient } from "@lossless/client";
import { parquetMetadata } from "hyparquet";
import type { Locator, Page } from "playwright-core";
import type { Opened } from "./new-page.ts";
import { pagesSuite } from "./pages-suite.ts";
import { counted } from "./recorded-runs.ts";

const manyRuns = 3_000;
const hostile = '<img src="https://evil.example/x" onerror="document.title=1">\u202eevil\u202c 😀';

pagesSuite("the table of experiments in a browser", (pages) => {
  const { service } = pages;
  let client: LosslessClient;

  before(async () => {
    ({ client } = pages);
    await fill(client);
  });

  async function open(address = "", options = {}): Promise<Opened> {
    const { page, seen } = await pages.signedIn(options);
    await countClicks(page);
    await page.goto(`${service.baseUrl}/experiments${address}`);
    await page.getByRole("grid").waitFor();
    return { page, seen };
  }

  test("what runs is one click away, and its silence is said without one", async () => {
    const { page } = await pages.signedIn();
    await countClicks(page);
    await page.clock.setSystemTime(Date.now() + 2.5 * 3_600_000);
    await page.goto(`${service.baseUrl}/experiments?folder=${await folderId(client, "sweep")}`);
    await page.getByText("5 found", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Running" }).click();
    await page.getByText("1 found", { exact: true }).waitFor();
    await page.getByText("silent 2 h").waitFor();
    assert.equal(await clicks(page), 1);
    assert.deepEqual(await names(page), ["sweep/live"]);
  });

  test("the run with the lowest loss is one click away, and what has none stands last", async () => {
    const { page } = await open("?q=folder ~ sweep");
    await page.getByRole("columnheader", { name: "val/loss min" }).click();
    await page.waitForURL(/sort=metric\.val%2Floss\.min/);
    await topRow(page, "sweep/3");
    assert.equal(await clicks(page), 1);
    const found = await names(page);
    assert.equal(found.at(-1), "sweep/live");
    assert.equal(await page.getByText("step 49", { exact: true }).count(), 4);
    await page.getByRole("columnheader", { name: "val/loss min" }).click();
    await topRow(page, "sweep/0");
    assert.equal((await names(page)).at(-1), "sweep/live");
  });

  test("the usual columns with two losses need no sideways scrolling on a laptop", async () => {
    const losses = "metric.val/loss.min, metric.train/loss.min";
    const cols = `status, ${losses}, began, duration, points, folder`;
    const { page } = await open(`?cols=${cols}`, { viewport: { width: 1_280, height: 800 } });
    await page.getByRole("columnheader", { name: "folder" }).waitFor();
    const hidden = await page.evaluate<number>(
      "(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(document.querySelector('[role=grid]'))",
    );
    assert.equal(hidden, 0);
  });

  test("a query is completed while it is typed, and is in the address", async () => {
    const { page } = await open();
    await page.keyboard.press("/");
    await page.keyboard.type("meta.l");
    await page.getByRole("option", { name: "meta.lr" }).waitFor();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.keyboard.type("> 0.01 and not slug ~ *concat*");
    await page.getByText("2 found", { exact: true }).waitFor();
    assert.equal(await clicks(page), 0);
    assert.deepEqual((await names(page)).toSorted(), ["sweep/2", "sweep/3"]);
    await page.reload();
    await page.getByText("2 found", { exact: true }).waitFor();
    assert.equal(
      await page.getByRole("combobox", { name: "Query" }).inputValue(),
      "meta.lr > 0.01 and not slug ~ *concat*",
    );
  });

  test("a query that is none says where and what is meant, and the table stays", async () => {
    const { page, seen } = await open("?q=slug = sweep/live");
    await page.getByText("1 found", { exact: true }).waitFor();
    await page.getByRole("combobox", { name: "Query" }).fill("status = runing or points > 3");
    await page.getByText("At character 10").waitFor();
    await page.getByText("did you mean running?").waitFor();
    // The rows are those of the query before, and say so.
    await page.getByText("1 found by “slug = sweep/live”", { exact: true }).waitFor();
    const compare = page.getByRole("link", { name: "compare all results" });
    await compare.waitFor({ state: "hidden" });
    assert.equal(
      await page.evaluate("getComputedStyle(document.querySelector('.grid')).opacity"),
      "0.5",
    );
    // Every completion exists.
    const query = page.getByRole("combobox", { name: "Query" });
    await query.fill("configs.lr > 3");
    await page.getByText("No field is called configs.lr.").waitFor();
    await page.getByRole("button", { name: "use meta.lr", exact: true }).waitFor();
    await query.fill("val/loss < 3.3");
    await page.getByText("No field is called val/loss.").waitFor();
    await page.getByRole("button", { name: "use metric.val/loss", exact: true }).waitFor();
    await query.fill("summary.val/los.min < 1e9");
    await page.getByText(/No experiment has metric\.val\/los\.min\. Did you mean/).waitFor();
    await page.getByRole("button", { name: "metric.val/loss.min" }).click();
    assert.equal(await query.inputValue(), "metric.val/loss.min < 1e9");
    await page.getByText("No experiment has").waitFor({ state: "detached" });
    await page.getByText(/^\d+ found$/).waitFor();
    assert.deepEqual(seen.problems, []);
  });

  test("many rows are one scrollbar, of which few are drawn", async () => {
    const { page } = await open("?folder=" + (await folderId(client, "many")));
    await page.getByText("3,000 found", { exact: true }).waitFor();
    const grid = page.getByRole("grid");
    assert.equal(await grid.getAttribute("aria-rowcount"), String(manyRuns + 1));
    await grid.focus();
    await page.keyboard.press("End");
    await page.getByRole("link", { name: "many/0", exact: true }).waitFor();
    assert.ok((await page.getByRole("row").count()) < 150);
    const active = await grid.getAttribute("aria-activedescendant");
    assert.equal(await page.locator(`#${active}`).count(), 1);
  });

  test("rows keep their places in a larger font, also while one looks", async () => {
    const { page } = await open("?folder=" + (await folderId(client, "many")));
    await page.getByText("3,000 found", { exact: true }).waitFor();
    await page.evaluate("document.documentElement.style.fontSize = '24px'");
    const grid = page.getByRole("grid");
    await grid.focus();
    await page.keyboard.press("End");
    await page.getByRole("link", { name: "many/0", exact: true }).waitFor();
    const [last, box] = await Promise.all([
      page.locator(".grid .line").last().boundingBox(),
      grid.boundingBox(),
    ]);
    assert.equal(last!.height, 2.125 * 24);
    assert.ok(last!.y + last!.height <= box!.y + box!.height + 1, "it is seen whole");
  });

  test("back from an experiment, and after a reload, one is where one was", async () => {
    const { page } = await open("?folder=" + (await folderId(client, "many")));
    await page.getByText("3,000 found", { exact: true }).waitFor();
    const grid = page.getByRole("grid");
    await grid.focus();
    for (let screens = 0; screens < 5; screens++) await page.keyboard.press("PageDown");
    const place = () =>
      page.evaluate<unknown[]>(`(() => {
        const grid = document.querySelector("[role=grid]");
        const cell = grid.getAttribute("aria-activedescendant");
        return [grid.scrollTop, cell, document.activeElement === grid];
      })()`);
    await page.locator("[role=grid][aria-activedescendant]").waitFor();
    await page.evaluate("document.querySelector('[role=grid]').scrollTop -= 100");
    const before = await place();
    const [scrolled, active] = before;
    assert.ok(Number(scrolled) > 1_000);
    await page.keyboard.press("Enter");
    await page.waitForURL(/experiments\/[^?]/);
    await page.getByRole("heading", { level: 1 }).waitFor();
    await page.goBack();
    await page.locator(`#${String(active)}`).waitFor();
    assert.deepEqual(await place(), before);
    await page.reload();
    await page.locator(`#${String(active)}`).waitFor();
    assert.deepEqual(await place(), before);
    // Until the answer comes the old rows are there, and scrolled: no place in the new ones.
    const answers = Promise.withResolvers<void>();
    const rows = "**/api/views/v1/experiments";
    await page.route(rows, async (route) => {
      await answers.promise;
      await route.continue();
    });
    await page.getByRole("columnheader", { name: "points" }).click();
    await page.waitForURL(/sort=/);
    await page.evaluate("document.querySelector('[role=grid]').scrollTop -= 50");
    for (let looks = 0; !(await page.evaluate("history.state.kept !== undefined")); looks++) {
      assert.ok(looks < 1_000, "a place is kept after a scroll");
      await sleep(50);
    }
    answers.resolve();
    await page.locator(".line[aria-rowindex='2']").waitFor();
    await page.unroute(rows);
  });

  test("the rows wait for the session alone, which is asked for once, and not for the folders", async () => {
    const { page } = await pages.signedIn();
    const answers = Promise.withResolvers<void>();
    let sessions = 0;
    page.on("request", (request) => {
      if (request.url().endsWith("/api/v1/sessions")) sessions++;
    });
    await page.route("**/api/views/v1/folders", async (route) => {
      await answers.promise;
      await route.continue();
    });
    await page.goto(`${service.baseUrl}/experiments?folder=${await folderId(client, "sweep")}`);
    await page.getByText("5 found", { exact: true }).waitFor();
    await page.getByRole("link", { name: "sweep/3" }).waitFor();
    await page.getByText("Loading folders …").waitFor();
    answers.resolve();
    await page.getByRole("treeitem", { name: /^sweep/ }).waitFor();
    await page.unroute("**/api/views/v1/folders");
    assert.equal(sessions, 1);
  });

  test("back from an experiment the filtered rows are painted before any answer, then read anew", async () => {
    for (const slug of ["again/a", "again/b"])
      await client.openExperiment({ slug, description: "", meta: {} });
    const { page } = await open("?q=slug ~ again/*");
    await page.getByText("2 found", { exact: true }).waitFor();
    await page.getByRole("link", { name: "again/a" }).click();
    await page.waitForURL(/experiments\/[^?]/);
    await page.getByRole("heading", { level: 1 }).waitFor();
    const { experimentId } = await client.openExperiment({
      slug: "again/c",
      description: "",
      meta: {},
    });
    const answers = Promise.withResolvers<void>();
    await page.route("**/api/views/**", async (route) => {
      await answers.promise;
      await route.continue();
    });
    await page.goBack();
    await page.getByRole("link", { name: "again/b" }).waitFor();
    assert.equal(await page.locator(".grid .line a").count(), 2);
    await page.getByText("2 found", { exact: true }).waitFor();
    answers.resolve();
    await page.getByRole("link", { name: "again/c" }).waitFor();
    await page.getByText("3 found", { exact: true }).waitFor();
    await page.unroute("**/api/views/**");
    await client.trash.experiments([experimentId]);
  });

  test("a folder is one click away, the browser's steps lead back, and a link is the view", async () => {
    const { page } = await open();
    await page.getByRole("treeitem", { name: /^sweep/ }).click();
    await page.getByText("5 found", { exact: true }).waitFor();
    assert.equal(await clicks(page), 1);
    await page.getByRole("treeitem", { name: /^All/ }).click();
    await page.getByText(/^3,\d+ found/).waitFor();
    await page.goBack();
    await page.getByText("5 found", { exact: true }).waitFor();
    const { page: other } = await pages.signedIn();
    await other.goto(page.url());
    await other.getByText("5 found", { exact: true }).waitFor();
  });

  test("a small screen has what is rare behind one button, and no screen two comparisons", async () => {
    const folder = await folderId(client, "sweep");
    for (const [width, rows] of [
      [1024, 2],
      [390, 3],
    ] as const) {
      const viewport = { width, height: 768 };
      const { page } = await open(`?folder=${folder}`, { viewport });
      await page.getByText("5 found", { exact: true }).waitFor();
      // All are in the chosen folder: no line says so.
      await page.getByRole("link", { name: "sweep/0", exact: true }).first().waitFor();
      assert.equal(await page.getByText("equal in all").count(), 0);
      const copy = page.getByRole("button", { name: "copy link" });
      assert.equal(await copy.isVisible(), false);
      const asked = (await page.locator(".asked").boundingBox())!;
      assert.ok(asked.height <= 16 + rows * 38, `${asked.height} at ${width}`);
      const foot = async () => (await page.locator(".foot").boundingBox())!.height;
      const before = await foot();
      await page.getByRole("button", { name: "more", exact: true }).click();
      await copy.waitFor();
      await page.getByRole("link", { name: "CSV" }).waitFor();
      await page.getByRole("checkbox", { name: "tick sweep/0" }).click();
      await page.getByText("1 ticked").waitFor();
      assert.equal(await page.getByRole("link", { name: /^compare/ }).count(), 1);
      if (width > 768) assert.equal(await foot(), before);
    }
  });

  test("columns are searched by name, and what is equal in all rows folds into a line", async () => {
    const { page } = await open("?cols=status&folder=" + (await folderId(client, "sweep")));
    await page.getByRole("button", { name: "columns", exact: true }).click();
    await page.getByLabel("Search columns").fill("meta.");
    await page.getByRole("button", { name: "meta.lr as a column" }).click();
    await page.getByRole("button", { name: "meta.gpus as a column" }).click();
    await page.getByRole("button", { name: "Close" }).click();
    await page.getByRole("columnheader", { name: "lr" }).waitFor();
    await page.getByText("equal in all 5 rows:").waitFor();
    assert.match(await page.locator(".equal").innerText(), /gpus\s+8/);
    assert.equal(await page.getByRole("columnheader", { name: "gpus" }).count(), 0);
  });

  test("the keyboard alone ticks, moves and opens", async () => {
    const { page } = await open("?q=slug ~ key/&sort=slug");
    await page.getByText("4 found", { exact: true }).waitFor();
    for (const key of [" ", "j", "j", "Shift+ ", "k", " "]) await page.keyboard.press(key);
    await page.getByText("2 ticked").waitFor();
    await page.waitForURL(/sel=/);
    await page.keyboard.press("m");
    await page.getByRole("dialog", { name: "Move 2 experiments" }).waitFor();
    await page.keyboard.type("keyed");
    await page.keyboard.press("Enter");
    await page.getByText("2 experiments were moved to keyed.").waitFor();
    assert.equal(
      (await client.experiment({ experimentSlug: "key/0" })).folderId,
      await folderId(client, "keyed"),
    );
    assert.equal((await client.experiment({ experimentSlug: "key/1" })).folderId, null);
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("grid").focus();
    await page.keyboard.press("Home");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "key/0", level: 1 }).waitFor();
  });

  test("a folder's name in an address is the folder, and one that is none is said", async () => {
    const { page } = await open("?folder=many");
    const id = await folderId(client, "many");
    await page.waitForURL((url) => url.searchParams.get("folder") === id);
    await page.goto(`${pages.service.baseUrl}/experiments?folder=no-such`);
    await page.getByText("This folder does not exist: no-such").waitFor();
  });

  test("what a row says is selected and copied, as any text is", async () => {
    const { page } = await open("?q=slug = sweep/2&cols=metric.val/loss.min");
    const row = page.getByRole("row", { name: /sweep\/2/ });
    const select = async (target: Locator) => {
      const box = (await target.boundingBox())!;
      const middle = box.y + box.height / 2;
      await page.mouse.move(box.x + 1, middle);
      await page.mouse.down();
      await page.mouse.move(box.x + box.width - 1, middle, { steps: 5 });
      await page.mouse.up();
      return page.evaluate<string>("String(getSelection())");
    };
    const value = row.locator("[role=gridcell].number bdi").first();
    assert.equal(await select(value), await value.textContent());
    await select(row.getByRole("link"));
    assert.match(page.url(), /\/experiments\?/);
    const copied = await page.evaluate<string>(
      `(() => {
        const data = new DataTransfer();
        const link = document.querySelector(".grid .name a");
        getSelection().selectAllChildren(link);
        const options = { clipboardData: data, bubbles: true, cancelable: true };
        link.dispatchEvent(new ClipboardEvent("copy", options));
        return data.getData("text/plain");
      })()`,
    );
    assert.equal(copied, "sweep/2");
  });

  test("cells of two rows are copied into their columns", async () => {
    const { page } = await open("?q=slug in (sweep/1, sweep/2)&sort=slug&cols=meta.lr, points");
    await page.getByRole("row", { name: /sweep\/2/ }).waitFor();
    const copied = await page.evaluate<string>(
      `(() => {
        const data = new DataTransfer();
        const all = [...document.querySelectorAll(".grid [role=gridcell]:not(.tick)")];
        const half = all.length / 2;
        const range = document.createRange();
        range.setStart(all[half - 1], 0);
        range.setEnd(all[half], all[half].childNodes.length);
        getSelection().removeAllRanges();
        getSelection().addRange(range);
        const options = { clipboardData: data, bubbles: true, cancelable: true };
        all[half].dispatchEvent(new ClipboardEvent("copy", options));
        return data.getData("text/plain");
      })()`,
    );
    const [first, second] = copied.split("\n");
    assert.match(first, /^\t\t[\d,]+$/, "the points of the first row, in the third column");
    assert.equal(second, "sweep/2");
  });

  test("rows and folders are dragged onto folders, and a new one is made", async () => {
    const { page } = await open("?q=slug = drag");
    await page.getByRole("link", { name: "drag" }).waitFor();
    await page.getByRole("button", { name: "+ folder" }).click();
    await page.getByLabel("Name of the new folder").fill("made here");
    await page.keyboard.press("Enter");
    const made = page.getByRole("treeitem", { name: /^made here/ });
    await page.locator(".line .tick").first().dragTo(made);
    await page.getByText("1 experiment was moved to made here.").waitFor();
    const folder = (await client.experiment({ experimentSlug: "drag" })).folderId;
    assert.equal(folder, await folderId(client, "made here"));
    await made.dragTo(page.getByRole("treeitem", { name: /^keyed/ }));
    await page.getByText("The folder was moved to keyed.").waitFor();
    const tree = await client.folders.tree();
    const keyed = tree.folders.find(({ name }) => name === "keyed")!;
    assert.deepEqual(
      keyed.folders.map(({ name }) => name),
      ["made here"],
    );
  });

  test("the rows are saved as CSV, all of them, and as Parquet", async () => {
    const { page } = await open("?folder=" + (await folderId(client, "many")));
    await page.getByText("3,000 found", { exact: true }).waitFor();
    const download = page.waitForEvent("download");
    await page.getByRole("link", { name: "CSV" }).click();
    const text = await readFile(await (await download).path(), "utf8");
    assert.equal(text.trimEnd().split("\n").length, manyRuns + 1);
    const file = page.waitForEvent("download");
    await page.getByLabel("Parquet of all results").click();
    await page.getByRole("link", { name: "experiments with meta" }).click();
    const bytes = await readFile(await (await file).path());
    const { num_rows: rows } = parquetMetadata(new Uint8Array(bytes).buffer);
    assert.equal(Number(rows), manyRuns);
  });

  test("slugs of what is ticked are copied", async () => {
    const { page } = await open("?q=folder = sweep&sort=slug", {
      permissions: ["clipboard-read", "clipboard-write"],
    });
    const tick = (slug: string) => page.getByRole("checkbox", { name: `tick ${slug}` });
    await tick("sweep/1").click();
    await tick("sweep/3").click({ modifiers: ["Shift"] });
    // A box says what its row does.
    for (const slug of ["sweep/1", "sweep/2", "sweep/3"]) assert.ok(await tick(slug).isChecked());
    await page.getByLabel("More actions").click();
    await page.getByRole("button", { name: "copy slugs" }).click();
    await page.getByText("3 slugs copied").waitFor();
    // The acts and what they told are one row.
    for (const width of [1_440, 1_280]) {
      await page.setViewportSize({ width, height: 900 });
      const height = await page.locator(".foot").evaluate((foot) => foot.clientHeight);
      assert.ok(height < 40, `${width}: ${height}`);
    }
    const text = () => page.evaluate<string>("navigator.clipboard.readText()");
    assert.equal(await text(), "sweep/1\nsweep/2\nsweep/3");
    // A spreadsheet takes whole rows, with heads.
    await page.goto(`${page.url()}&cols=meta.lr, status`);
    await page.getByLabel("More actions").click();
    await page.getByRole("button", { name: "copy rows" }).click();
    await page.getByText("3 rows copied").waitFor();
    const [heads, ...rows] = (await text()).split("\n").map((line) => line.split("\t"));
    assert.deepEqual(heads, ["name", "slug", "meta.lr", "status"]);
    assert.deepEqual(
      rows.map(([, slug]) => slug),
      ["sweep/1", "sweep/2", "sweep/3"],
    );
    assert.ok(
      rows.every((cells) => cells.length === 4 && cells[3] === "done"),
      String(rows),
    );
  });

  test("what comes meanwhile is a button, and no row jumps", async () => {
    const { page } = await open("?q=slug ~ later/");
    await page.getByText("1 found", { exact: true }).waitFor();
    await client.openExperiment({ slug: "later/2", description: "", meta: {} });
    const button = page.getByRole("button", { name: "1 new" });
    await button.waitFor();
    assert.deepEqual(await names(page), ["later/1"]);
    await button.click();
    await page.getByText("2 found", { exact: true }).waitFor();
    assert.deepEqual(await names(page), ["later/2", "later/1"]);
  });

  test("rows on screen follow what happens where they stand", async () => {
    const recorder = await client.record({ slug: "following/b" });
    await client.openExperiment({ slug: "following/a", description: "", meta: {} });
    recorder.record("loss", 1, 0);
    await recorder.flush();
    const { page } = await open("?q=slug ~ following/&sort=points desc&cols=status,points");
    await page.getByText("2 found", { exact: true }).waitFor();
    for (let step = 1; step <= 41; step++) recorder.record("loss", 1, step);
    await recorder.flush();
    await page.getByRole("gridcell", { name: "42", exact: true }).waitFor();
    await recorder.finish({ error: "out of memory" });
    await page.getByText("error", { exact: true }).waitFor();
    await page.getByText("out of memory").first().waitFor();
    assert.deepEqual(await names(page), ["following/b", "following/a"]);
  });

  test("what people wrote is text, whatever it looks like", async () => {
    const { page, seen } = await open("?q=slug ~ evil");
    await page.getByRole("link", { name: "<img" }).waitFor();
    await page.getByRole("treeitem", { name: /^<img/ }).waitFor();
    await page.getByRole("button", { name: "columns", exact: true }).click();
    await page.getByLabel("Search columns").fill("onerror");
    await page.getByRole("button", { name: "as a column" }).first().click();
    await page.getByRole("button", { name: "Close" }).click();
    await page.getByRole("gridcell", { name: "<script>" }).waitFor();
    assert.equal(await page.locator("img, script:not([src])").count(), 0);
    assert.equal(await page.title(), "Experiments · Lossless");
    assert.deepEqual(seen.problems, []);
    assert.deepEqual([...seen.origins], [new URL(service.baseUrl).origin]);
  });

  test("on a phone the page is as wide as the screen, and the folders are behind a button", async () => {
    const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
    const { page } = await open("", phone);
    assert.equal(await page.evaluate("document.documentElement.scrollWidth"), 390);
    await page.getByRole("button", { name: "All folders" }).tap();
    await page.getByRole("treeitem", { name: /^sweep/ }).tap();
    await page.getByText("5 found", { exact: true }).waitFor();
    assert.equal(await page.getByRole("tree").isVisible(), false);
    await page.getByRole("link", { name: "sweep/1" }).tap();
    await page.getByRole("heading", { name: "sweep/1", level: 1 }).waitFor();
  });
});

/** Clicks on the pages that are opened from now on, on each from its beginning. */
async function countClicks(page: Page): Promise<void> {
  const counted = "window.clicks = 0; addEventListener('click', () => window.clicks++, true);";
  await page.addInitScript(counted);
}

async function clicks(page: Page): Promise<number> {
  return (await page.evaluate("window.clicks")) as number;
}

async function topRow(page: Page, name: string): Promise<void> {
  await page.locator(`.line:first-child a[aria-label="${name}"]`).waitFor();
}

/** The names of the rows that are drawn, from the top. */
async function names(page: Page): Promise<string[]> {
  const links = await page.locator(".line a").all();
  return Promise.all(links.map(async (link) => (await link.getAttribute("aria-label"))!));
}

async function folderId(client: LosslessClient, name: string): Promise<string> {
  return (await client.folders.ensure([name]))!;
}

/** A sweep of five, many without content, and what single tests need. */
async function fill(client: LosslessClient): Promise<void> {
  const sweep = await folderId(client, "sweep");
  for (let seed = 0; seed < 4; seed++) {
    const meta = { lr: seed / 100, gpus: 8, optimizer: { name: seed % 2 ? "muon" : "soap" } };
    const recorder = await client.record({ slug: `sweep/${seed}`, meta, folderId: sweep });
    for (let step = 0; step < 50; step++)
      recorder.record("val/loss", 4 - seed + 1 / (1 + step), step);
    await recorder.finish();
  }
  const live = await client.record({ slug: "sweep/live", meta: { gpus: 8 }, folderId: sweep });
  live.record("loss", 1, 1);
  await live.flush();
  await folderId(client, "keyed");
  const evil = await folderId(client, hostile);
  const meta = { "onerror<img>": "<script>alert(1)</script>" };
  await client.openExperiment({
    slug: `${hostile} evil`,
    description: hostile,
    meta,
    folderId: evil,
  });
  for (const slug of ["key/0", "key/1", "key/2", "key/3", "drag", "later/1", "a/concat"])
    await client.openExperiment({
      slug,
      description: "",
      meta: { lr: slug === "a/concat" ? 1 : 0 },
    });
  const many = await folderId(client, "many");
  const open = (slug: string) =>
    client.openExperiment({ slug, description: "", meta: {}, folderId: many });
  // The one opened first, and so the last in the table, is known.
  await open("many/0");
  for (let from = 1; from < manyRuns; from += 50) {
    const length = Math.min(50, manyRuns - from);
    await Promise.all(Array.from({ length }, (_, at) => open(`many/${from + at}`)));
  }
  await counted(client);
}
