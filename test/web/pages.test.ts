import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { LosslessClient } from "@lossless/client";
import { pageEndpoints } from "@lossless/protocol";
import type { Page } from "playwright-core";
import { call, parseObject } from "../http.ts";
import { signIn } from "./new-page.ts";
import { pagesSuite } from "./pages-suite.ts";

const hostile = 'a <img src="https://evil.example/x" onerror="document.title=1"> run';

pagesSuite("the web application in a browser", (pages) => {
  const { service, people } = pages;
  let client: LosslessClient;

  before(() => {
    ({ client } = pages);
  });

  test("who is not signed in is asked to, and gets to the page that was wanted", async () => {
    const { page } = await pages.newPage();
    await page.goto(`${service.baseUrl}/experiments?q=loss`);
    await page.waitForURL(/\/sign-in\?next=/);
    await signIn(page, people.ada);
    await page.waitForURL(`${service.baseUrl}/experiments?q=loss`);
  });

  test("every address of a page in the table of endpoints is one of the application", async () => {
    const { page } = await pages.open("/experiments");
    await page.getByRole("heading", { name: "Record your first experiment" }).waitFor();
    const missing = page.getByRole("heading", { name: "Page not found" });
    for (const { path } of Object.values(pageEndpoints)) {
      await page.goto(service.baseUrl + path.replace(/\{.*?\}/g, "an-id"));
      // The page of a guest link has no bar: it leads on, or says why not.
      await page.locator(path === "/guest" ? "main" : ".bar").waitFor();
      assert.equal(await missing.count(), 0, path);
    }
    for (const path of ["/o/x/nowhere", "/experiments/a/b"]) {
      assert.equal((await page.goto(service.baseUrl + path))!.status(), 404);
      await missing.waitFor();
    }
    // Who is not signed in has nothing to sign in for.
    await page.context().clearCookies();
    await page.reload();
    await missing.waitFor();
    const toProgram = await call(service.baseUrl, { path: "/o/x/nowhere", method: "GET" });
    assert.equal(toProgram.status, 404);
    assert.equal(parseObject(toProgram.text).data, null);
    const browser = { accept: "text/html" };
    const ofInterface = { path: "/api/v1/nowhere", method: "GET", headers: browser };
    assert.equal(parseObject((await call(service.baseUrl, ofInterface)).text).error, "not_found");
  });

  test("the scripts of a first visit are loaded at once: a browser loads six at a time", async () => {
    const headers = { accept: "text/html" };
    const { text } = await call(service.baseUrl, { path: "/experiments", method: "GET", headers });
    const scripts = [...text.matchAll(/<(?:script|link rel="modulepreload")/g)];
    assert.ok(scripts.length >= 1 && scripts.length <= 5, `${scripts.length} scripts`);
    assert.match(text, /rel="preload"[^>]* href="[^"]*\/api\/v1\/sessions"/);
  });

  test("charts are two scripts of their own, of a page that has them", async () => {
    const { experimentId } = await client.openExperiment({
      slug: "drawn",
      description: "",
      meta: {},
    });
    const { page } = await pages.signedIn();
    const scripts: string[] = [];
    page.on("request", (request) => {
      if (request.resourceType() === "script") scripts.push(request.url());
    });
    await page.goto(`${service.baseUrl}/account`);
    await page.getByText("this session").waitFor();
    const before = scripts.length;
    await page.goto(`${service.baseUrl}/experiments/${experimentId}?tab=charts`);
    await page.getByText("No points are recorded yet").first().waitFor();
    assert.ok(scripts.length - before <= 8, scripts.slice(before).join("\n"));
    await client.trash.experiments([experimentId]);
  });

  test("an empty organization is shown how to record, and the table when something comes", async () => {
    const { page, seen } = await pages.open("/experiments");
    await page.getByRole("heading", { name: "Record your first experiment" }).waitFor();
    await page.getByRole("button", { name: "Create an API key" }).click();
    await page.getByText(/LOSSLESS_API_KEY"\] = "ak_\w{30,}"/).waitFor();
    await client.openExperiment({ slug: "first", description: "", meta: {} });
    await page.getByRole("link", { name: "first" }).waitFor();
    assert.deepEqual(seen.problems, []);
  });

  test("a curve is one click away, grows while points come, and says that all were considered", async () => {
    const recorder = await client.record({ slug: "live", meta: { lr: 0.1 } });
    for (let step = 0; step < 20_000; step++) recorder.record("loss", Math.sin(step / 900), step);
    await recorder.flush();
    const { page, seen } = await pages.open("/experiments");
    await page.getByRole("link", { name: "live" }).click();
    await page.getByText("20,000 points, not sampled").waitFor();
    assert.ok((await litPixels(page)) > 500, "a curve is painted");
    recorder.record("loss", 5, 20_000);
    await recorder.flush();
    await page.getByText("20,001 points, not sampled").waitFor();
    await page.getByLabel("y", { exact: true }).selectOption("log");
    await page.waitForURL(/y=log/);
    await page.reload();
    await page.getByText(/20,001 points, not sampled, .* at or below 0/).waitFor();
    await page.getByRole("button", { name: "meta" }).click();
    await page.getByText("0.1", { exact: true }).waitFor();
    await recorder.finish();
    await page.getByText("done", { exact: true }).waitFor();
    assert.deepEqual(seen.problems, []);
    assert.deepEqual([...seen.origins], [new URL(service.baseUrl).origin]);
  });

  test("a selection zooms all charts, and its range is in the address", async () => {
    const recorder = await client.record({ slug: "zoom", meta: {} });
    for (let step = 0; step < 1_000; step++) recorder.record("loss", 1 / (1 + step), step);
    // Level but for the last bit, and shorter: it must neither hang nor answer for the other.
    for (let step = 0; step < 5; step++) recorder.record("short", 1 + 2 ** -52 * (step % 2), step);
    await recorder.finish();
    const { page } = await pages.open("/experiments");
    await page.getByRole("link", { name: "zoom" }).click();
    await page.getByText("1,000 points, not sampled").waitFor();
    await page.getByText("5 points, not sampled", { exact: true }).waitFor();
    const plot = (await page.locator(".u-over").first().boundingBox())!;
    await page.mouse.move(plot.x + plot.width / 4, plot.y + 50);
    await page.mouse.down();
    await page.mouse.move(plot.x + plot.width / 2, plot.y + 50, { steps: 5 });
    await page.mouse.up();
    await page.waitForURL(/r=\d+%7E\d+|r=\d+~\d+/);
    await page.getByText(/^2[3-7]\d points, not sampled/).waitFor();
    await page.goBack();
    await page.getByText("1,000 points, not sampled").waitFor();
  });

  test("what people wrote is text, whatever it looks like", async () => {
    const meta = { "<script>": "</script><script>alert(1)</script>" };
    const recorder = await client.record({ slug: hostile, description: hostile, meta });
    recorder.record(hostile, 1, 1);
    await recorder.annotate(hostile, {});
    await recorder.finish();
    const { page, seen } = await pages.open("/experiments");
    await page.getByRole("link", { name: hostile }).click();
    await page.getByRole("heading", { name: hostile, level: 1 }).waitFor();
    await page.locator("figure").getByText("1 point", { exact: true }).waitFor();
    for (const part of ["meta", "annotations"]) {
      await page.getByRole("button", { name: part }).click();
      await page
        .getByText(part === "meta" ? "alert(1)" : hostile)
        .first()
        .waitFor();
    }
    assert.equal(await page.locator("img").count(), 0);
    assert.match(await page.title(), /onerror/);
    assert.deepEqual(seen.problems, []);
    assert.deepEqual([...seen.origins], [new URL(service.baseUrl).origin]);
  });

  test("an address with a slug goes to its experiment, through the sign-in", async () => {
    const { page } = await pages.newPage();
    await page.goto(`${service.baseUrl}/go?slug=live&y=log`);
    await signIn(page, people.ada);
    await page.waitForURL(/\/experiments\/[^/?]+\?y=log(&tab=charts)?$/);
    await page.getByRole("heading", { name: "live" }).waitFor();
    await page.goto(`${service.baseUrl}/go?slug=${encodeURIComponent('no "such" \\ run')}`);
    await page
      .getByText('This organization has no experiment with the slug “no "such" \\ run”.')
      .waitFor();
  });

  test("another organization's experiment is not there", async () => {
    const { experimentId } = await client.openExperiment({
      slug: "private",
      description: "",
      meta: {},
    });
    const { page } = await pages.newPage();
    await page.goto(`${service.baseUrl}/experiments/${experimentId}`);
    await signIn(page, people.rita);
    await page.getByText("There is no such experiment in this organization.").waitFor();
  });
});

/** Pixels of the chart that are not its ground, grid or axes, which are grey. */
async function litPixels(page: Page): Promise<number> {
  // A text, since the types of a browser are not those of this program.
  const count = await page.evaluate(`(() => {
    const canvas = document.querySelector("canvas");
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    let count = 0;
    for (let at = 0; at < data.length; at += 4) {
      const [red, green, blue, opacity] = data.subarray(at, at + 4);
      const colour = Math.max(red, green, blue) - Math.min(red, green, blue);
      if (opacity > 200 && colour > 40) count++;
    }
    return count;
  })()`);
  return count as number;
}
