import type { Page } from "playwright-core";

/**
 * Faults of the layout: a page wider than its window, words that are cut without a sign, targets of
 * less than 24 pixels with another one beside them (WCAG 1.4.10, 1.4.4, 1.4.12, 2.5.8).
 */
export async function faultsOfLayout(page: Page): Promise<string[]> {
  return (await page.evaluate(layout)) as string[];
}

/** Lines, letters, words and paragraphs as far apart as somebody may want them (WCAG 1.4.12). */
export async function spreadText(page: Page): Promise<void> {
  await page.evaluate(`(() => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(\`* { line-height: 1.5 !important; letter-spacing: 0.12em !important;
      word-spacing: 0.16em !important } p { margin-bottom: 2em !important }\`);
    document.adoptedStyleSheets.push(sheet);
  })()`);
}

// A text, since the types of a browser are not those of this program.
const layout = `(() => {
  const faults = new Set();
  const name = (element) => element.tagName + " "
    + (element.getAttribute("aria-label") ?? element.textContent ?? "").trim().slice(0, 30);
  const isSeen = (element) => element.checkVisibility({ visibilityProperty: true });
  const { scrollWidth } = document.documentElement;
  if (scrollWidth > innerWidth) {
    const wide = [...document.body.querySelectorAll("*")].filter(
      (element) => isSeen(element) && element.getBoundingClientRect().right > innerWidth + 1);
    faults.add("wider than its window, " + scrollWidth + ": " + wide.slice(0, 3).map(name).join());
  }

  const clips = (overflow) => overflow === "hidden" || overflow === "clip";
  const cutIn = (element) => {
    const range = document.createRange();
    range.selectNodeContents(element);
    const words = range.getBoundingClientRect();
    for (let box = element; box !== document.body; box = box.parentElement) {
      const style = getComputedStyle(box);
      const { right, top, bottom } = box.getBoundingClientRect();
      if (style.clipPath !== "none") return;
      const { overflowX, overflowY, textOverflow } = style;
      if (clips(overflowX) && textOverflow !== "ellipsis" && words.right > right + 2) return box;
      if (clips(overflowY) && (words.bottom > bottom + 3 || words.top < top - 3)) return box;
      if (!clips(overflowX) && overflowX !== "visible") return;
    }
  };
  const worded = "button, a, label, h1, h2, h3, p, legend, summary, th, dt, dd, output";
  for (const element of document.querySelectorAll(worded)) {
    const words = [...element.childNodes].filter(({ nodeType }) => nodeType === Node.TEXT_NODE);
    if (!isSeen(element) || words.every(({ data }) => data.trim() === "")) continue;
    const box = cutIn(element);
    if (box !== undefined) faults.add(name(element) + " is cut by " + box.tagName + "." + box.className);
  }

  const targets = [...document.querySelectorAll("button, a[href], input, select, summary, textarea")]
    .map((element) => ({ element, box: element.getBoundingClientRect() }))
    .filter(({ element, box }) => isSeen(element) && box.width > 0
      && getComputedStyle(element).clipPath === "none");
  const isSmall = ({ width, height }) => width < 24 || height < 24;
  const middle = ({ left, top, width, height }) => [left + width / 2, top + height / 2];
  for (const { element, box } of targets) {
    // A link in a sentence is as high as its line.
    const isInline = element.tagName === "A" && getComputedStyle(element).display === "inline";
    if (isInline || !isSmall(box)) continue;
    const [x, y] = middle(box);
    for (const { element: other, box: beside } of targets) {
      if (element.contains(other) || other.contains(element)) continue;
      const [left, top] = [Math.max(beside.left - x, 0, x - beside.right),
        Math.max(beside.top - y, 0, y - beside.bottom)];
      const [otherX, otherY] = middle(beside);
      const isNear = Math.hypot(left, top) < 12
        || (isSmall(beside) && Math.hypot(otherX - x, otherY - y) < 24);
      if (isNear) faults.add(name(element) + " is small, and beside " + name(other));
    }
  }
  return [...faults];
})()`;
