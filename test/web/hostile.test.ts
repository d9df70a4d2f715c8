import assert from "node:assert/strict";
import { test } from "node:test";
import type { LosslessClient } from "@lossless/client";
import type { Page } from "playwright-core";
import { tried } from "../every-case.ts";
import type { Seen } from "./new-page.ts";
import { fillPages, wholePages } from "./filled-pages.ts";
import { nameEverything } from "./named-everything.ts";
import { pagesSuite } from "./pages-suite.ts";

/** Hostile texts for names: 200 characters at most. */
const texts: Record<string, string> = {
  "an image that fails": `a <img src="https://evil.example/x" onerror="window.hacked=1"> b`,
  "the end of an attribute": `"'><svg onload=window.hacked=1>&lt;&#60;\`\${window.hacked=1}`,
  "the end of a script": `</script><script>window.hacked=1</script><!--`,
  "an address": "javascript:window.hacked=1//https://evil.example/../../sign-out?a=1#b",
  "another direction": "left \u202Egnp.exe\u2066 right \u0627\u0644\u0639\u0631\u0628\u064A\u0629",
  "one long word": "x".repeat(200),
  "people and flags": "👩‍👩‍👧‍👦🏳️‍🌈".repeat(10),
  "marks upon marks": `Z${"\u0301\u0316\u0330".repeat(60)}`,
  "names of objects": "__proto__",
  "what is nearly nothing": "a\u2028\u2400\u200B\uFEFF\u00AD",
};

/** Names of everything are all of the texts in any run. */
const daily = new Set(["an image that fails", "another direction", "one long word"]);

pagesSuite("what people wrote is text, on every page", (pages) => {
  const { service } = pages;
  const pageByPage = tried(Object.entries(texts), ([name]) => daily.has(name));
  for (const [name, text] of pageByPage) {
    test(name, async () => {
      const experimentId = await write(pages.client, text);
      const { page, seen } = await pages.signedIn({ viewport: { width: 1_000, height: 800 } });
      page.on("dialog", (dialog) => void dialog.dismiss());
      await page.goto(`${service.baseUrl}/experiments`);
      await page.getByText(beginOf(text)).first().waitFor();
      await isText(page, seen);
      await page.goto(`${service.baseUrl}/experiments?q=${encodeURIComponent(text)}`);
      await page.getByRole("main").waitFor();
      await isText(page, seen);
      for (const tab of ["overview", "charts", "console", "meta", "annotations"]) {
        await page.goto(`${service.baseUrl}/experiments/${experimentId}?tab=${tab}`);
        await page.getByRole("heading", { level: 1 }).waitFor();
        if (tab === "charts")
          await page
            .getByText(/points?, not sampled/)
            .first()
            .waitFor();
        else await page.getByText(beginOf(text)).nth(1).waitFor();
        await isText(page, seen);
      }
      await page.setViewportSize({ width: 390, height: 844 });
      await isText(page, seen);
    });
  }

  test("names of everything, on every page", async () => {
    const ada = await pages.clientOf("ada");
    const filled = await fillPages(pages.client, ada, pages.mlflow);
    const named = await nameEverything(pages, Object.values(texts));
    const { page, seen } = await pages.signedIn({ viewport: { width: 1_000, height: 800 } });
    page.on("dialog", (dialog) => void dialog.dismiss());
    const faults: string[] = [];
    for (const [path, whole] of Object.entries({ ...wholePages(filled), ...named })) {
      await page.goto(service.baseUrl + path);
      try {
        await page.getByText(whole).first().waitFor({ state: "attached", timeout: 20_000 });
        await page.getByText(/^Reading/).waitFor({ state: "detached" });
        await isText(page, seen);
      } catch (error) {
        faults.push(`${path}: ${String(error).slice(0, 500)} ${seen.problems.splice(0).join(" ")}`);
      }
    }
    assert.deepEqual(faults, []);
  });

  /** It has run nothing, loaded nothing, reported nothing and left the page its width. */
  async function isText(page: Page, seen: Seen): Promise<void> {
    assert.deepEqual(seen.problems, []);
    assert.deepEqual([...seen.origins], [new URL(service.baseUrl).origin]);
    const found = await page.evaluate(`({
      hacked: "hacked" in window,
      made: document.querySelectorAll("img, iframe, object, #app script, #app style").length,
      wide: Math.max(0, document.documentElement.scrollWidth - innerWidth),
    })`);
    assert.deepEqual(found, { hacked: false, made: 0, wide: 0 }, page.url());
  }
});

/** An experiment of which everything that can be is this text. */
async function write(client: LosslessClient, text: string): Promise<string> {
  const { folderId } = await client.folders.create(text);
  const meta = { [text]: { inner: text, list: [text, { [text]: text }] } };
  const process = { rank: 1, host: text };
  const attempt = { process };
  const recorder = await client.record(
    { slug: text, description: text, meta },
    { process, attempt },
  );
  // The name of a series is printable ASCII.
  const series = /^[\x20-\x7e]+$/.test(text) ? text : "loss";
  for (let step = 0; step < 20; step++)
    recorder.record(series, step, step, { meta: { [beginOf(text)]: text } });
  recorder.line(text);
  await recorder.annotate(text, { [text]: text });
  const picture = { kind: "image", name: text, step: 1, caption: text, path: text };
  await recorder.annotate(text, { kind: "media", _media: { ...picture, artifact: "none/media" } });
  await recorder.annotate(text, { kind: "text", metricName: text, step: 1 });
  await recorder.finish({ error: text, errorMeta: { [text]: text } });
  await client.moveExperiment({ experimentId: recorder.experimentId }, folderId);
  return recorder.experimentId;
}

/** Some characters, whole ones. */
function beginOf(text: string): string {
  return Array.from(text).slice(0, 6).join("").trim();
}
