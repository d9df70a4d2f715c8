import type { Page, Request } from "playwright-core";

/** The requests of a page from the construction of this object. */
export class Requests {
  /** How many at most have waited for changes at once since the page was settled. */
  waitingMax = 0;
  readonly #page: Page;
  readonly #open = new Set<Request>();
  #asked: string[] = [];
  #count = 0;

  constructor(page: Page) {
    this.#page = page;
    page.on("request", (request) => {
      this.#count++;
      this.#asked.push(pathOf(request));
      this.#open.add(request);
      this.waitingMax = Math.max(this.waitingMax, [...this.#open].filter(isWait).length);
    });
    page.on("requestfinished", (request) => this.#open.delete(request));
    page.on("requestfailed", (request) => this.#open.delete(request));
  }

  /** The paths that were asked since the last call. */
  asked(): string[] {
    return this.#asked.splice(0);
  }

  /** Likewise, without the request that waits: it is asked again when its time is over. */
  askedWithoutWaits(): string[] {
    return this.asked().filter((path) => !path.endsWith(waitPath));
  }

  /** Until the page does nothing but wait for changes, and has drawn what came. */
  async settled(): Promise<void> {
    let count: number;
    do {
      while (this.#open.size === 0 || ![...this.#open].every(isWait))
        await this.#page.waitForTimeout(50);
      count = this.#count;
      await this.#page.evaluate(
        "new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))",
      );
    } while (count !== this.#count);
    this.#asked = [];
    this.waitingMax = this.#open.size;
  }

  /**
   * The requests of a page while nothing happens. It may read the last change for some seconds, so
   * a first interval may not be quiet.
   */
  async askedInQuiet(): Promise<string[]> {
    for (let times = 1; ; times++) {
      await this.settled();
      await this.#page.waitForTimeout(quietMs);
      const asked = this.askedWithoutWaits();
      if (asked.length === 0 || times === quietTimesMax) return asked;
    }
  }

  /** Until no answer is on its way. */
  async ended(): Promise<void> {
    while (this.#open.size > 0) await this.#page.waitForTimeout(50);
    this.#asked = [];
  }
}

/** In so long a page that asks on its own asks: longer than any pause that it makes. */
export const quietMs = 7_000;
const quietTimesMax = 6;
const waitPath = "/changes";

function isWait(request: Request): boolean {
  return pathOf(request).endsWith(waitPath);
}

function pathOf(request: Request): string {
  return new URL(request.url()).pathname;
}
