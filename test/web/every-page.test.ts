import assert from "node:assert/strict";
import { before, test } from "node:test";
import { setTimeout } from "node:timers/promises";
import type { Page } from "playwright-core";
import { tried } from "../every-case.ts";
import { fillPages, wholePages } from "./filled-pages.ts";
import { faultsOfLayout, spreadText } from "./layout-faults.ts";
import { pagesSuite } from "./pages-suite.ts";
import { faultsOfStops, tabTo } from "./stops.ts";

/** A laptop's screen, as it is and at twice and four times its size. */
const windows = {
  "as it is": { width: 1_280, height: 800 },
  "at twice its size": { width: 640, height: 400 },
  "at four times its size": { width: 320, height: 256 },
};

pagesSuite(
  "every page can be used without a mouse, enlarged, and with more room in its text",
  (pages) => {
    const { service } = pages;
    let addresses: Record<string, RegExp>;

    before(async () => {
      addresses = wholePages(
        await fillPages(pages.client, await pages.clientOf("max"), pages.mlflow),
      );
    });

    async function open(path = "/experiments"): Promise<Page> {
      const { page } = await pages.open(path);
      await page.locator("main").waitFor();
      return page;
    }

    /** All pages, one after the other; what is wrong with each. */
    async function look(
      page: Page,
      faultsOf: (page: Page) => Promise<string[]>,
    ): Promise<string[]> {
      const faults: string[] = [];
      for (const [path, whole] of Object.entries(addresses)) {
        await page.goto(service.baseUrl + path);
        await page.getByText(whole).first().waitFor({ state: "attached" });
        await page.getByText(/^Reading/).waitFor({ state: "detached" });
        for (const fault of await faultsOf(page)) faults.push(`${path}: ${fault}`);
      }
      return faults;
    }

    const sizes = ["as it is", "at four times its size"] as const;
    for (const size of tried(sizes, (one) => one !== "as it is")) {
      test(`${size}, each stop of Tab is seen, and none is a trap`, async () => {
        const page = await open();
        await page.setViewportSize(windows[size]);
        assert.deepEqual(await look(page, faultsOfStops), []);
      });
    }

    test("of any size, and with more room between letters, nothing is cut or too small", async () => {
      const faults = await look(await open(), async (page) => {
        const found: string[] = [];
        for (const [size, viewport] of Object.entries(windows)) {
          await page.setViewportSize(viewport);
          for (const fault of await lastingFaults(page)) found.push(`${size}: ${fault}`);
        }
        await page.setViewportSize(windows["as it is"]);
        await spreadText(page);
        return [...found, ...(await lastingFaults(page))];
      });
      assert.deepEqual(faults, []);
    });

    test("what is looked for here would be found", async () => {
      const page = await open("/account");
      await page.evaluate(`(() => {
      const put = (name, style, words) => {
        const element = document.createElement(name);
        Object.assign(element.style, style);
        element.textContent = words;
        document.querySelector("main").prepend(element);
        return element;
      };
      put("div", { width: "2000px" }, "wide");
      put("p", { overflow: "hidden", height: "8px" }, "half of it");
      const small = { minHeight: "0", height: "16px", width: "16px", padding: "0" };
      put("button", small, "a");
      put("button", { ...small, outline: "none" }, "b").tabIndex = 1;
    })()`);
      const faults = [...(await faultsOfLayout(page)), ...(await faultsOfStops(page))];
      for (const wanted of [
        /^wider than its window, \d+: DIV wide/,
        /^P half of it is cut by P/,
        /^BUTTON a is small, and beside BUTTON b/,
        /^BUTTON b: no sign of focus/,
        /^BUTTON b: has an order of its own/,
      ])
        assert.ok(
          faults.some((fault) => wanted.test(fault)),
          `${wanted} in ${faults.join("; ")}`,
        );
    });

    test("a page that comes is told by its title, and has the keyboard at its beginning", async () => {
      const page = await open();
      await page.getByRole("grid").focus();
      await page.keyboard.press("Enter");
      await page
        .getByRole("status")
        .getByText(/-one · Lossless/)
        .waitFor();
      assert.equal(await page.evaluate("document.activeElement.tagName"), "MAIN");
      await page.keyboard.press("Tab");
      const isInside = 'document.activeElement.closest("main") !== null';
      assert.equal(await page.evaluate(isInside), true);
      // An element that still exists keeps the focus.
      await tabTo(page, 'element.textContent === "Artifacts"');
      await page.keyboard.press("Enter");
      await page.getByRole("status").getByText("Artifacts · Lossless").waitFor();
      assert.equal(await page.evaluate("document.activeElement.textContent"), "Artifacts");
      // The first stop leads past the navigation.
      await page.reload();
      await page.locator(".skip").waitFor({ state: "attached" });
      await page.keyboard.press("Tab");
      await page.keyboard.press("Enter");
      await page.waitForFunction('document.activeElement.matches("main")');
      await page.keyboard.press("Tab");
      assert.equal(await page.evaluate(isInside), true);
    });

    test("letters that are switched off do nothing, and everything else does", async () => {
      const page = await open();
      const keys = page.getByRole("dialog", { name: "Keyboard shortcuts" });
      await page.keyboard.press("?");
      await keys.getByRole("link", { name: "your account page" }).click();
      await page
        .getByRole("group", { name: /shortcuts/ })
        .getByLabel("off")
        .check();
      const [running] = Object.keys(addresses).filter((path) => path.startsWith("/experiments/"));
      await page.goto(service.baseUrl + running);
      await page
        .getByText(/points, not sampled/)
        .first()
        .waitFor();
      for (const letter of ["x", "l", "s", "]", "a", "?"]) await page.keyboard.press(letter);
      await page.locator("figure.chart").first().hover();
      await page.keyboard.press("ArrowRight");
      await page.locator("p[aria-live='polite']", { hasText: /step/ }).waitFor();
      assert.equal(new URL(page.url()).search, "?tab=charts");
      assert.equal(await page.getByRole("dialog").count(), 0);
      await page.goto(`${service.baseUrl}/account`);
      await page
        .getByRole("group", { name: /shortcuts/ })
        .getByLabel("on")
        .check();
      await page.goto(service.baseUrl + running);
      await page
        .getByText(/points, not sampled/)
        .first()
        .waitFor();
      await page.keyboard.press("l");
      await page.waitForURL(/y=log/);
    });
  },
);

/** Charts are made anew some time after their window has another size. */
async function lastingFaults(page: Page): Promise<string[]> {
  let faults = await faultsOfLayout(page);
  for (let look = 0; look < 100 && faults.length > 0; look++) {
    await setTimeout(100);
    faults = await faultsOfLayout(page);
  }
  return faults;
}
