import { setTimeout } from "node:timers/promises";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { people } from "../service.ts";

/** No page is so slow that a test should fail for it. */
export const patienceMs = 120_000;

/** Replies of the service come up to this much later, to find tests that count too early. */
const slowestMs = Number(process.env.LOSSLESS_TEST_SLOW_MS ?? 0);

export interface Seen {
  /** Errors of scripts, and what the policy of the page refused. */
  problems: string[];
  origins: Set<string>;
}

export interface Opened {
  page: Page;
  seen: Seen;
}

/** A browser of its own, signed in nowhere. */
export async function newPage(
  browser: Browser,
  options: BrowserContextOptions = {},
): Promise<Opened> {
  const page = await emptyPage(browser, options);
  return { page, seen: await watch(page) };
}

export async function emptyPage(browser: Browser, options: BrowserContextOptions): Promise<Page> {
  const context = await browser.newContext({ locale: "en-US", ...options });
  context.setDefaultTimeout(patienceMs);
  return context.newPage();
}

/** From now on what goes wrong in the page is seen. */
export async function watch(page: Page): Promise<Seen> {
  if (slowestMs > 0) {
    // Requests of the page that a test routes itself are its own.
    await page.context().route("**/api/**", async (route) => {
      await setTimeout(Math.random() * slowestMs);
      await route.continue().catch(() => undefined);
    });
  }
  const seen: Seen = { problems: [], origins: new Set() };
  page.on("pageerror", (error) => seen.problems.push(error.message));
  page.on("console", (message) => {
    // Without a session the first question is refused, as it has to be.
    const isSignIn = message.text().includes("401");
    if (message.type() === "error" && !isSignIn) seen.problems.push(message.text());
  });
  page.on("request", (request) => {
    if (!request.url().startsWith("data:")) seen.origins.add(new URL(request.url()).origin);
  });
  return seen;
}

/**
 * Problems beyond reads of what is gone: a page that is open may read it once more while it is
 * deleted, and the browser tells its console.
 */
export function withoutGone({ problems }: Seen): string[] {
  return problems.filter((text) => !text.includes("404"));
}

/** On the page that asks for it. */
export async function signIn(
  page: Page,
  person: { email: string; password: string } = people.ada,
): Promise<void> {
  await page.getByLabel("E-mail").fill(person.email);
  await page.getByLabel("Password").fill(person.password);
  await page.getByRole("button", { name: "Sign in" }).click();
}
