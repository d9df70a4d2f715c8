import assert from "node:assert/strict";
import { before, test } from "node:test";
import { faultsInAllLooks } from "./axe.ts";
import { fillPages, type Filled } from "./filled-pages.ts";
import { pagesSuite } from "./pages-suite.ts";

pagesSuite("the pages of a guest", (pages) => {
  const { service } = pages;
  let filled: Filled;

  before(async () => {
    filled = await fillPages(pages.client, await pages.clientOf("max"), pages.mlflow);
  });

  /** A link that the dialog of a page has made. */
  async function shared(path: string, choices: readonly RegExp[] = []): Promise<string> {
    const { page } = await pages.open(path);
    await page.getByRole("button", { name: "guest link…" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("button", { name: "Create the link" }).waitFor();
    for (const choice of choices) await dialog.getByLabel(choice).check();
    await dialog.getByRole("button", { name: "Create the link" }).click();
    return (await dialog.locator("code").textContent())!;
  }

  test("open one experiment, and see nothing else", async () => {
    const path = `/experiments/${filled.running}?tab=charts`;
    const link = await shared(path, [/show the console/]);
    const { page, seen } = await pages.newPage();
    await page.goto(link);
    await page.waitForURL(`${service.baseUrl}/experiments/${filled.running}*`);
    assert.doesNotMatch(page.url(), /gl_/);
    await page.getByRole("heading", { name: "running-one" }).waitFor();
    await page.getByText(/guest until .* read only/).waitFor();
    const tabs = page.getByRole("navigation", { name: "Parts of the experiment" });
    assert.deepEqual(await tabs.getByRole("button").allTextContents(), [
      "overview",
      "charts",
      "console",
      "meta",
      "annotations",
    ]);
    await tabs.getByRole("button", { name: "charts" }).click();
    await page.locator("figure.chart").first().waitFor();
    await tabs.getByRole("button", { name: "console" }).click();
    await page
      .getByText(/^line 1\d\d$/)
      .first()
      .waitFor();
    assert.equal(await page.getByRole("button", { name: /annotate|guest link|trash/ }).count(), 0);
    assert.deepEqual(await faultsInAllLooks(page), []);
    await page.goto(`${service.baseUrl}/experiments`);
    await page.getByRole("heading", { name: "This page is not shared with you" }).waitFor();
    await page.getByRole("link", { name: "Show what is shared" }).click();
    await page.getByRole("heading", { name: "running-one" }).waitFor();
    assert.deepEqual(seen.problems, []);
  });

  test("save files where they are listed, and are led to no page that is not theirs", async () => {
    const path = `/experiments/${filled.running}?tab=artifacts`;
    const link = await shared(path, [/show media and artifacts/]);
    const { page, seen } = await pages.newPage();
    await page.goto(link);
    await page.getByRole("button", { name: "artifacts" }).click();
    await page.getByText("runs/model").first().click();
    const saved = page.waitForEvent("download");
    await page.getByText("config.json").first().click();
    assert.equal((await saved).suggestedFilename(), "config.json");
    assert.equal(await page.locator('a[href*="/artifact"]').count(), 0);
    assert.deepEqual(await faultsInAllLooks(page), []);
    assert.deepEqual(seen.problems, []);
  });

  test("compare for review without names", async () => {
    const path = `/compare?e=${filled.running},${filled.failed}`;
    const link = await shared(path, [/anonymous/]);
    const { page, seen } = await pages.newPage();
    await page.goto(link);
    await page.getByText("run 1", { exact: true }).first().waitFor();
    await page.locator("figure.chart").first().waitFor();
    const text = await page.locator("body").innerText();
    assert.doesNotMatch(text, /running-one|acme|adamw/);
    // Nothing is drawn that the service refuses to guests.
    const parts = page.getByRole("navigation", { name: "Parts of the comparison" });
    assert.deepEqual(await parts.getByRole("button").allTextContents(), [
      "Charts",
      "Difference",
      "Metrics",
      "Relations",
    ]);
    // Groups are the service's, of what the link shows: two runs in two statuses.
    await page.getByLabel("group by: nothing").click();
    await page.getByRole("button", { name: "status", exact: true }).click();
    await page
      .locator("figure.chart")
      .first()
      .getByText(/of all 2 experiments found/)
      .waitFor();
    assert.equal(await page.getByText("all members in the table").count(), 0);
    assert.deepEqual(await faultsInAllLooks(page), []);
    assert.deepEqual(seen.problems, []);
  });

  test("read a report", async () => {
    const link = await shared(`/reports/${filled.report}`);
    const { page, seen } = await pages.newPage();
    await page.goto(link);
    await page.getByRole("heading", { name: "A report" }).waitFor();
    await page.locator("figure.chart").first().waitFor();
    assert.equal(await page.getByRole("button", { name: /^(Edit|Delete…)$/ }).count(), 0);
    assert.deepEqual(seen.problems, []);
  });

  test("are told that a link has ended, and who is signed in opens none", async () => {
    const link = await shared(`/experiments/${filled.failed}`);
    const { page: guest } = await pages.newPage();
    await guest.goto(link);
    await guest.getByText(/guest until/).waitFor();
    const { page: owner } = await pages.open("/organization/guests");
    await owner
      .getByText(/once|1 time/)
      .first()
      .waitFor();
    await owner.goto(link);
    await owner.getByRole("heading", { name: "You are signed in" }).waitFor();
    await owner.goto(`${service.baseUrl}/organization/guests`);
    const rows = owner.getByRole("row").filter({ hasText: "failed-one" });
    await rows.getByRole("button", { name: /^Revoke/ }).click();
    await owner.getByRole("dialog").getByRole("button", { name: "Revoke" }).click();
    await owner.getByRole("dialog").waitFor({ state: "detached" });
    await guest.reload();
    await guest
      .getByRole("heading", { name: "This link does not work" })
      .or(guest.getByLabel("E-mail"))
      .waitFor();
  });
});
