import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { LosslessClient } from "@lossless/client";
import type { Browser, Page } from "playwright-core";
import { organizations, Service } from "../service.ts";
import { startChromium } from "./chromium.ts";
import { newPage, signIn } from "./new-page.ts";

/** Far longer than a page waits between two questions, and than a question takes. */
const quietMs = 3_000;

suite("pages that follow what happens", () => {
  let service: Service;
  let browser: Browser;
  let client: LosslessClient;

  before(async () => {
    service = await Service.start({ people: true });
    browser = await startChromium();
    client = new LosslessClient({ baseUrl: service.baseUrl, apiKey: organizations.acme.key });
  });
  after(async () => {
    await browser?.close();
    await service?.[Symbol.asyncDispose]();
  });

  test("a running experiment's page follows points, annotations and its end, without a new page", async () => {
    const recorder = await client.record({ slug: "followed" });
    recorder.record("loss", 1, 0);
    await recorder.flush();
    const { page } = await openExperiment(browser, service, recorder.experimentId);
    await page.getByText("1 point", { exact: true }).waitFor();
    await page.evaluate("window.isTheSame = true");
    for (let step = 1; step <= 5; step++) {
      recorder.record("loss", 1 / step, step);
      await recorder.flush();
      await page.getByText(`${step + 1} points, all considered`, { exact: true }).waitFor();
    }
    recorder.record("other", 1, 0);
    await recorder.flush();
    await page.getByRole("heading", { name: "other" }).waitFor();
    await page.getByRole("button", { name: "annotations" }).click();
    await recorder.annotate("here it is", {});
    await page.getByText("here it is").waitFor();
    await recorder.finish();
    await page.getByText("done", { exact: true }).waitFor();
    assert.equal(await page.evaluate("window.isTheSame"), true);
  });

  test("one request waits for the whole page, and while nothing happens nothing is asked", async () => {
    const recorder = await client.record({ slug: "quiet" });
    recorder.record("loss", 1, 0);
    recorder.record("other", 1, 0);
    await recorder.flush();
    const { page } = await openExperiment(browser, service, recorder.experimentId);
    await page.getByText("1 point", { exact: true }).last().waitFor();
    await page.waitForTimeout(quietMs);
    const asked = questionsOf(page);
    await page.waitForTimeout(quietMs);
    const waits = (path: string): boolean => path.endsWith("/changes");
    assert.deepEqual(
      asked.filter((path) => !waits(path)),
      [],
    );
    recorder.record("loss", 1, 1);
    await recorder.flush();
    await page.getByText("2 points, all considered").waitFor();
    await page.waitForTimeout(quietMs);
    // At most one more, when the time of the first was over.
    assert.ok(asked.filter(waits).length <= 2, String(asked));
    // The other series has nothing new, so its chart asked nothing.
    assert.equal(asked.filter((path) => path.endsWith("/overview")).length, 1, String(asked));
    await recorder.finish();
  });

  test("a hidden tab asks nothing, and catches up when it is shown", async () => {
    const recorder = await client.record({ slug: "hidden" });
    recorder.record("loss", 1, 0);
    await recorder.flush();
    const { page } = await openExperiment(browser, service, recorder.experimentId);
    await page.getByText("1 point", { exact: true }).waitFor();
    await hide(page, true);
    await page.waitForTimeout(quietMs);
    const asked = questionsOf(page);
    recorder.record("loss", 1, 1);
    await recorder.flush();
    await page.waitForTimeout(quietMs);
    assert.deepEqual(asked, []);
    await page.getByText("1 point", { exact: true }).waitFor();
    await hide(page, false);
    await page.getByText("2 points, all considered").waitFor();
    await recorder.finish();
  });

  test("a page whose person signs out elsewhere learns nothing more, and asks to sign in", async () => {
    const recorder = await client.record({ slug: "signed-out" });
    recorder.record("loss", 1, 0);
    await recorder.flush();
    const { page } = await openExperiment(browser, service, recorder.experimentId);
    await page.getByText("1 point", { exact: true }).waitFor();
    await page.waitForTimeout(quietMs);
    const other = await page.context().newPage();
    await other.goto(`${service.baseUrl}/sign-in`);
    await other.getByRole("button", { name: "Sign out" }).click();
    await other.getByLabel("Password").waitFor();
    recorder.record("loss", 1, 1);
    await recorder.flush();
    await page.waitForURL(/\/sign-in\?next=/);
    await recorder.finish();
  });

  test("while the service is away the page says so, and goes on when it is back", async () => {
    const recorder = await client.record({ slug: "away" });
    recorder.record("loss", 1, 0);
    await recorder.flush();
    const { page } = await openExperiment(browser, service, recorder.experimentId);
    await page.getByText("1 point", { exact: true }).waitFor();
    await page.context().route("**/api/**", (route) => route.abort());
    recorder.record("loss", 1, 1);
    await recorder.flush();
    await page.getByText(/not up to date: /).waitFor();
    await page.context().unroute("**/api/**");
    await page.getByText("2 points, all considered").waitFor();
    await page.getByText(/not up to date: /).waitFor({ state: "detached" });
    await recorder.finish();
  });
});

async function openExperiment(
  browser: Browser,
  service: Service,
  experimentId: string,
): Promise<{ page: Page }> {
  const opened = await newPage(browser);
  await opened.page.goto(`${service.baseUrl}/experiments/${experimentId}`);
  await signIn(opened.page);
  return opened;
}

/** The addresses that the page asks from now on. */
function questionsOf(page: Page): string[] {
  const asked: string[] = [];
  page.on("request", (request) => asked.push(new URL(request.url()).pathname));
  return asked;
}

/** What a browser does when another tab is chosen; without a window it never does so itself. */
async function hide(page: Page, isHidden: boolean): Promise<void> {
  await page.evaluate(`
    Object.defineProperty(document, "hidden", { value: ${isHidden}, configurable: true });
    document.dispatchEvent(new Event("visibilitychange"));
  `);
}
