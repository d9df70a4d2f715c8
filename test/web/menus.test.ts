import assert from "node:assert/strict";
import { test } from "node:test";
import { pagesSuite } from "./pages-suite.ts";
import { until } from "./until.ts";

pagesSuite("menus that stay open", (pages) => {
  let made: Promise<string[]> | undefined;
  const record = async (): Promise<string[]> => {
    const ids: string[] = [];
    for (let at = 0; at < 4; at++) {
      const meta = { opt: ["adam", "muon"][at % 2], lr: at < 2 ? 0.1 : 0.2 };
      const run = await pages.client.record({ slug: `menus/${at}`, meta });
      for (const step of [0, 1]) run.record("loss", at + step, step);
      await run.finish();
      ids.push(run.experimentId);
    }
    return ids;
  };
  const opened = async () => {
    const { page } = await pages.open(`/compare?e=${(await (made ??= record())).join()}`);
    const button = page.locator("summary[aria-label^='group by: ']");
    const list = page.getByRole("list", { name: "Keys" });
    const key = (name: string) => list.getByRole("button", { name: new RegExp(`^meta\\.${name}`) });
    const focused = () =>
      page.evaluate<string | null>("document.activeElement.getAttribute('aria-label')");
    await button.waitFor();
    await page.locator("figure canvas").first().waitFor();
    const isReady = () => until(async () => assert.equal(await focused(), "Search keys"));
    const isClosed = () => list.waitFor({ state: "detached" });
    return { page, button, list, key, focused, isReady, isClosed };
  };

  test("a click elsewhere, or on its button, closes one in which several were chosen", async () => {
    const { page, button, list, key, focused, isReady, isClosed } = await opened();
    await button.click();
    await key("opt").click();
    await key("lr").click();
    await page.waitForURL(/group=meta\.opt%2Cmeta\.lr/);
    await isReady();
    // Between the choices a click does nothing.
    const box = (await page.locator(".menu[open] > div").boundingBox())!;
    await page.mouse.click(box.x + box.width / 2, box.y + box.height - 2);
    await list.waitFor();
    await page
      .locator("h1")
      .first()
      .click({ position: { x: 2, y: 2 } });
    await isClosed();
    await until(async () => assert.equal(await focused(), "group by: opt, lr"));
    await button.click();
    await isReady();
    await page.locator(".u-over").first().click();
    await isClosed();
    for (const isOpen of [true, false, true]) {
      await button.click();
      await list.waitFor({ state: isOpen ? "attached" : "detached" });
    }
    await button.click();
    await isClosed();
    assert.equal(await focused(), "group by: opt, lr");
  });

  test("so do Escape and Tab, with the keyboard alone", async () => {
    const { page, button, list, focused, isReady, isClosed } = await opened();
    await button.focus();
    await page.keyboard.press("Enter");
    await isReady();
    await page.keyboard.press("Tab");
    await page.keyboard.press("Space");
    await page.waitForURL(/group=/);
    await page.keyboard.press("Tab");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.waitForURL(/group=meta\.\w+%2Cmeta\.\w+/);
    await list.waitFor();
    await page.keyboard.press("Escape");
    await isClosed();
    assert.match((await focused())!, /^group by: \w+, \w+$/);
    await page.keyboard.press("Enter");
    await isReady();
    await button.focus();
    await page.keyboard.press("Shift+Tab");
    await isClosed();
    assert.doesNotMatch((await focused()) ?? "", /^group by/);
  });
});
