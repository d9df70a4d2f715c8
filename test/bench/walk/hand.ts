import type { Locator, Page } from "playwright-core";

/** A text, since the types of a browser are not those of this program. */
const twoFrames = `new Promise((next) => requestAnimationFrame(() => requestAnimationFrame(next)))`;

/** A person's actions on a page: clicks, drags and keys are counted, typed text is not. */
export class Hand {
  clicks = 0;
  readonly page: Page;

  constructor(page: Page) {
    this.page = page;
  }

  async click(what: string | Locator): Promise<void> {
    this.clicks++;
    await this.#found(what).click();
  }

  async press(key: string): Promise<void> {
    this.clicks++;
    await this.page.keyboard.press(key);
  }

  /** Into the field that a click before has opened. */
  async type(text: string): Promise<void> {
    await this.page.keyboard.type(text);
  }

  /** Opens a list, and takes a line of it. */
  async choose(what: string | Locator, value: string): Promise<void> {
    this.clicks += 2;
    await this.#found(what).selectOption(value);
  }

  /** Drags a slider. */
  async slide(what: string | Locator, value: string): Promise<void> {
    this.clicks += 1;
    await this.#found(what).fill(value);
  }

  /** The pointer goes to a share of the width, and so many pixels beside it; it is no click. */
  async point(what: string | Locator, share: number, beside = 0): Promise<void> {
    const box = await this.#boxOf(what);
    const [x, y] = [box.x + box.width * share + beside, box.y + box.height / 2];
    await this.page.mouse.move(x - 1, y);
    await this.page.mouse.move(x, y);
    // The reading is drawn with the next frame.
    await this.page.evaluate(twoFrames);
  }

  async drag(what: string | Locator, from: number, to: number): Promise<void> {
    this.clicks++;
    const box = await this.#boxOf(what);
    await this.page.mouse.move(box.x + box.width * from, box.y + 40);
    await this.page.mouse.down();
    await this.page.mouse.move(box.x + box.width * to, box.y + box.height - 8, { steps: 4 });
    await this.page.mouse.up();
  }

  /** Waits for a text that is the answer. */
  async see(text: string | RegExp): Promise<void> {
    await this.page.getByText(text).filter({ visible: true }).first().waitFor();
  }

  /** On the screen. What is being drawn anew has none for a moment. */
  async #boxOf(what: string | Locator) {
    const found = this.#found(what);
    // A page at work has no two equal frames, for which the driver's own way waits.
    await found.evaluate("(element) => element.scrollIntoView({ block: 'nearest' })");
    for (;;) {
      const box = await found.boundingBox();
      if (box !== null) return box;
    }
  }

  #found(what: string | Locator): Locator {
    return typeof what === "string" ? this.page.locator(what).first() : what.first();
  }
}

/**
 * How an answer is found from the start page on, with a word on it where it is half of one, or why
 * it cannot be.
 */
export type Walk = ((hand: Hand) => Promise<string | void>) | string;

/** A tracker with all runs, and the ways in it, by the numbers of docs/web.md. */
export interface Walked extends AsyncDisposable {
  name: string;
  /** Its start page, whole: where the made runs are, for a question about those. */
  begin(page: Page, question: number): Promise<void>;
  walks: Record<number, Walk>;
}

/** Whether a text becomes another one within so long. */
export async function changes(
  page: Page,
  read: () => Promise<string | null>,
  before: string | null,
  withinMs: number,
): Promise<boolean> {
  const endsMs = performance.now() + withinMs;
  while (performance.now() < endsMs) {
    if ((await read()) !== before) return true;
    await page.waitForTimeout(50);
  }
  return false;
}
