import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { Page } from "playwright-core";
import { people, Service } from "../service.ts";
import { consentPath, fillPages, wholePages } from "../web/filled-pages.ts";
import { signIn } from "../web/new-page.ts";
import { pagesSuite } from "../web/pages-suite.ts";

const path = "/tools/lossless";

/** A request of a page outside of the path ends the service with an error, after the tests. */
pagesSuite(
  "the pages below a path of a host",
  (pages) => {
    const { service } = pages;
    let addresses: Record<string, RegExp>;
    before(async () => {
      const person = await pages.clientOf("max");
      addresses = wholePages(await fillPages(pages.client, person, pages.mlflow));
    });

    /** Links and forms of the page that lead beside the path. */
    const beside = (page: Page) =>
      page.evaluate<string[]>(`[
        ...[...document.querySelectorAll("a[href]")].map((link) => link.href),
        ...[...document.querySelectorAll("form[action]")].map((form) => form.action),
      ].filter((address) =>
        new URL(address).origin === location.origin &&
        !address.startsWith("${service.baseUrl}/"))`);

    test("every page is whole, has links of its own alone, and no script fails", async () => {
      const { page, seen } = await pages.open("/experiments");
      for (const [address, whole] of Object.entries(addresses)) {
        await page.goto(service.baseUrl + address);
        await page.getByText(whole).first().waitFor({ state: "attached" });
        assert.deepEqual(await beside(page), [], address);
      }
      for (const address of [consentPath, "/sign-in", "/device", "/nowhere"]) {
        await page.goto(service.baseUrl + address);
        await page.locator("h1").waitFor();
        assert.deepEqual(await beside(page), [], address);
      }
      assert.deepEqual(
        seen.problems.filter((problem) => !problem.includes("404")),
        [],
      );
    });

    test("from sign-in to a chart and back, all within one document", async () => {
      const { page } = await pages.newPage();
      // The address that MLflow's clients print.
      await page.goto(`${service.baseUrl}/#/experiments/0`);
      await page.waitForURL(/sign-in/);
      await signIn(page, people.ada);
      await page.getByText("running-one").first().waitFor();
      await page.evaluate("window.isSame = true");
      await page.getByRole("link", { name: "Compare" }).first().click();
      await page.waitForURL(`${service.baseUrl}/compare`);
      await page.getByRole("link", { name: "Show all experiments" }).click();
      await page.waitForURL(`${service.baseUrl}/experiments`);
      await page.getByRole("link", { name: "running-one" }).first().click();
      await page.waitForURL(new RegExp(`${path}/experiments/`));
      await page
        .getByText(/points, not sampled/)
        .first()
        .waitFor();
      await page.goBack();
      await page.waitForURL(`${service.baseUrl}/experiments`);
      assert.equal(await page.evaluate("window.isSame"), true);
      await page.goto(`${service.baseUrl}/#/experiments/0`);
      // On a slow machine the page leads on while it loads, which ends a wait for its address.
      await page.getByText("running-one").first().waitFor();
      await page.waitForURL(`${service.baseUrl}/experiments`);
      await page.getByRole("button", { name: "Sign out" }).click();
      await page.waitForURL(new RegExp(`${path}/sign-in`));
    });

    test("what is kept of an address has no path, so that the service may move", async () => {
      const { page } = await pages.open("/experiments?q=running");
      await page.getByText("running-one").first().waitFor();
      await page.getByRole("button", { name: "save view…", exact: true }).click();
      await page.getByRole("textbox", { name: "Name" }).fill("mine");
      await page.getByRole("button", { name: "Save", exact: true }).click();
      await page.getByRole("button", { name: "mine", exact: true }).waitFor();
      const views = await (await pages.clientOf("ada")).savedViews.list();
      const kept = views.find(({ name }) => name === "mine");
      assert.match(String(kept?.address), /^\/experiments\?/);
    });

    test("files are read and saved by addresses of the path", async () => {
      const { page } = await pages.open("/artifact?name=runs%2Fmodel&file=config.json");
      await page.getByText(/"lr"/).first().waitFor();
      await page.goto(`${service.baseUrl}/experiments`);
      const download = page.waitForEvent("download");
      await page.getByRole("link", { name: /csv/i }).first().click();
      assert.match((await download).url(), new RegExp(`${path}/api/views/v1/`));
    });
  },
  () => Service.start({ people: true, place: { path, strips: true } }),
);
