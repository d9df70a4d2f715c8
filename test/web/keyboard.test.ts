import assert from "node:assert/strict";
import { before, test } from "node:test";
import { setTimeout } from "node:timers/promises";
import type { Page } from "playwright-core";
import { tried } from "../every-case.ts";
import { pagesSuite } from "./pages-suite.ts";
import { faultsOfStops, tabTo } from "./stops.ts";

pagesSuite("pages without a mouse", (pages) => {
  const { service, people } = pages;
  let other: string;

  before(async () => {
    const { client } = pages;
    const second = await client.record({ slug: "second", meta: { lr: 0.2 } });
    second.record("loss", 1, 1);
    await second.finish();
    other = second.experimentId;
    const recorder = await client.record({ slug: "walked", meta: { lr: 0.1 } });
    for (let step = 0; step < 200; step++) recorder.record("loss", Math.cos(step / 20), step);
    await recorder.annotate("a note", { by: "somebody" });
    await recorder.finish();
    while ((await client.views.experiments({ limit: 0 })).behind > 0) await setTimeout(50);
  });

  test("one signs in, opens an experiment and reads its meta with keys alone", async () => {
    const { page } = await pages.newPage();
    await page.goto(`${service.baseUrl}/experiments`);
    await page.getByLabel("E-mail").waitFor();
    await tabTo(page, 'element.type === "email"');
    await page.keyboard.type(people.ada.email);
    await page.keyboard.press("Tab");
    await page.keyboard.type(people.ada.password);
    await page.keyboard.press("Enter");
    await page.getByText("walked").first().waitFor();
    // The first experiment, in a list of links or in a grid of its own keys.
    await tabTo(page, 'element.matches("td a, [role=grid], [role=row], [role=gridcell]")');
    await page.keyboard.press("Enter");
    await page.getByText("200 points, not sampled").waitFor();
    await tabTo(page, 'element.textContent === "meta"');
    await page.keyboard.press("Enter");
    await page.getByText("lr").first().waitFor();
    await tabTo(page, 'element.textContent === "annotations"');
    await page.keyboard.press("Space");
    await page.getByText("a note").waitFor();
    await page.goBack();
    await page.getByText("lr").first().waitFor();
  });

  test("a dialog that closes gives the keyboard back to what opened it", async () => {
    const { page } = await pages.open("/experiments");
    await page.getByText("walked").first().waitFor();
    await tabTo(page, 'element.textContent === "columns"');
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").waitFor();
    await tabTo(page, 'element.getAttribute("aria-label") === "Close"');
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    assert.equal(await page.evaluate("document.activeElement.textContent"), "columns");
  });

  const screens = Object.entries({
    "a screen": { width: 1_280, height: 800 },
    "a phone": { width: 390, height: 844 },
  });
  for (const [name, viewport] of tried(screens, ([name]) => name === "a screen")) {
    test(`each stop on ${name} is seen, is not covered, and none is a trap`, async () => {
      const { page } = await pages.newPage({ viewport });
      await page.goto(`${service.baseUrl}/experiments`);
      await page.waitForURL(/sign-in/);
      await walk(page, "sign-in");
      await page.getByLabel("E-mail").fill(people.ada.email);
      await page.getByLabel("Password").fill(people.ada.password);
      await page.keyboard.press("Enter");
      await page.getByText("walked").first().waitFor();
      await walk(page, "experiments");
      await page.getByText("walked").first().click();
      await page.getByText("200 points, not sampled").waitFor();
      for (const tab of ["overview", "charts", "console", "meta", "annotations"]) {
        await page.getByRole("button", { name: tab, exact: true }).click();
        await walk(page, tab);
      }
      const { pathname } = new URL(page.url());
      const ids = [pathname.split("/").at(-1), other].join();
      await page.goto(`${service.baseUrl}/compare?e=${ids}&apart=first&plot=parallel`);
      await page.locator("figure.chart canvas").first().waitFor();
      await page.getByRole("region", { name: "Keys that tell A from B" }).waitFor();
      await page.getByText("ranges of the axes").click();
      await walk(page, "compare");
    });
  }
});

/** From the beginning of the page to its end. */
async function walk(page: Page, name: string): Promise<void> {
  assert.deepEqual(await faultsOfStops(page), [], name);
}
