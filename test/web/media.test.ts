import assert from "node:assert/strict";
import { test } from "node:test";
import type { LoggedNamesReply } from "@lossless/client";
import type { Page } from "playwright-core";
import { faultsInAllLooks } from "./axe.ts";
import { logAllKinds, logged, type LoggedRun, logRun } from "./logged-run.ts";
import type { Seen } from "./new-page.ts";
import { pagesSuite } from "./pages-suite.ts";
import { type Contents, pngOf } from "./pushed-artifacts.ts";

pagesSuite("media over steps, in the pages", (pages) => {
  const { service } = pages;
  const all = once(() => logAllKinds(pages.client, service.baseUrl, "media/all"));
  const shorter = once(() => logAllKinds(pages.client, service.baseUrl, "media/shorter", 500));

  const isClean = (seen: Seen) => {
    // The browser tells that a frame runs no scripts, as it should not.
    const problems = seen.problems.filter((text) => !/^Blocked script.*file-frame/.test(text));
    assert.deepEqual(problems, []);
    assert.deepEqual([...seen.origins], [new URL(service.baseUrl).origin]);
  };
  const panel = (page: Page, name: string) => page.locator(`.media-panel[data-series="${name}"]`);
  /** Scrolls a panel to the middle, again while those above it become larger, until it is read. */
  const near = async (page: Page, name: string) => {
    await page.locator(".media-panel").first().waitFor();
    await page.evaluate(`new Promise((done) => {
      const look = () => {
        const panel = document.querySelector('.media-panel[data-series="${name}"]');
        panel.scrollIntoView({ block: "center" });
        if (panel.querySelector(".run, .heat, .text-lane") != null) done();
        else requestAnimationFrame(look);
      };
      look();
    })`);
    return panel(page, name);
  };
  const stepNow = (page: Page) => page.getByLabel("step", { exact: true }).inputValue();

  test("annotations of every kind have their step before their words, and their meta behind a word", async () => {
    const { experimentId } = await all();
    const { page } = await pages.open(`/experiments/${experimentId}?tab=annotations`);
    const lines = page.locator(".annotations li");
    const histogram = lines.filter({ hasText: "weights: histogram" }).first();
    await histogram.waitFor();
    assert.equal(await histogram.locator(".words").textContent(), "weights: histogram");
    assert.match((await histogram.locator(".at").textContent())!, /^step [\d,]+$/);
    assert.equal(await page.locator(".annotations .words", { hasText: / at step \d/ }).count(), 0);
    assert.equal(await page.locator(".annotations li > code").count(), 0);
  });

  test("every kind is shown at the step of the slider, and the address keeps it", async () => {
    const { experimentId } = await all();
    const { page, seen } = await pages.open(`/experiments/${experimentId}?tab=charts`);
    const samples = await near(page, "samples");
    await samples.getByText("digit 2 at 1000").waitFor();
    await samples.locator("img").nth(2).waitFor();
    // 28 pixels become four times as many, each of the same size.
    const [width, rendering] = await page.evaluate<[number, string]>(`{
      const img = document.querySelector('.media-panel[data-series="samples"] img');
      img.decode().then(() => [img.clientWidth, getComputedStyle(img).imageRendering]);
    }`);
    assert.deepEqual([width, rendering], [112, "pixelated"]);
    await page.getByLabel("Step", { exact: true }).press("Home");
    await samples.getByText("digit 0 at 0").waitFor();
    await page.waitForURL(/step=0/);
    await page.getByLabel("step", { exact: true }).fill("520");
    await page.getByLabel("step", { exact: true }).press("Enter");
    await samples.getByText("step 500, nearest to 520").waitFor();
    await page.keyboard.press("Escape");
    const matrix = await near(page, "matrix");
    await matrix.getByRole("img", { name: "validation: a heat map" }).waitFor();
    await matrix.locator("text.cell", { hasText: /^41$/ }).waitFor();
    await (await near(page, "figure")).getByRole("img", { name: /lines and points/ }).waitFor();
    await (
      await near(page, "surface")
    )
      .getByText("Plotly’s surface cannot be drawn here.")
      .waitFor();
    const guesses = await near(page, "guesses");
    await guesses.getByRole("button", { name: "score" }).click();
    assert.deepEqual(await guesses.getByRole("cell").allInnerTexts(), [
      "dog",
      "0.25",
      "bird",
      "9.5",
      "cat",
      "10",
      "cow",
      "NaN",
    ]);
    await guesses.getByLabel("Search rows of guesses").fill("ca");
    await guesses.getByText("1 of 4 rows").waitFor();
    const phase = await near(page, "phase");
    await phase.getByRole("img", { name: /warm-up from step 0, train from step 300/ }).waitFor();
    // The text that holds, and not the nearest one.
    await phase.locator(".logged-text", { hasText: "train" }).waitFor();
    await (
      await near(page, "generated")
    )
      .getByText(/A story of step 500\.\s+It was long\. A story/)
      .waitFor();
    const weights = await near(page, "weights");
    await weights.getByText(/^step 500: .* of 14 values/).waitFor();
    await page.reload();
    await (await near(page, "samples")).getByText("step 500, nearest to 520").waitFor();
    assert.equal(await stepNow(page), "520");
    isClean(seen);
  });

  test("the bins of a heat map are read by the pointer and the arrows, and a click goes to its step", async () => {
    const { experimentId } = await all();
    const { page } = await pages.open(`/experiments/${experimentId}?tab=charts`);
    const weights = await near(page, "weights");
    const map = weights.locator("svg.heat");
    await map.waitFor();
    await map.focus();
    await page.keyboard.press("ArrowLeft");
    await weights.getByText(/^step 900: /).waitFor();
    await page.keyboard.press("Enter");
    await page.waitForURL(/step=900/);
    assert.equal(await stepNow(page), "900");
  });

  test("runs stand side by side, each with the step that it has", async () => {
    const ids = [(await all()).experimentId, (await shorter()).experimentId];
    const { page, seen } = await pages.open(`/compare?e=${ids.join(",")}&step=1000`);
    const samples = await near(page, "samples");
    await samples.getByText("digit 1 at 1000").waitFor();
    assert.deepEqual(
      (await samples.locator(".run-name").allInnerTexts()).map((text) => text.trim()),
      ["media/all step 1,000", "media/shorter step 500, nearest to 1,000"],
    );
    await samples.locator("img").nth(5).waitFor();
    const weights = await near(page, "weights");
    await weights.locator("svg.heat").nth(1).waitFor();
    isClean(seen);
  });

  test("the cursor of the charts and the slider move together; a sign below a chart opens its step", async () => {
    const { experimentId } = await all();
    const { page } = await pages.open(`/experiments/${experimentId}?tab=charts`);
    await page.getByText("101 points, not sampled").waitFor();
    await page.locator(".media-panel").first().waitFor();
    await page.getByRole("button", { name: /^logged at step 500: click to see it/ }).click();
    await page.waitForURL(/step=500/);
    assert.equal(await stepNow(page), "500");
    // The page has gone to the media, and charts off the screen are not drawn.
    await page.evaluate("new Promise((done) => setTimeout(() => requestAnimationFrame(done)))");
    await page.locator(".chart .plot").first().focus();
    // The caption comes with the frame in which its line is painted.
    await page.locator(".chart").first().getByText("101 points, not sampled").waitFor();
    // From where the pointer is, to beyond the middle of two steps.
    for (let presses = 0; presses < 8; presses++) await page.keyboard.press("ArrowRight");
    // The slider follows with a later frame.
    await page.waitForFunction(
      `document.querySelector(".step-slider input[type=number]").value !== "500"`,
    );
    // The slider is the cursor of the charts.
    await page.getByLabel("Step", { exact: true }).press("Home");
    await page.getByLabel("Step", { exact: true }).press("ArrowRight");
    await page.locator(".chart .readings", { hasText: "step 100" }).waitFor();
    await page.keyboard.press("Tab");
    await page.getByRole("button", { name: "newest" }).click();
    assert.equal(await stepNow(page), "1000");
  });

  test("media from before an upgrade come when they were looked through, and are said to be missing until then", async () => {
    const { experimentId } = await all();
    const { page } = await pages.signedIn();
    let isBehind = true;
    await page.route("**/api/views/v1/logged-names", (route) =>
      isBehind
        ? route.fulfill({ json: { series: [], found: 0, isBehind } satisfies LoggedNamesReply })
        : route.continue(),
    );
    await page.goto(`${service.baseUrl}/experiments/${experimentId}?tab=charts`);
    const missing = page.getByText(/still looked through: media may be missing/);
    await missing.waitFor();
    isBehind = false;
    await page.locator(".media-panel").first().waitFor();
    assert.equal(await missing.count(), 0);
  });

  test("a closed part stays closed, and reads nothing", async () => {
    const { experimentId } = await all();
    const { page } = await pages.open(`/experiments/${experimentId}?tab=charts`);
    await page.locator(".media-panel").first().waitFor();
    await page.locator(".media-part > summary").click();
    await page.waitForURL(/media=closed/);
    const asked: string[] = [];
    page.on("request", (request) => void asked.push(new URL(request.url()).pathname));
    await page.reload();
    await page.locator(".media-part > summary").waitFor();
    await page.getByText("101 points, not sampled").waitFor();
    assert.equal(await page.locator(".media-panel").count(), 0);
    assert.ok(asked.includes("/api/views/v1/logged-names"));
    assert.ok(!asked.some((path) => path.endsWith("/file") || path.endsWith("/logged-nearest")));
  });

  test("of 10,000 pictures only those on the screen are read, however far somebody slides", async () => {
    const files: Contents = {};
    for (let at = 0; at < 100; at++) files[`p${at}.png`] = pngOf(16, 16 + at);
    const of = { slug: "media/many", files };
    const notes = Array.from({ length: 10_000 }, (_, step) =>
      logged(of, "image", "x", step, `p${step % 100}.png`, { caption: `picture of ${step}` }),
    );
    const { experimentId } = await logRun(pages.client, service.baseUrl, of.slug, { files, notes });
    const { page } = await pages.signedIn();
    const asked: string[] = [];
    page.on("request", (request) => void asked.push(new URL(request.url()).pathname));
    // Ten thousand of them would be read before the first picture.
    const annotationsRead: string[] = [];
    page.on("response", async (response) => {
      if (!response.url().includes("/annotations?")) return;
      const { annotations } = (await response.json()) as { annotations: { annotation: string }[] };
      annotationsRead.push(...annotations.map(({ annotation }) => annotation));
    });
    const count = (name: string) => asked.filter((path) => path.endsWith(`/v1/${name}`)).length;
    await page.goto(`${service.baseUrl}/experiments/${experimentId}?tab=charts`);
    const pictures = await near(page, "x");
    await pictures.getByText("picture of 9999").waitFor();
    await pictures.locator("img").waitFor();
    // The pictures wait for no steps.
    await page.locator(".step-slider").waitFor();
    const nodes = () => page.evaluate<number>("document.querySelectorAll('*').length");
    const before = await nodes();
    assert.deepEqual([count("file"), count("logged-nearest")], [1, 1]);
    assert.deepEqual(annotationsRead, []);
    await page.locator(".step-slider input[type=range]").waitFor();
    // As many choices as a hand makes, in one task: while a request runs only the last one waits.
    await page.evaluate(`{
      const slider = document.querySelector(".step-slider input[type=range]");
      for (let at = 0; at < 300; at++) {
        slider.value = String(at * 10);
        slider.dispatchEvent(new InputEvent("input", { bubbles: true }));
      }
      slider.dispatchEvent(new Event("change", { bubbles: true }));
    }`);
    const last = (await stepNow(page)).trim();
    await pictures.getByText(`picture of ${last}`, { exact: true }).waitFor();
    await pictures.locator("[aria-busy=false] img").waitFor();
    assert.ok(count("logged-nearest") <= 3, `${count("logged-nearest")} requests for 300 choices`);
    assert.ok(count("file") <= 3, `${count("file")} files for 300 choices`);
    assert.ok((await nodes()) <= before + 20, `${await nodes()} elements, ${before} before`);
    // A picture that is far is let go.
    await page.evaluate("scrollTo(0, 0)");
    await page.setViewportSize({ width: 1_280, height: 200 });
    await page.evaluate("document.body.style.paddingTop = '4000px'");
    await pictures.locator("img").waitFor({ state: "detached" });
  });

  test("sound is read when it is played: small files through the service, large ones in ranges", async () => {
    const { experimentId } = await all();
    const { page, seen } = await pages.open(`/experiments/${experimentId}?tab=charts`);
    const asked: { path: string; range: string | undefined }[] = [];
    page.on("request", (request) => {
      const { pathname: path } = new URL(request.url());
      asked.push({ path, range: request.headers()["range"] });
    });
    const seconds = async (name: string) => {
      await panel(page, name).locator("audio").waitFor();
      return page.evaluate<number>(`new Promise((done, fail) => {
        const audio = document.querySelector('.media-panel[data-series="${name}"] audio');
        const look = () => audio.duration > 0 && done(Math.round(audio.duration * 100) / 100);
        audio.addEventListener("loadedmetadata", look);
        audio.addEventListener("error", () => fail(audio.error.message));
        look();
      })`);
    };
    const tone = await near(page, "tone");
    await tone.getByRole("button", { name: /^Play tone, step 1,000/ }).click();
    assert.equal(await seconds("tone"), 0.25);
    assert.ok(asked.some(({ path }) => path === "/api/views/v1/file"));
    asked.length = 0;
    const long = await near(page, "long tone");
    await long.getByRole("button", { name: /^Play long tone/ }).click();
    assert.equal(await seconds("long tone"), 110);
    assert.ok(asked.some(({ path }) => path === "/api/views/v1/file-address"));
    assert.ok(asked.some(({ path, range }) => path.startsWith("/objects/") && range !== undefined));
    isClean(seen);
  });

  test("a film is played", async () => {
    const { page: recorder } = await pages.signedIn();
    const film = Buffer.from(await recorder.evaluate<string>(filmOfTheBrowser), "base64");
    const of = { slug: "media/film", files: { "film.webm": film } };
    const note = logged(of, "video", "rollout", 0, "film.webm", { mediaType: "video/webm" });
    const { experimentId } = await logRun(pages.client, service.baseUrl, of.slug, {
      files: of.files,
      notes: [note],
    });
    const { page, seen } = await pages.open(`/experiments/${experimentId}?tab=charts`);
    await (await near(page, "rollout")).getByRole("button", { name: /^Play rollout/ }).click();
    await panel(page, "rollout").locator("video").waitFor();
    const size = await page.evaluate<number[]>(`new Promise((done, fail) => {
      const video = document.querySelector('.media-panel[data-series="rollout"] video');
      const look = () => video.videoWidth > 0 && done([video.videoWidth, video.videoHeight]);
      video.addEventListener("loadeddata", look);
      video.addEventListener("error", () => fail(video.error.message));
      look();
    })`);
    assert.deepEqual(size, [64, 48]);
    isClean(seen);
  });

  test("in every look without faults", async () => {
    const { experimentId } = await all();
    const { page } = await pages.open(`/experiments/${experimentId}?step=500`);
    for (const name of ["weights", "phase", "matrix", "guesses", "samples"]) {
      await near(page, name);
      await panel(page, name).locator("svg, .text-lane, table, img").first().waitFor();
      // A menu below the slider can be scrolled out from under it.
      await page.evaluate('document.querySelector(".step-slider").style.position = "static"');
      assert.deepEqual(await faultsInAllLooks(page), []);
    }
  });
});

/** Makes something when it is first needed. */
function once(make: () => Promise<LoggedRun>): () => Promise<LoggedRun> {
  let made: Promise<LoggedRun> | undefined;
  return () => (made ??= make());
}

/** Half a second of a square that moves, as base64 of WebM. */
const filmOfTheBrowser = `new Promise((done, fail) => {
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [64, 48];
  const context = canvas.getContext("2d");
  const film = new MediaRecorder(canvas.captureStream(25), { mimeType: "video/webm" });
  const pieces = [];
  let frames = 0;
  film.ondataavailable = ({ data }) => pieces.push(data);
  film.onerror = ({ error }) => fail(error);
  film.onstop = async () => {
    const bytes = new Uint8Array(await new Blob(pieces).arrayBuffer());
    done(btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join("")));
  };
  const draw = () => {
    context.fillStyle = frames % 2 === 0 ? "navy" : "teal";
    context.fillRect(0, 0, 64, 48);
    if (++frames < 15) setTimeout(draw, 33);
    else film.stop();
  };
  film.start();
  draw();
})`;
