import assert from "node:assert/strict";
import { before, test } from "node:test";
import { LosslessClient } from "@lossless/client";
import type { Page, Route } from "playwright-core";
import { signIn } from "./new-page.ts";
import { type Pages, pagesSuite } from "./pages-suite.ts";
import { quietMs, Requests } from "./requests.ts";

pagesSuite("pages that follow what happens", (pages) => {
  const { service, organizations } = pages;
  let client: LosslessClient;

  before(() => {
    ({ client } = pages);
  });

  test("a running experiment's page follows points, annotations and its end, without a new page", async () => {
    const recorder = await client.record({ slug: "followed" });
    recorder.record("loss", 1, 0);
    await recorder.flush();
    const { page, requests } = await openExperiment(pages, recorder.experimentId);
    await page.locator("figure").getByText("1 point", { exact: true }).waitFor();
    await page.evaluate("window.isTheSame = true");
    for (let step = 1; step <= 5; step++) {
      recorder.record("loss", 1 / step, step);
      await recorder.flush();
      await page.getByText(`${step + 1} points, not sampled`, { exact: true }).waitFor();
    }
    recorder.record("other", 1, 0);
    await recorder.flush();
    await page.getByRole("heading", { name: "other" }).waitFor();
    await requests.settled();
    // Only points are a reason to ask which series have some.
    let revisionsRead = 0;
    page.on("request", (request) => {
      if (request.postData()?.includes("svc.v2.query.revisions")) revisionsRead++;
    });
    await page.getByRole("button", { name: "annotations" }).click();
    await recorder.annotate("here it is", {});
    await page.getByText("here it is").waitFor();
    await recorder.finish();
    await page.getByText("done", { exact: true }).waitFor();
    assert.equal(revisionsRead, 0);
    assert.equal(await page.evaluate("window.isTheSame"), true);
  });

  test("an experiment that ends while its page looks does not stay running", async () => {
    const recorder = await client.record({ slug: "ends" });
    recorder.record("loss", 1, 0);
    await recorder.flush();
    const { page } = await openExperiment(pages, recorder.experimentId);
    await page.locator("figure").getByText("1 point", { exact: true }).waitFor();
    const looks = Promise.withResolvers<Route>();
    let isHeld = false;
    await page.route("**/api/**", (route) => {
      const isLook = route.request().postData()?.includes("svc.v2.query.revisions") ?? false;
      if (!isLook || isHeld) return route.continue();
      isHeld = true;
      return looks.resolve(route);
    });
    recorder.record("loss", 1, 1);
    await recorder.flush();
    const look = await looks.promise;
    await recorder.finish();
    await look.continue();
    await page.getByText("done", { exact: true }).waitFor();
  });

  test("the first point of a partition gives it a chart, where each has its own", async () => {
    const recorder = await client.record({ slug: "parted" });
    recorder.record("spread", 1, 0, { meta: { rank: "0" } });
    await recorder.flush();
    const { page } = await openExperiment(pages, recorder.experimentId, "&split=rank");
    await page.getByRole("heading", { name: "spread · rank=0" }).waitFor();
    recorder.record("spread", 1, 0, { meta: { rank: "1" } });
    await recorder.flush();
    await page.getByRole("heading", { name: "spread · rank=1" }).waitFor();
    await recorder.finish();
  });

  test("a chart of compared experiments follows a metric of which only NaN arrives", async () => {
    const recorder = await client.record({ slug: "diverges" });
    recorder.record("loss", 1, 0);
    await recorder.flush();
    const other = await client.record({ slug: "goes-on" });
    other.record("loss", 2, 0);
    await other.finish();
    const ids = [recorder, other].map(({ experimentId }) => experimentId);
    const { page } = await pages.open(`/compare?e=${ids.join()}`);
    const readings = page.locator("figure.chart .readings");
    await readings.getByText(/last.*1.*2/s).waitFor();
    recorder.record("loss", NaN, 1);
    await recorder.flush();
    await readings.getByText("NaN").waitFor();
    await recorder.finish();
  });

  test("one request waits for the whole page, and while nothing happens nothing is asked", async () => {
    const recorder = await client.record({ slug: "quiet" });
    recorder.record("loss", 1, 0);
    recorder.record("other", 1, 0);
    await recorder.flush();
    const { page, requests } = await openExperiment(pages, recorder.experimentId);
    await page.locator("figure").getByText("1 point", { exact: true }).last().waitFor();
    assert.deepEqual(await requests.askedInQuiet(), []);
    recorder.record("loss", 1, 1);
    await recorder.flush();
    await page.getByText("2 points, not sampled").waitFor();
    await recorder.finish();
    await page.getByText("done", { exact: true }).first().waitFor();
    assert.equal(requests.waitingMax, 1);
    // The other series has nothing new, so its chart asked nothing.
    const asked = requests.asked();
    assert.equal(asked.filter((path) => path.endsWith("/overview")).length, 1, String(asked));
  });

  test("a table asks nothing while nothing happens, also where no metric is a usual column", async () => {
    const { key } = organizations.rival;
    const rival = new LosslessClient({ baseUrl: service.baseUrl, apiKey: key });
    const recorder = await rival.record({ slug: "accurate" });
    recorder.record("accuracy", 1, 0);
    await recorder.flush();
    const { page } = await pages.signedIn({ person: "rita" });
    const requests = new Requests(page);
    await page.goto(`${service.baseUrl}/experiments`);
    await page.getByRole("link", { name: /accurate/ }).waitFor();
    // At first it reads its rows again, until the background has added their metrics.
    assert.deepEqual(await requests.askedInQuiet(), []);
    await recorder.finish();
  });

  test("a hidden tab asks nothing, and catches up when it is shown", async () => {
    const recorder = await client.record({ slug: "hidden" });
    recorder.record("loss", 1, 0);
    await recorder.flush();
    const { page, requests } = await openExperiment(pages, recorder.experimentId);
    await page.locator("figure").getByText("1 point", { exact: true }).waitFor();
    await requests.settled();
    await hide(page, true);
    await requests.ended();
    recorder.record("loss", 1, 1);
    await recorder.flush();
    await page.waitForTimeout(quietMs);
    assert.deepEqual(requests.asked(), []);
    await page.locator("figure").getByText("1 point", { exact: true }).waitFor();
    await hide(page, false);
    await page.getByText("2 points, not sampled").waitFor();
    await recorder.finish();
  });

  test("a page whose person signs out elsewhere learns nothing more, and asks to sign in", async () => {
    const recorder = await client.record({ slug: "signed-out" });
    recorder.record("loss", 1, 0);
    await recorder.flush();
    const { page, requests } = await openExperiment(pages, recorder.experimentId);
    await page.locator("figure").getByText("1 point", { exact: true }).waitFor();
    await requests.settled();
    const other = await page.context().newPage();
    await other.goto(`${service.baseUrl}/sign-in`);
    await other.getByRole("button", { name: "Sign out" }).click();
    await other.getByLabel("Password").waitFor();
    recorder.record("loss", 1, 1);
    await recorder.flush();
    await page.waitForURL(/\/sign-in\?next=/);
    await recorder.finish();
  });

  test("whoever writes when the session ends is told, and saves it with the next one", async () => {
    const { experimentId } = await client.openExperiment({ slug: "written", description: "" });
    const { page } = await openExperiment(pages, experimentId);
    await page.getByLabel("More actions").click();
    await page.getByRole("button", { name: "describe…" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("textbox").fill("what took an hour");
    const other = await page.context().newPage();
    await other.goto(`${service.baseUrl}/sign-in`);
    await other.getByRole("button", { name: "Sign out" }).click();
    await other.getByLabel("Password").waitFor();
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.getByText(/You are signed out\. .* What you typed here is kept/).waitFor();
    await signIn(other, pages.people.ada);
    await other.getByText("written").waitFor();
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.waitFor({ state: "detached" });
    await page.getByText("what took an hour").waitFor();
  });

  test("while the service is away the page says so, and goes on when it is back", async () => {
    const recorder = await client.record({ slug: "away" });
    recorder.record("loss", 1, 0);
    await recorder.flush();
    const { page } = await openExperiment(pages, recorder.experimentId);
    await page.locator("figure").getByText("1 point", { exact: true }).waitFor();
    await page.context().route("**/api/**", (route) => route.abort());
    recorder.record("loss", 1, 1);
    await recorder.flush();
    await page.getByText("not up to date: The service cannot be reached.").waitFor();
    await page.context().unroute("**/api/**");
    await page.getByText("2 points, not sampled").waitFor();
    await page.getByText(/not up to date: /).waitFor({ state: "detached" });
    await recorder.finish();
  });
});

async function openExperiment(
  pages: Pages,
  experimentId: string,
  view = "",
): Promise<{ page: Page; requests: Requests }> {
  const { page } = await pages.signedIn();
  const requests = new Requests(page);
  await page.goto(`${pages.service.baseUrl}/experiments/${experimentId}?tab=charts${view}`);
  return { page, requests };
}

/** Acts like a browser in which another tab is chosen; without a window it never does so itself. */
async function hide(page: Page, isHidden: boolean): Promise<void> {
  await page.evaluate(`
    Object.defineProperty(document, "hidden", { value: ${isHidden}, configurable: true });
    document.dispatchEvent(new Event("visibilitychange"));
  `);
}
