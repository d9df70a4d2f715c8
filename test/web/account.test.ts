import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { signIn } from "./new-page.ts";
import { pagesSuite } from "./pages-suite.ts";

pagesSuite("the account, and the organizations that a person belongs to", (pages) => {
  const { service, people, organizations } = pages;

  async function open(person: keyof typeof people, path: string) {
    const opened = await pages.newPage();
    await opened.page.goto(service.baseUrl + path);
    await signIn(opened.page, people[person]);
    return opened;
  }

  test("who belongs to several chooses first, and switches by the name in the header", async () => {
    const { page, seen } = await open("bo", "/organization/people");
    await page.getByRole("heading", { name: "Choose an organization" }).waitFor();
    assert.equal(await page.getByRole("navigation", { name: "Pages" }).count(), 0);
    await page
      .getByRole("main")
      .getByRole("button", { name: /^rival/ })
      .click();
    await page.getByRole("heading", { name: "Record your first experiment" }).waitFor();
    await page.getByRole("button", { name: "Create a token" }).waitFor();
    const menu = page.locator(".menu[data-place=pages]");
    await menu.locator("summary").click();
    assert.ok(await menu.getByRole("button", { name: /^rival/ }).isDisabled());
    await menu.getByRole("button", { name: /^acme/ }).waitFor();
    await page.keyboard.press("Escape");
    await menu.getByRole("button", { name: /^acme/ }).waitFor({ state: "hidden" });
    await page.keyboard.press("Enter");
    await menu.getByRole("button", { name: `${organizations.acme.name} admin` }).click();
    await page.getByRole("button", { name: "Create an API key" }).waitFor();
    assert.deepEqual(seen.problems, []);
  });

  test("a tab whose organization another one has left shows nothing of the other, and says so", async () => {
    const { page } = await open("bo", "/account");
    await page.getByRole("main").getByRole("button", { name: /^acme/ }).click();
    await page.waitForURL(`${service.baseUrl}/experiments`);
    await page.goto(`${service.baseUrl}/organization/people`);
    await page.getByText(people.ada.email).waitFor();
    const other = await page.context().newPage();
    await other.goto(`${service.baseUrl}/account`);
    await other
      .getByRole("main")
      .getByRole("button", { name: /^rival/ })
      .click();
    await other.waitForURL(`${service.baseUrl}/experiments`);
    await page.getByRole("link", { name: "Keys", exact: true }).click();
    await page.getByRole("heading", { name: "Another tab switched the organization" }).waitFor();
    await page.getByRole("button", { name: "Switch back to acme" }).click();
    await page.getByRole("heading", { name: "Keys" }).waitFor();
    await page.getByText("test", { exact: true }).waitFor();
  });

  test("a session is ended from another one, and by itself", async () => {
    const first = await open("max", "/account");
    const second = await open("max", "/account");
    const rows = second.page.getByRole("table", { name: "Sessions" }).getByRole("row");
    await second.page.getByText("this session").waitFor();
    assert.equal(await rows.count(), 3, "the head and two sessions");
    await second.page.getByRole("button", { name: /^End Headless Chrome/ }).click();
    const dialog = second.page.getByRole("dialog");
    await dialog.getByText(/This cannot be undone/).waitFor();
    await dialog.getByRole("button", { name: "End" }).click();
    await second.page
      .getByRole("button", { name: /^End Headless Chrome/ })
      .waitFor({ state: "detached" });
    await first.page.goto(`${service.baseUrl}/account`);
    await first.page.waitForURL(/\/sign-in\?next=%2Faccount$/);
    await second.page.getByRole("main").getByRole("button", { name: "Sign out" }).click();
    await second.page.getByRole("dialog").getByRole("button", { name: "Sign out" }).click();
    await second.page.waitForURL(`${service.baseUrl}/sign-in`);
    await second.page.goto(`${service.baseUrl}/account`);
    await second.page.waitForURL(/\/sign-in\?next/);
  });

  test("Sign out in the header ends the session", async () => {
    const { page } = await open("max", "/account");
    await page.getByRole("banner").getByRole("button", { name: "Sign out" }).click();
    await page.waitForURL(`${service.baseUrl}/sign-in`);
    await page.getByLabel("E-mail").waitFor();
  });

  test("a new password ends what stood on the old one; what was typed stays when it is refused", async () => {
    const { page, seen } = await open("rita", "/account");
    const other = await open("rita", "/account");
    await other.page.getByText("this session").waitFor();
    const next = "rita's other long password";
    const fill = async (current: string, again: string) => {
      await page.getByLabel("Current password").fill(current);
      await page.getByLabel("New password", { exact: true }).fill(next);
      await page.getByLabel("Repeat the new password").fill(again);
      await page.getByRole("button", { name: "Change password" }).click();
    };
    await fill(people.rita.password, "something else");
    await page.getByText("The two new passwords do not match.").waitFor();
    await fill("not the present one", next);
    await page.getByText("The present password is wrong.").waitFor();
    assert.equal(await page.getByLabel("New password", { exact: true }).inputValue(), next);
    await fill(people.rita.password, next);
    await page.getByText("The password was changed. All other sign-ins have ended.").waitFor();
    assert.equal(await page.getByLabel("New password", { exact: true }).inputValue(), "");
    await other.page.goto(`${service.baseUrl}/account`);
    await other.page.waitForURL(/\/sign-in/);
    assert.deepEqual(
      seen.problems.filter((problem) => !problem.includes("401")),
      [],
    );
  });

  test("theme and density are this browser's: they stay, and no address has them", async () => {
    const { page, seen } = await open("ada", "/account");
    const ground = () =>
      page.evaluate("getComputedStyle(document.documentElement).backgroundColor");
    const light = await ground();
    await page.getByLabel("dark").check();
    const dark = await ground();
    assert.notEqual(dark, light);
    await page.getByLabel("dense").check();
    await page.goto(`${service.baseUrl}/organization/keys`);
    await page.getByRole("heading", { name: "Keys" }).waitFor();
    assert.equal(await ground(), dark);
    assert.equal(page.url(), `${service.baseUrl}/organization/keys`);
    assert.equal(await page.evaluate("document.documentElement.dataset.density"), "dense");
    await page.goto(`${service.baseUrl}/account`);
    await page.emulateMedia({ colorScheme: "dark" });
    await page.getByLabel("light").check();
    assert.equal(await ground(), light);
    await page.getByLabel("same as the system").check();
    assert.equal(await ground(), dark);
    assert.deepEqual(seen.problems, []);
  });

  test("a person erases their account, by address and password, and cannot sign in again", async () => {
    const { page } = await open("max", "/account");
    await page.getByRole("button", { name: /^Erase your account/ }).click();
    const dialog = page.getByRole("dialog");
    const erase = async (email: string) => {
      await dialog.getByLabel(/^Type your e-mail/).fill(email);
      await dialog.getByRole("button", { name: "Erase for ever" }).click();
    };
    await dialog.getByLabel(/^Password/).fill(people.max.password);
    await erase(people.ada.email);
    await dialog.getByRole("alert").waitFor();
    await erase(people.max.email);
    await page.waitForURL(`${service.baseUrl}/sign-in`);
    await signIn(page, people.max);
    await page.getByRole("alert").waitFor();
    const owner = await open("ada", "/organization/people");
    await owner.page.getByText(people.ada.email).first().waitFor();
    assert.equal(await owner.page.getByText(people.max.email).count(), 0);
  });

  test("all of it works by keyboard alone", async () => {
    const { page } = await open("ada", "/account");
    await page.getByText("this session").waitFor();
    const reached = new Set<string>();
    await page.locator("body").press("Tab");
    for (let steps = 0; steps < 60; steps++) {
      reached.add(await nameOfFocused(page));
      await page.keyboard.press("Tab");
    }
    for (const name of ["Lossless", "Sign out", "Current password", "Change password"])
      assert.ok(
        [...reached].some((one) => one.includes(name)),
        `${name} in ${[...reached].join()}`,
      );
    assert.ok([...reached].some((one) => one.startsWith("Organization acme")));
    assert.ok([...reached].some((one) => one.startsWith("Account of ada")));
  });
});

async function nameOfFocused(page: Page): Promise<string> {
  const name = await page.evaluate(`(() => {
    const { activeElement: element } = document;
    return element.getAttribute("aria-label") ?? element.labels?.[0]?.textContent ?? element.textContent;
  })()`);
  return name as string;
}
