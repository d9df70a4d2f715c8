import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { before, test } from "node:test";
import type { LosslessClient } from "@lossless/client";
import type { Page } from "playwright-core";
import { type Seen, withoutGone } from "./new-page.ts";
import { pagesSuite } from "./pages-suite.ts";
import { pngOf, pushVersions, step } from "./pushed-artifacts.ts";

pagesSuite("the pages of artifacts", (pages) => {
  const { service } = pages;
  let client: LosslessClient;

  before(() => {
    ({ client } = pages);
  });

  const open = (path: string, person: "ada" | "rita" = "ada") => pages.open(path, { person });
  const isClean = (seen: Seen) => {
    assert.deepEqual(seen.problems, []);
    assert.deepEqual([...seen.origins], [new URL(service.baseUrl).origin]);
  };

  test("nothing was pushed: how to, and the list as soon as something comes", async () => {
    const { page, seen } = await open("/artifacts");
    await page.getByRole("heading", { name: "Push your first artifact" }).waitFor();
    await page.getByRole("button", { name: "Create an API key" }).click();
    await page.getByText(/LOSSLESS_API_KEY=ak_\w{30,}/).waitFor();
    await pushVersions(client, "first", [{ name: "1", files: { a: "b" } }]);
    await page.getByRole("link", { name: "first", exact: true }).waitFor();
    isClean(seen);
  });

  test("folders are walked into and back, searched, and put in order of their commits", async () => {
    for (const name of ["walk/b/model", "walk/a", "walk/b/tokens"])
      await pushVersions(client, name, [{ name: "1", files: { a: "b" } }]);
    const { page, seen } = await open("/artifacts");
    await page.getByRole("link", { name: "walk/" }).click();
    await page.getByRole("link", { name: "a", exact: true }).waitFor();
    await page.getByRole("link", { name: "b/" }).click();
    await page.waitForURL(/under=walk%2Fb%2F/);
    await page.getByText("2 artifacts, 2 versions, 2 B").waitFor();
    await page.getByLabel("Search paths").fill("TOK");
    await page.waitForURL(/q=TOK/);
    await page.getByText("1 artifact, 1 version, 1 B").waitFor();
    await page.reload();
    await page.getByText("1 artifact, 1 version, 1 B").waitFor();
    const above = page.getByRole("navigation", { name: "Folders above" });
    await above.getByRole("link", { name: "walk" }).click();
    await page.getByRole("button", { name: "last commit" }).click();
    await page.waitForURL(/sort=newest/);
    await page.getByRole("link", { name: "b/tokens" }).waitFor();
    const names = await page.getByRole("rowheader").allInnerTexts();
    assert.deepEqual(names, ["b/tokens", "a", "b/model"]);
    await page.goBack();
    await page.getByRole("link", { name: "b/" }).waitFor();
    isClean(seen);
  });

  test("a letter that is typed while the search is sent is not lost", async () => {
    await pushVersions(client, "letters/abc", [{ name: "1", files: { a: "b" } }]);
    const { page } = await open("/artifacts");
    await page.getByLabel("Search paths").waitFor();
    // At the very moment when the address changes, before the page has drawn that.
    await page.evaluate(`{
      const replace = history.replaceState.bind(history);
      history.replaceState = (...change) => {
        replace(...change);
        history.replaceState = replace;
        const field = document.querySelector("input[type=search]");
        field.value = "letters/abc";
        field.dispatchEvent(new InputEvent("input", { bubbles: true }));
      };
    }`);
    await page.getByLabel("Search paths").fill("letters");
    await page.waitForURL(/q=letters%2Fabc/);
    assert.equal(await page.getByLabel("Search paths").inputValue(), "letters/abc");
    await page.getByText("1 artifact, 1 version, 1 B").waitFor();
  });

  test("a version shows what was pushed, and its bytes come down as they were", async () => {
    const weights = Buffer.from(Array.from({ length: 70_000 }, (_, at) => (at * 31) % 256));
    const config = '{"lr": 1.0, "seed": 12345678901234567890, "deep": {"list": [1, 2]}}';
    await pushVersions(client, "seen/model", [
      { name: step(1), files: { "config.json": "{}", "old.txt": "old", same: "same" } },
      {
        name: step(2),
        files: {
          "config.json": config,
          "net/weights.bin": weights,
          "eval/plot.png": pngOf(48, 32),
          "eval/scores.csv": 'task,accuracy\n"a, b",0.5\n',
          same: "same",
        },
        meta: { loss: 0.25, tags: { best: true } },
      },
    ]);
    const { page, seen } = await open("/artifacts?under=seen%2F");
    await page.getByRole("link", { name: "model", exact: true }).click();
    await page.getByRole("heading", { name: "seen/model", level: 1 }).waitFor();
    await page.getByText("lossless pull seen/model --version 000000000002").waitFor();
    await page.getByText("0.25").waitFor();
    await page.getByRole("button", { name: "Python" }).click();
    await page.getByText(`url="${service.baseUrl}"`).waitFor();
    const file = (name: string) => page.getByRole("treeitem", { name });
    // JSON gets lines, and its numbers stay as they were written.
    await file("config.json").click();
    await page.getByText('"seed": 12345678901234567890,').waitFor();
    assert.match(await page.locator(".looked-at pre").innerText(), /\n {2}"lr": 1\.0,\n/);
    await file("scores.csv").click();
    await page.getByRole("cell", { name: "a, b" }).waitFor();
    await file("plot.png").click();
    await page.getByText("48 × 32 pixels").waitFor();
    const width = await page.evaluate(
      'document.querySelector(".looked-at img").decode().then(() => document.querySelector(".looked-at img").naturalWidth)',
    );
    assert.equal(width, 48);
    await file("weights.bin").click();
    await page.getByText("This file is not text").waitFor();
    const [saved] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "download", exact: true }).click(),
    ]);
    assert.equal(saved.suggestedFilename(), "weights.bin");
    assert.ok((await readFile(await saved.path())).equals(weights));
    // The address says which file is shown, of which version.
    await page.reload();
    await page.getByText("This file is not text").waitFor();
    await page.getByRole("button", { name: "compare files" }).click();
    await page.getByText("Compared with 000000000001: 5 files differ, 1 is the same.").waitFor();
    const changes = await page.locator(".changed-files li").allInnerTexts();
    assert.deepEqual(
      changes.map((line) => line.split("\n").slice(0, 3).join(" ")),
      [
        "≠ config.json changed",
        "+ eval/plot.png added",
        "+ eval/scores.csv added",
        "+ net/weights.bin added",
        "− old.txt removed",
      ],
    );
    await page.getByRole("link", { name: step(1) }).click();
    await page.getByRole("heading", { name: step(1) }).waitFor();
    await file("old.txt").click();
    await page.getByText("old", { exact: true }).waitFor();
    isClean(seen);
  });

  test("an upload under way is seen, with its age and what it means, until it is committed", async () => {
    const place = { cloud: "here", region: "there", source: "node-3" };
    const { epoch } = await client.artifacts.open("pending/model", { mode: "new", place });
    const body = { epoch, place, files: [{ name: "a", size: 1_000_000 }], meta: {} };
    await client.artifacts.begin("pending/model", "1", body);
    await client.artifacts.writeNote("pending/model", "eval.json", "{}");
    const { page, seen } = await open("/artifact?name=pending%2Fmodel");
    await page.getByText("1 upload in progress").waitFor();
    await page.getByText("1 file, 1.0 MB to built-in").waitFor();
    await page.getByText("0 B of 1.0 MB uploaded").waitFor();
    await page.getByText(/started .* ago by node-3/).waitFor();
    await page.getByText(/none was committed yet/).waitFor();
    const [saved] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Save eval.json" }).click(),
    ]);
    assert.equal(await readFile(await saved.path(), "utf8"), "{}");
    await client.artifacts.open("pending/model", { mode: "new", place });
    await page.getByText("1 upload in progress").waitFor({ state: "detached" });
    await page.getByText(/epoch 2/).waitFor();
    assert.deepEqual(withoutGone(seen), []);
  });

  test("what somebody put into a file is shown and never run", async () => {
    const script = "<script>window.hacked=1</script>";
    const svg = `<svg xmlns="http://www.w3.org/2000/svg" onload="window.hacked=1">${script}</svg>`;
    const files = {
      "page.txt": `<html>${script}<img src="https://evil.example/x" onerror="window.hacked=1">`,
      "page.html": script,
      "plot.svg": svg,
      "really.png": svg,
      "polyglot.js": Buffer.from("GIF89a/*\x01\0*/=1;window.hacked=1//", "latin1"),
      "huge.png": Buffer.concat([
        pngOf(2, 2).subarray(0, 16),
        Buffer.from([0, 1, 0, 0, 0, 1, 0, 0]),
      ]),
      "cells.csv": `${script},=cmd|' /C calc'!B\n1,2`,
      '"><img src=x onerror=window.hacked=1>.txt': "named",
      "many.json": `[${"1,".repeat(2_000_000)}1]`,
    };
    await pushVersions(client, `<b onclick=x>/${"x".repeat(200)}`, [
      { name: "1", files, meta: { [script]: svg, __proto__x: script } },
    ]);
    const name = encodeURIComponent(`<b onclick=x>/${"x".repeat(200)}`);
    const { page, seen } = await open(`/artifact?name=${name}`);
    const shows: Record<string, RegExp> = {
      "page.txt": /<img src="https:\/\/evil/,
      "page.html": /window\.hacked=1/,
      "plot.svg": /<svg xmlns/,
      "really.png": /<svg xmlns/,
      "polyglot.js": /The browser cannot show|\d pixels/,
      "huge.png": /The size of this picture is 65536 × 65536 pixels\. Pictures are shown up to/,
      "cells.csv": /window\.hacked=1/,
      "onerror=window.hacked=1>.txt": /named/,
      "many.json": /Showing the first 262 kB of 4\.0 MB\. Download the file for the rest\./,
    };
    for (const [file, words] of Object.entries(shows)) {
      await page.getByRole("treeitem", { name: file }).click();
      await page.locator(".looked-at").getByText(words).first().waitFor();
    }
    for (const viewport of [
      { width: 1_280, height: 800 },
      { width: 390, height: 844 },
    ]) {
      await page.setViewportSize(viewport);
      const found = await page.evaluate(`({
        hacked: "hacked" in window,
        made: document.querySelectorAll("iframe, object, embed, #app script, #app svg[onload]").length,
        wide: Math.max(0, document.documentElement.scrollWidth - innerWidth),
      })`);
      assert.deepEqual(found, { hacked: false, made: 0, wide: 0 });
    }
    isClean(seen);
    // Opened by itself, an address of a file is a download whatever is in it.
    const address = await client.views.fileAddress({
      artifact: `<b onclick=x>/${"x".repeat(200)}`,
      version: "1",
      file: "page.html",
    });
    const reply = await fetch(address.url);
    assert.equal(reply.headers.get("content-type"), "application/octet-stream");
    assert.equal(reply.headers.get("content-disposition"), "attachment; filename=page.html");
    assert.equal(reply.headers.get("x-content-type-options"), "nosniff");
    assert.match(reply.headers.get("content-security-policy")!, /^sandbox; default-src 'none'/);
  });

  test("thousands of files are one scrollbar, walked with keys alone", async () => {
    const files = Object.fromEntries(
      Array.from({ length: 400 }, (_, at) => [`part-${Math.floor(at / 40)}/f${at}`, `${at}`]),
    );
    await pushVersions(client, "keys", [{ name: "1", files }]);
    const { page, seen } = await open("/artifact?name=keys");
    const tree = page.getByRole("tree", { name: /Files/ });
    await tree.waitFor();
    await tabTo(page, 'element.getAttribute("role") === "tree"');
    for (const key of ["End", "ArrowUp", "ArrowRight", "ArrowDown", "ArrowDown", "Enter"])
      await page.keyboard.press(key);
    // The ninth directory is the last but one; its second file is the 322nd of all.
    await page.getByRole("region", { name: "File part-8/f321" }).waitFor();
    await page.getByText("321", { exact: true }).waitFor();
    assert.equal(new URL(page.url()).searchParams.get("file"), "part-8/f321");
    const [saved] = await Promise.all([page.waitForEvent("download"), page.keyboard.press("d")]);
    assert.equal(await readFile(await saved.path(), "utf8"), "321");
    await page.keyboard.press("ArrowLeft");
    await page.keyboard.press("ArrowLeft");
    await page.getByRole("treeitem", { name: "f321" }).waitFor({ state: "detached" });
    await page.getByLabel("Search files").fill("f39");
    assert.equal(await page.getByRole("treeitem").count(), 11);
    isClean(seen);
  });

  test("question 13: from the diamond below a chart to the version, and back to its step", async () => {
    const run = await client.record({ slug: "walked/run", meta: {} });
    // Its start comes after all of them, so that it has no place beside a version.
    const beforeMs = Date.now() - 60_000;
    for (let at = 0; at < 10_000; at += 10)
      run.record("loss", 1 / (1 + at), at, { timestampMs: beforeMs + at });
    await run.finish();
    const meta = { experiment: "walked/run", step: 5_000 };
    await pushVersions(client, "walked/model", [
      { name: step(5_000), files: { a: "weights" }, meta },
      { name: step(9_000), files: { a: "weights" }, meta: { ...meta, step: 9_000 } },
    ]);
    await client.artifacts.setAlias("walked/model", "kept", step(5_000));
    const { page, seen } = await open(`/experiments/${run.experimentId}?tab=charts`);
    const diamond = page.getByRole("button", {
      name: /version 0+5000 of walked\/model at step 5,000/,
    });
    await diamond.click();
    const card = page.getByRole("group", { name: "Marks at this place" });
    await card.getByText("lossless pull walked/model --version 000000005000").waitFor();
    await card.getByText("7 B in 1 file", { exact: true }).waitFor();
    await card.getByRole("link", { name: "open" }).focus();
    await page.keyboard.press("Escape");
    await card.waitFor({ state: "detached" });
    await diamond.click();
    await card.getByRole("link", { name: "open" }).click();
    await page.getByRole("heading", { name: step(5_000) }).waitFor();
    await page.getByRole("link", { name: "at step 5,000" }).click();
    await page.waitForURL(/r=4500%7E5500/);
    await page.getByText(/^10\d points, not sampled/).waitFor();
    await page.getByRole("button", { name: "artifacts (2)" }).click();
    const rows = page.locator(".written-versions li");
    const said = (await rows.first().innerText()).replaceAll("\n", " ");
    assert.match(said, /^0+9000 step 9,000 .*7 B in 1 file .* ago copy pull command$/);
    await page.getByRole("heading", { name: "walked/model", exact: true }).waitFor();
    const copy = await rows.first().getByRole("button").getAttribute("title");
    assert.equal(copy, "lossless pull walked/model --version 000000009000");
    // The loss at the step of each, of which the least is marked.
    const of = page.getByLabel("value at the step");
    assert.equal(await of.inputValue(), "loss");
    await rows.first().getByText("0.000111099").waitFor();
    await rows.first().getByRole("img", { name: "best" }).waitFor();
    await rows.nth(1).getByText("0.000199960").waitFor();
    await rows.nth(1).getByText("@kept").waitFor();
    assert.equal(await rows.getByRole("img", { name: "best" }).count(), 1);
    await rows.getByRole("link", { name: step(5_000) }).click();
    await page.getByRole("heading", { name: step(5_000) }).waitFor();
    isClean(seen);
  });

  test("another organization's artifact is not there", async () => {
    await pushVersions(client, "private", [{ name: "1", files: { a: "b" } }]);
    const { page } = await open("/artifact?name=private", "rita");
    await page.getByText(/There is no such artifact/).waitFor();
  });
});

/** Presses Tab until the element that has the keyboard is the wanted one. */
async function tabTo(page: Page, wanted: string): Promise<void> {
  for (let presses = 0; presses < 100; presses++) {
    await page.keyboard.press("Tab");
    const isThere = await page.evaluate(`((element) => ${wanted})(document.activeElement)`);
    if (isThere === true) return;
  }
  assert.fail(`no element with the keyboard is ${wanted}`);
}
