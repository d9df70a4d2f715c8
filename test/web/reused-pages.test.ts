import assert from "node:assert/strict";
import { test } from "node:test";
import { pagesSuite } from "./pages-suite.ts";
import { ReusedPages } from "./reused-pages.ts";

pagesSuite("pages that tests use one after the other", (pages) => {
  test("nothing of a test is left in the page of the next one", async () => {
    const reused = new ReusedPages(() => pages.browser);
    const { page, seen } = await reused.take({});
    const address = `${pages.service.baseUrl}/sign-in`;
    await page.goto(address);
    const left = { name: "left", value: "1", url: pages.service.baseUrl };
    await page.context().addCookies([left]);
    await page.evaluate("localStorage.setItem('left', '1')");
    await page.setViewportSize({ width: 390, height: 844 });
    await page.emulateMedia({ colorScheme: "dark" });
    await page.route("**/sign-in", (route) => route.fulfill({ body: "routed" }));
    let heard = 0;
    page.on("request", () => heard++);
    await reused.giveBack(page.context());

    const { page: next, seen: own } = await reused.take({});
    assert.equal(next, page, "it is used again");
    assert.notEqual(own, seen);
    const before = heard;
    await next.goto(address);
    assert.deepEqual(await next.context().cookies(), []);
    const found = await next.evaluate(`({
      stored: localStorage.length, width: innerWidth,
      isDark: matchMedia("(prefers-color-scheme: dark)").matches,
    })`);
    assert.deepEqual(found, { stored: 0, width: 1_280, isDark: false });
    assert.ok(!(await next.content()).includes("routed"));
    assert.equal(heard, before, "no listener is left");

    await next.addInitScript("globalThis.left = 1");
    await reused.giveBack(next.context());
    const { page: other } = await reused.take({});
    assert.notEqual(other, next, "what was done lasts");
    await reused.giveBack(other.context());
    const { page: wide } = await reused.take({ viewport: null });
    assert.notEqual(wide, other, "other options");
    await wide.context().close();
    await reused.close();
  });
});
