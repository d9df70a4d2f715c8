import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import { emptyPage, type Opened, watch } from "./new-page.ts";

/** Calls whose effect stays: a page is not used again after any of them. */
const lasting = {
  page: ["addInitScript", "exposeFunction", "exposeBinding", "setExtraHTTPHeaders"],
  context: [
    "addInitScript",
    "exposeFunction",
    "exposeBinding",
    "grantPermissions",
    "newCDPSession",
    "newPage",
    "on",
    "setExtraHTTPHeaders",
    "setOffline",
  ],
} as const;
/** No page takes so long to be left; one that asks whether to be left is closed. */
const leavingMs = 10_000;
const usualWindow = { width: 1_280, height: 720 };

interface Used extends Opened {
  options: BrowserContextOptions;
  marks: Marks;
}

interface Marks {
  /** Whether something lasting was done with the page. */
  isSpent: boolean;
  /** Each ends a listener of a test. Those of Playwright itself have to stay. */
  listeners: (() => void)[];
}

/**
 * Pages of one suite, which later tests use again as if they were new: a page in a process of its
 * own is more work than one that goes to another address.
 */
export class ReusedPages {
  readonly #browser: () => Browser;
  readonly #used = new Map<BrowserContext, Used>();
  readonly #idle: Used[] = [];

  constructor(browser: () => Browser) {
    this.#browser = browser;
  }

  async take(options: BrowserContextOptions): Promise<Opened> {
    const form = JSON.stringify(options);
    const at = this.#idle.findIndex((used) => JSON.stringify(used.options) === form);
    const [idle] = at < 0 ? [] : this.#idle.splice(at, 1);
    if (idle !== undefined) {
      idle.seen = await watch(idle.page);
      this.#used.set(idle.page.context(), idle);
      return idle;
    }
    const page = await emptyPage(this.#browser(), options);
    const marks = noticing(page);
    const used: Used = { page, options, marks, seen: await watch(page) };
    this.#used.set(page.context(), used);
    return used;
  }

  /** Takes back a page, for another test. */
  async giveBack(context: BrowserContext): Promise<void> {
    const used = this.#used.get(context)!;
    this.#used.delete(context);
    if (used.marks.isSpent || !(await isFreed(used))) await context.close();
    else this.#idle.push(used);
  }

  async close(): Promise<void> {
    await Promise.all(this.#idle.splice(0).map(({ page }) => page.context().close()));
  }
}

/** Frees a page of what a test has done with it; false: it was closed, or cannot be freed. */
async function isFreed({ page, options, marks }: Used): Promise<boolean> {
  const context = page.context();
  if (page.isClosed() || context.pages().length !== 1) return false;
  try {
    await page.unrouteAll({ behavior: "ignoreErrors" });
    await context.unrouteAll({ behavior: "ignoreErrors" });
    for (const end of marks.listeners.splice(0)) end();
    if (page.url().startsWith("http")) await page.evaluate("localStorage.clear()");
    await page.goto("about:blank", { timeout: leavingMs });
    await context.clearCookies();
    await page.emulateMedia({
      media: null,
      colorScheme: options.colorScheme ?? "light",
      reducedMotion: options.reducedMotion ?? "no-preference",
      forcedColors: options.forcedColors ?? "none",
    });
    await page.setViewportSize(options.viewport ?? usualWindow);
    await page.mouse.move(0, 0);
    return true;
  } catch {
    return false;
  }
}

/** From now on lasting calls and listeners of a page are noticed. */
function noticing(page: Page): Marks {
  const marks: Marks = { isSpent: false, listeners: [] };
  const notice = <Name extends string>(object: Record<Name, unknown>, names: readonly Name[]) => {
    for (const name of names) {
      const own = object[name] as (...given: unknown[]) => unknown;
      object[name] = (...given: unknown[]) => {
        marks.isSpent = true;
        return own.apply(object, given);
      };
    }
  };
  notice(page, lasting.page);
  notice(page.context(), lasting.context);
  const { clock } = page;
  const spent = {
    get() {
      marks.isSpent = true;
      return clock;
    },
  };
  Object.defineProperty(page, "clock", spent);
  Object.defineProperty(page.context(), "clock", spent);
  const on = page.on.bind(page) as (event: string, listener: () => void) => void;
  const listen = (event: string, listener: () => void) => {
    marks.listeners.push(() => page.off(event as "close", listener));
    on(event, listener);
    return page;
  };
  Object.assign(page, { on: listen });
  return marks;
}
