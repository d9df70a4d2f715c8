import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { LosslessClient } from "@lossless/client";
import type { Browser, Page } from "playwright-core";
import { organizations, people, Service } from "../service.ts";
import { startChromium } from "./chromium.ts";
import { newPage, signIn } from "./new-page.ts";

suite("pages without a mouse", () => {
  let service: Service;
  let browser: Browser;

  before(async () => {
    service = await Service.start({ people: true });
    browser = await startChromium();
    const client = new LosslessClient({
      baseUrl: service.baseUrl,
      apiKey: organizations.acme.key,
    });
    const recorder = await client.record({ slug: "walked", meta: { lr: 0.1 } });
    for (let step = 0; step < 200; step++) recorder.record("loss", Math.cos(step / 20), step);
    await recorder.annotate("a note", { by: "somebody" });
    await recorder.finish();
  });
  after(async () => {
    await browser?.close();
    await service?.[Symbol.asyncDispose]();
  });

  test("one signs in, opens an experiment and reads its meta with keys alone", async () => {
    const { page } = await newPage(browser);
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
    await page.getByText("200 points, all considered").waitFor();
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
    const { page } = await newPage(browser);
    await page.goto(`${service.baseUrl}/experiments`);
    await signIn(page);
    await page.getByText("walked").first().waitFor();
    await tabTo(page, 'element.textContent === "columns"');
    await page.keyboard.press("Enter");
    await tabTo(page, 'element.getAttribute("aria-label") === "Close"');
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    assert.equal(await page.evaluate("document.activeElement.textContent"), "columns");
  });

  for (const [name, viewport] of Object.entries({
    "a screen": { width: 1_280, height: 800 },
    "a phone": { width: 390, height: 844 },
  })) {
    test(`each stop on ${name} is seen, is not covered, and none is a trap`, async () => {
      const { page } = await newPage(browser, { viewport });
      await page.goto(`${service.baseUrl}/experiments`);
      await page.waitForURL(/sign-in/);
      await walk(page, "sign-in");
      await page.getByLabel("E-mail").fill(people.ada.email);
      await page.getByLabel("Password").fill(people.ada.password);
      await page.keyboard.press("Enter");
      await page.getByText("walked").first().waitFor();
      await walk(page, "experiments");
      await page.getByText("walked").first().click();
      await page.getByText("200 points, all considered").waitFor();
      for (const tab of ["charts", "meta", "annotations"]) {
        await page.getByRole("button", { name: tab, exact: true }).click();
        await walk(page, tab);
      }
    });
  }
});

/** More than any page has. */
const stopsMax = 150;

/** Presses Tab until it stands on the element of which this is true. */
async function tabTo(page: Page, condition: string): Promise<void> {
  for (let stop = 0; stop < stopsMax; stop++) {
    const found = await page.evaluate(`((element) => ${condition})(document.activeElement)`);
    if (found === true) return;
    await page.keyboard.press("Tab");
  }
  assert.fail(`${condition} is not reached in ${stopsMax} stops`);
}

/** Where the keyboard stands: `name`, and what is wrong there. */
interface Stop {
  name: string;
  faults: string[];
}

/** From the beginning of the page to its end, and past it. */
async function walk(page: Page, name: string): Promise<void> {
  await toEnd(page, name);
  const stops = await toEnd(page, name);
  assert.ok(stops.length > 1, `${name} has no stops`);
  const wrong = stops.filter(({ faults }) => faults.length > 0);
  assert.deepEqual(wrong, [], name);
}

/** From where the keyboard is to the end, from where the next one is the beginning. */
async function toEnd(page: Page, name: string): Promise<Stop[]> {
  const stops: Stop[] = [];
  while (stops.length < stopsMax) {
    await page.keyboard.press("Tab");
    const stop = (await page.evaluate(standing)) as Stop | null;
    if (stop === null) return stops;
    stops.push(stop);
  }
  assert.fail(`${name} has no end: ${stops.at(-1)?.name}`);
}

// A text, since the types of a browser are not those of this program.
const standing = `(() => {
  const element = document.activeElement;
  if (element === null || element === document.body) return null;
  const style = getComputedStyle(element);
  const faults = [];
  if (style.outlineStyle === "none" && style.boxShadow === "none") faults.push("no sign of focus");
  const { left, top, right, bottom } = element.getBoundingClientRect();
  const x = (Math.max(0, left) + Math.min(innerWidth, right)) / 2;
  const y = (Math.max(0, top) + Math.min(innerHeight, bottom)) / 2;
  const shown = document.elementFromPoint(x, y);
  if (right - left < 1 || shown === null) faults.push("not on screen");
  else if (!element.contains(shown) && !shown.contains(element)) faults.push("covered by " + shown.tagName + "." + shown.className);
  return { name: element.tagName + " " + (element.getAttribute("aria-label") ?? element.textContent ?? "").trim().slice(0, 40), faults };
})()`;
