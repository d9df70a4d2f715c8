import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { before, test } from "node:test";
import type { LosslessClient, ReportBlock } from "@lossless/client";
import type { Locator, Page } from "playwright-core";
import { suiteDirectory } from "../suite-service.ts";
import { faultsInAllLooks } from "./axe.ts";
import { logAllKinds, type LoggedRun } from "./logged-run.ts";
import { pagesSuite } from "./pages-suite.ts";
import { pngFile } from "./png-file.ts";
import { untilTrue } from "./until.ts";

pagesSuite("a report is written in its place", (pages) => {
  let max: LosslessClient;
  const runs: LoggedRun[] = [];

  before(async () => {
    const { client, service } = pages;
    for (const [slug, opt] of [
      ["adam-1", "adam"],
      ["adam-2", "adam"],
      ["sgd-1", "sgd"],
    ] as const) {
      const recorder = await client.record({ slug, meta: { opt, _tags: ["sweep", "baseline"] } });
      for (let step = 0; step < 50; step++) recorder.record("val/loss", 1 / (1 + step), step);
      await recorder.finish();
    }
    for (const slug of ["pictured-1", "pictured-2", "pictured-3"])
      runs.push(await logAllKinds(client, service.baseUrl, slug));
    max = await pages.clientOf("max");
  });

  const button = (page: Page | Locator, name: string | RegExp) =>
    page.getByRole("button", { name, exact: typeof name === "string" });
  const source = (page: Page) => page.getByLabel("Text, in Markdown");
  const own = (page: Page) => page.locator("img.own");

  async function edited(name: string, blocks: ReportBlock[]): Promise<{ page: Page; id: string }> {
    const { id } = await max.reports.create({ name, scope: "shared", blocks });
    const { page } = await pages.open(`/reports/${id}`, { person: "max" });
    await button(page, "Edit").click();
    await button(page, "Save").waitFor();
    return { page, id };
  }

  async function blocksAfterSaving(page: Page, id: string) {
    await button(page, "Save").click();
    await button(page, "Edit").waitFor();
    return (await max.reports.read(id)).blocks;
  }

  const text = (markdown: string): ReportBlock => ({ kind: "text", markdown });
  const png = pngFile({
    width: 40,
    height: 30,
    kind: 2,
    rows: Buffer.concat(
      Array.from({ length: 30 }, () => Buffer.concat([Buffer.alloc(1), Buffer.alloc(120, 0x7f)])),
    ),
  });

  /** Pastes or drops a file where a person would. */
  const give = (at: Locator, kind: "paste" | "drop", name: string, bytes: Buffer, type: string) =>
    at.evaluate(
      (element, [event, fileName, base64, mediaType]) => {
        const scope = globalThis as unknown as Record<string, new (...args: unknown[]) => object>;
        const data = new scope.DataTransfer() as { items: { add: (file: object) => void } };
        const content = Uint8Array.from(atob(base64), (sign) => sign.charCodeAt(0));
        data.items.add(new scope.File([content], fileName, { type: mediaType }));
        const made =
          event === "paste"
            ? new scope.ClipboardEvent(event, {
                clipboardData: data,
                bubbles: true,
                cancelable: true,
              })
            : new scope.DragEvent(event, { dataTransfer: data, bubbles: true, cancelable: true });
        (element as unknown as { dispatchEvent: (event: object) => void }).dispatchEvent(made);
      },
      [kind, name, bytes.toString("base64"), type] as const,
    );

  test("a click turns a text into its source where it stands, at the words that were clicked", async () => {
    const { page, id } = await edited("In place", [
      text("# First\n\nThe **loss** falls."),
      text("Second one."),
    ]);
    const first = page.getByRole("region", { name: "Block 1, text" });
    const room = (await first.boundingBox())!;
    await first.getByText("falls.").click();
    await source(page).and(page.locator(":focus")).waitFor();
    const place = await source(page).evaluate((field) => {
      const { selectionStart, value } = field as unknown as Record<string, never>;
      return (value as string).slice(Math.max(0, (selectionStart as number) - 8));
    });
    assert.match(place, /falls\.$/);
    const opened = (await source(page).boundingBox())!;
    assert.equal(opened.width, room.width);
    assert.ok(Math.abs(opened.y - room.y) < 2);
    // As high as its content.
    await source(page).press("End");
    await source(page).pressSequentially("\n\nMore\n\n- of it");
    assert.ok((await source(page).boundingBox())!.height > opened.height + 40);
    await first.getByRole("heading").waitFor({ state: "detached" });
    // A click on another text draws this one, and opens that one.
    await page.getByText("Second one.").click();
    await first.getByRole("heading", { name: "First" }).waitFor();
    await first.getByRole("listitem").filter({ hasText: "of it" }).waitFor();
    assert.equal(await source(page).inputValue(), "Second one.");
    // So does the Tab key.
    await source(page).fill("Second.");
    for (let tab = 0; tab < 3 && (await source(page).count()) > 0; tab++)
      await page.keyboard.press("Tab");
    await page.getByText("Second.", { exact: true }).waitFor();
    await button(page, "Write: Block 2, text").focus();
    await page.keyboard.press("Enter");
    await source(page).press("Control+Enter");
    await button(page, "Write: Block 2, text").and(page.locator(":focus")).waitFor();
    const blocks = await blocksAfterSaving(page, id);
    assert.deepEqual(blocks, [
      text("# First\n\nThe **loss** falls.\n\nMore\n\n- of it"),
      text("Second."),
    ]);
  });

  test("blocks are added between others, moved by a handle and taken back", async () => {
    const { page, id } = await edited("Ordered", [text("one"), text("two"), text("three")]);
    const words = () => page.locator(".edited .prose").allInnerTexts();
    await page.getByLabel("Add before: Block 2, text").click();
    await button(page, "text").click();
    await source(page).fill("between");
    await source(page).press("Escape");
    assert.deepEqual(await words(), ["one", "between", "two", "three"]);
    await button(page, "Move: Block 2, text").focus();
    await page.keyboard.press("ArrowDown");
    await button(page, "Move: Block 3, text").and(page.locator(":focus")).waitFor();
    assert.deepEqual(await words(), ["one", "two", "between", "three"]);
    const handle = button(page, "Move: Block 4, text");
    await page.getByText("three").hover();
    await handle.hover();
    await page.mouse.down();
    const over = (await page.getByText("one", { exact: true }).boundingBox())!;
    await page.mouse.move(over.x + 5, over.y + 2, { steps: 4 });
    await page.mouse.up();
    await untilTrue(page, `document.querySelector(".edited .prose").innerText === "three"`);
    await button(page, "Remove: Block 1, text").click();
    assert.deepEqual(await words(), ["one", "two", "between"]);
    // Ctrl and Z takes back step by step, where no field has it.
    await page.keyboard.press("Control+z");
    assert.deepEqual(await words(), ["three", "one", "two", "between"]);
    await button(page, "Undo").click();
    assert.deepEqual(await words(), ["one", "two", "between", "three"]);
    await page.keyboard.press("Control+Shift+Z");
    assert.deepEqual(await words(), ["three", "one", "two", "between"]);
    await button(page, "Redo").click();
    assert.deepEqual(await words(), ["one", "two", "between"]);
    for (let step = 0; step < 2; step++) await button(page, "Undo").click();
    assert.deepEqual(await words(), ["one", "two", "between", "three"]);
    await page.getByLabel("Name of the report").fill("Ordered anew");
    const blocks = await blocksAfterSaving(page, id);
    assert.equal(blocks.length, 4);
    await page.getByRole("heading", { name: "Ordered anew" }).waitFor();
  });

  test("what was not saved is back after a reload, until it is discarded or left", async () => {
    const { page } = await edited("Reloaded", [text("as it was")]);
    page.on("dialog", (dialog) => void dialog.accept());
    await page.getByText("as it was").click();
    await source(page).fill("written since");
    await page.getByText("unsaved changes").waitFor();
    await page.reload();
    await page.getByText("What you wrote here and did not save is back.").waitFor();
    await page.locator(".prose", { hasText: "written since" }).waitFor();
    await button(page, "Discard it").click();
    await page.locator(".prose", { hasText: "as it was" }).waitFor();
    assert.equal(await page.getByText("unsaved changes").count(), 0);
    await page.getByText("as it was").click();
    await source(page).fill("written and left");
    await button(page, "Cancel").click();
    await page.getByRole("dialog").getByRole("button", { name: "Leave" }).click();
    await button(page, "Edit").click();
    await page.locator(".edited .prose", { hasText: "as it was" }).waitFor();
  });

  test("a picture that is pasted behind a table is below it, and no cell", async () => {
    const table = "| lr | loss |\n|---|---|\n| 0.1 | 2 |";
    const { page } = await edited("Behind a table", [text(table)]);
    await page.getByRole("cell", { name: "0.1" }).click();
    await source(page).press("ControlOrMeta+End");
    await source(page).press("Enter");
    await give(source(page), "paste", "image.png", png, "image/png");
    await untilTrue(
      page,
      `/^.*\\|\\n\\n!\\[picture\\]\\(picture:[0-9a-f]{32}\\)$/s.test(
        document.querySelector(".text-source textarea").value)`,
    );
    await source(page).press("Escape");
    await own(page).waitFor();
    assert.equal(await page.getByRole("cell").count(), 2);
  });

  test("a picture is pasted, dropped and chosen; readers and guests see it, and so does a file", async () => {
    const { page, id } = await edited("Pictured", [text("Before. Behind.")]);
    await page.getByText("Before.").click();
    await source(page).press("Home");
    for (const _ of "Before. ") await page.keyboard.press("ArrowRight");
    await give(source(page), "paste", "image.png", png, "image/png");
    await untilTrue(
      page,
      `/picture:[0-9a-f]{32}/.test(document.querySelector(".text-source textarea").value)`,
    );
    await page.keyboard.type(" more");
    assert.match(
      await source(page).inputValue(),
      /^Before\. !\[picture\]\(picture:[0-9a-f]{32}\) moreBehind\.$/,
    );
    await source(page).press("Escape");
    await own(page).waitFor();
    const gif = Buffer.from("GIF89a\x01\x00\x01\x00\x00\x00\x00;", "latin1");
    await give(
      page.getByRole("region", { name: "Block 1, text" }),
      "drop",
      "loss curve.gif",
      gif,
      "image/gif",
    );
    await page.getByRole("img", { name: "loss curve" }).waitFor();
    await page.getByText("Before.").click();
    await page.locator("input[type=file]").setInputFiles({
      name: "chosen.png",
      mimeType: "image/png",
      buffer: pngFile({ width: 1, height: 1, kind: 2, rows: Buffer.alloc(4) }),
    });
    await untilTrue(
      page,
      `document.querySelector(".text-source textarea").value.includes("![chosen](picture:")`,
    );
    // A file that only says that it is a picture is refused, and leaves the text as it was.
    const before = await source(page).inputValue();
    await give(source(page), "paste", "bad.png", Buffer.from("<svg/>"), "image/png");
    await page.getByRole("alert").filter({ hasText: "bad.png: This is no picture" }).waitFor();
    await untilTrue(
      page,
      `!document.querySelector(".text-source textarea").value.includes("sending")`,
    );
    assert.equal(await source(page).inputValue(), before);
    const [block] = await blocksAfterSaving(page, id);
    assert.ok(block.kind === "text");
    await own(page).nth(2).waitFor();
    const isDrawn = `[...document.querySelectorAll("img.own")].every(({ naturalWidth }) => naturalWidth > 0)`;
    await untilTrue(page, isDrawn);

    const saved = page.waitForEvent("download");
    await button(page, "Save as a file").click();
    const path = join(suiteDirectory("report-writing"), "pictured.html");
    await (await saved).saveAs(path);
    assert.ok((await readFile(path, "utf8")).includes(png.toString("base64")));
    const { page: file, seen: inFile } = await pages.newPage({ offline: true });
    await file.goto(`file://${path}`);
    await own(file).nth(2).waitFor();
    await untilTrue(file, isDrawn);
    assert.deepEqual(inFile.problems, []);

    const { address } = await max.guests.create({ name: "shown", reportId: id, days: 1 });
    const { page: guest, seen } = await pages.newPage();
    await guest.goto(address);
    await own(guest).nth(2).waitFor();
    await untilTrue(guest, isDrawn);
    assert.deepEqual(seen.problems, []);
    assert.deepEqual([...seen.origins], [new URL(pages.service.baseUrl).origin]);
  });

  test("saving waits for a picture, and tells of a refused one before the editor closes", async () => {
    const { page, id } = await edited("Refused", [text("words")]);
    const held = Promise.withResolvers<void>();
    await page.route(/report-picture/, async (route) => {
      await held.promise;
      await route.continue();
    });
    await page.getByText("words").click();
    // A drag of words stays the browser's.
    const isLeft = await source(page).evaluate((field) => {
      const scope = globalThis as unknown as Record<string, new (...args: unknown[]) => object>;
      const data = new scope.DataTransfer() as { setData: (type: string, text: string) => void };
      data.setData("text/plain", "dragged");
      const asked = { dataTransfer: data, bubbles: true, cancelable: true };
      const target = field as unknown as { dispatchEvent: (event: object) => boolean };
      return target.dispatchEvent(new scope.DragEvent("drop", asked));
    });
    assert.equal(isLeft, true);
    await give(source(page), "paste", "bad.png", Buffer.from("<svg/>"), "image/png");
    await button(page, "Save").click();
    held.resolve();
    await page.getByRole("alert").filter({ hasText: "bad.png: This is no picture" }).waitFor();
    assert.deepEqual(await blocksAfterSaving(page, id), [text("words")]);
  });

  test("media follow a query, and say what is not shown", async () => {
    const { page, id } = await edited("Media", []);
    await button(page, "+ media").click();
    await page.getByLabel("Experiments that a query finds").fill("slug ~ pictured*");
    const kinds = page.getByLabel("What they logged");
    const picture = kinds.locator("option", { hasText: "(image)" }).first();
    await picture.waitFor({ state: "attached" });
    await kinds.selectOption(await picture.getAttribute("value"));
    await page.getByLabel("Experiments shown, of those found").fill("2");
    // Typed figures stay while the media below them come.
    await page.locator(".report-media .runs > section").nth(2).waitFor();
    await page.getByLabel("Experiments shown, of those found").blur();
    const said = "the first 2 of 3 experiments · live: experiments found by “slug ~ pictured*”";
    await page.getByText(said).waitFor();
    await page.locator(".report-media .runs > section").nth(1).waitFor();
    // The block is as tall as what it shows, and the place of a picture is there before it.
    const box = await page.locator(".report-media .picture").first().boundingBox();
    assert.ok(box!.height >= 64, `${box!.height}`);
    const scrolled = `[...document.querySelectorAll(".report-media *")].filter((one) =>
      one.scrollHeight > one.clientHeight + 2 && getComputedStyle(one).overflowY !== "visible").length`;
    assert.equal(await page.evaluate(scrolled), 0);
    const [block] = await blocksAfterSaving(page, id);
    assert.ok(block.kind === "media");
    assert.deepEqual(
      [block.query, block.experimentIds, block.limit],
      ["slug ~ pictured*", undefined, 2],
    );
    await page.getByText(said).waitFor();
    assert.equal(await page.locator(".report-media .runs > section").count(), 2);
    // Guests of it see those of the link.
    const body = { name: "media", reportId: id, days: 1, showsFiles: true };
    const { address } = await max.guests.create(body);
    const { page: guest } = await pages.newPage();
    await guest.goto(address);
    await guest.locator(".report-media .picture img").nth(1).waitFor();
  });

  test("a file and paper have media that are far from the screen, too", async () => {
    const media = { kind: "media", query: "slug ~ pictured*", media: "image", name: "samples" };
    const tags = { kind: "table", query: "meta.opt", columns: "tag", sort: "slug", limit: 2 };
    const far = [{ ...media, title: "" }, tags] as ReportBlock[];
    const blocks = [text("line\n\n".repeat(100)), ...far];
    const { id } = await max.reports.create({ name: "Far", scope: "own", blocks });
    const { page } = await pages.open(`/reports/${id}`, { person: "max" });
    const pictures = page.locator(".report-media .picture");
    await pictures.nth(8).waitFor({ state: "attached" });
    const drawn = page.locator(".report-media .picture img");
    assert.equal(await drawn.count(), 0);
    const saved = page.waitForEvent("download");
    await button(page, "Save as a file").click();
    const path = join(suiteDirectory("report-writing"), "far.html");
    await (await saved).saveAs(path);
    await page.getByText(/^Saved, [\d.]+ MB\. The file opens without the service\.$/).waitFor();
    const inFile = (await readFile(path, "utf8")).match(/<img src="data:image/g);
    assert.equal(inFile?.length, await pictures.count());
    // They look as on the page.
    const { page: file, seen } = await pages.newPage({ offline: true });
    await file.goto(`file://${path}`);
    const first = file.locator(".report-media img").first();
    const [own, wanted] = await Promise.all([first.boundingBox(), pictures.first().boundingBox()]);
    assert.equal(own!.width, wanted!.width);
    const [colours, shown] = await Promise.all([file, page].map(coloursOfTags));
    assert.equal(colours.length, 4);
    assert.deepEqual(colours, shown);
    assert.deepEqual(seen.problems, []);
    // They are let go again.
    await drawn.first().waitFor({ state: "detached" });
    await page.evaluate(
      `print = () => { left = document.querySelectorAll(".picture:not(:has(img))").length; }`,
    );
    await page.keyboard.press("Control+p");
    await untilTrue(page, "globalThis.left === 0");
  });

  test("the table makes a report of its query, with fewer clicks than by hand", async () => {
    const { page } = await pages.open("/experiments?q=meta.opt", { person: "max" });
    await page.getByText("3 found").waitFor();
    await page.getByText("val/loss").first().waitFor();
    const clicks = [
      () => button(page, "+ report").click(),
      () => button(page, "Create").click(),
      () => page.locator("figure.chart h3").click(),
      () => page.getByLabel("group by: nothing").click(),
      () =>
        page
          .getByRole("list", { name: "Keys" })
          .getByRole("button", { name: /^meta\.opt/ })
          .click(),
      () => button(page, "Save").click(),
    ];
    for (const click of clicks) await click();
    await button(page, "Edit").waitFor();
    assert.equal(clicks.length, 6);
    const [{ id }] = await max.reports.list();
    const { blocks } = await max.reports.read(id);
    assert.deepEqual(
      blocks.map(({ kind }) => kind),
      ["text", "chart", "table"],
    );
    const [, chart, table] = blocks;
    assert.ok(chart.kind === "chart" && table.kind === "table");
    assert.deepEqual(
      [chart.query, chart.seriesName, chart.view, table.query],
      ["meta.opt", "val/loss", "group=meta.opt", "meta.opt"],
    );
    // Tags of one colour by their names have two.
    assert.equal(new Set(await coloursOfTags(page)).size, 2);
  });

  test("a written report is accessible, in its source and with pictures", async () => {
    const { page } = await edited("Accessible", [text("# A\n\nwords"), text("second")]);
    await page.getByText("words").click();
    await give(source(page), "paste", "image.png", png, "image/png");
    await untilTrue(
      page,
      `/picture:[0-9a-f]{32}/.test(document.querySelector(".text-source textarea").value)`,
    );
    const faults = await faultsInAllLooks(page);
    await source(page).press("Escape");
    await own(page).waitFor();
    faults.push(...(await faultsInAllLooks(page)));
    await button(page, "Save").click();
    await button(page, "Edit").waitFor();
    await own(page).waitFor();
    faults.push(...(await faultsInAllLooks(page)));
    assert.deepEqual(faults, []);
  });
});

/** The colours of all tags of a page, as they are shown. */
async function coloursOfTags(page: Page): Promise<string[]> {
  await page.locator(".tag").first().waitFor();
  return page.evaluate(
    `Array.from(document.querySelectorAll(".tag"), (tag) => getComputedStyle(tag).backgroundColor)`,
  );
}
