import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { Page } from "playwright-core";
import { pagesSuite } from "./pages-suite.ts";
import { counted } from "./recorded-runs.ts";

pagesSuite("saved views in a browser", (pages) => {
  const { people } = pages;

  before(async () => {
    const { client } = pages;
    for (const lr of [0.1, 0.01, 0.001])
      await client.openExperiment({ slug: `run-${lr}`, description: "", meta: { lr } });
    await counted(client);
  });

  async function open(person: keyof typeof people, address = ""): Promise<Page> {
    const { page } = await pages.open(`/experiments${address}`, { person });
    await page.getByRole("grid").waitFor();
    return page;
  }

  const button = (page: Page, name: string | RegExp) =>
    page.getByRole("button", { name, exact: typeof name === "string" });

  async function save(page: Page, name: string, isShared: boolean): Promise<void> {
    await button(page, "save view…").click();
    await page.getByRole("textbox", { name: "Name" }).fill(name);
    if (isShared) await page.getByLabel(/everyone/).check();
    await button(page, "Save").click();
    await page.waitForURL(/view=[0-9a-z]{26}/);
  }

  test("what is shown is saved, shared, told apart from what it was, and replaced", async () => {
    const page = await open("max", "?q=meta.lr > 0.005");
    await page.getByText("2 found", { exact: true }).waitFor();
    await save(page, "High rates", true);
    const saved = button(page, /^High rates/);
    assert.equal(await saved.getAttribute("aria-pressed"), "true");
    await page.getByRole("combobox", { name: "Query" }).fill("meta.lr > 0.05");
    await button(page, "High rates · changed").waitFor();
    await page.getByText("1 found", { exact: true }).waitFor();

    // Somebody else sees what was saved, and a link shows what its sender saw.
    const other = await open("ada");
    await button(other, "High rates").click();
    await other.getByText("2 found", { exact: true }).waitFor();
    await other.goto(page.url());
    await other.getByText("1 found", { exact: true }).waitFor();
    await button(other, "High rates · changed").waitFor();

    const menu = page.getByLabel("Menu of the view High rates");
    await menu.click();
    await button(page, "restore the saved view").click();
    await page.getByText("2 found", { exact: true }).waitFor();
    await page.getByRole("combobox", { name: "Query" }).fill("meta.lr > 0.05");
    await button(page, "High rates · changed").waitFor();
    await menu.click();
    await button(page, "save what is shown").click();
    await button(page, "High rates").and(page.locator("[aria-pressed=true]")).waitFor();
    await other.reload();
    await button(other, "High rates").waitFor();
    assert.equal(await button(other, "High rates · changed").count(), 0);
  });

  test("a link to what is shown is copied by the keyboard, over plain HTTP too", async () => {
    const page = await open("max", "?q=meta.lr > 0.005");
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    const copy = async () => {
      await button(page, "copy link").press("Enter");
      await button(page, "copied").waitFor();
      return page.evaluate<string>("navigator.clipboard.readText()");
    };
    assert.equal(await copy(), page.url());
    await page.getByRole("link", { name: "run-0.1" }).click();
    await page.getByText("No points are recorded yet").waitFor();
    // As on a page that came from another machine without https.
    await page.evaluate("navigator.clipboard.writeText = undefined");
    assert.equal(await copy(), page.url());
  });

  test("a change that somebody else was before of is refused, and says who", async () => {
    const page = await open("max", "?q=status = done");
    await save(page, "Contested", true);
    const other = await open("ada");
    await button(other, "Contested").click();
    await other.getByLabel("Menu of the view Contested").click();
    await button(other, "rename or share…").click();
    assert.ok(await other.getByLabel("only me").isDisabled(), "it is max's to take back");
    await other.getByRole("textbox", { name: "Name" }).fill("Theirs");
    await button(other, "Save").click();
    await button(other, "Theirs").waitFor();
    await page.getByLabel("Menu of the view Contested").click();
    await button(page, "rename or share…").click();
    await page.getByRole("textbox", { name: "Name" }).fill("Mine");
    await button(page, "Save").click();
    await page.getByText(`${people.ada.email} has changed this view`).waitFor();
    // The current state was read meanwhile, so the change is allowed now.
    await page.getByRole("heading", { name: "Rename or share Theirs" }).waitFor();
    await button(page, "Save").click();
    await button(page, "Mine").waitFor();
  });

  test("a built-in view is saved with what it shows; one's own nobody else has; it is deleted by keys", async () => {
    const page = await open("max");
    await button(page, "Running").click();
    await save(page, "My running", false);
    assert.equal(new URL(page.url()).searchParams.get("q"), "status = running");
    const other = await open("ada");
    const read = other.waitForResponse(/\/views\/v1\/saved/);
    await other.reload();
    await (await read).finished();
    await other.waitForTimeout(300);
    assert.equal(await button(other, "My running").count(), 0);
    await page.getByLabel("Menu of the view My running").focus();
    await page.keyboard.press("Enter");
    await button(page, "delete…").focus();
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Delete the view My running?" }).waitFor();
    await button(page, "Delete").focus();
    await page.keyboard.press("Enter");
    await button(page, "My running").waitFor({ state: "detached" });
  });

  test("more views than there is room for stand in a menu", async () => {
    const page = await open("ada");
    await page.evaluate(async (base) => {
      const session = (await (await fetch(`${base}/api/v1/sessions`)).json()) as { csrf: string };
      for (let at = 0; at < 9; at++)
        await fetch(`${base}/api/views/v1/saved`, {
          method: "POST",
          headers: { "content-type": "application/json", "x-csrf-token": session.csrf },
          body: JSON.stringify({ name: `z${at}`, scope: "own", address: "/experiments?q=run" }),
        });
    }, pages.service.baseUrl);
    await page.reload();
    await page.getByLabel(/more saved views/).click();
    await button(page, "z8").click();
    await button(page, "z8").and(page.locator("[aria-pressed=true]")).waitFor();
  });
});
