import assert from "node:assert/strict";
import type { Page } from "playwright-core";

/** More than any page has. */
const stopsMax = 150;

/** Presses Tab until it stands on the element of which this is true. */
export async function tabTo(page: Page, condition: string): Promise<void> {
  for (let stop = 0; stop < stopsMax; stop++) {
    const found = await page.evaluate(`((element) => ${condition})(document.activeElement)`);
    if (found === true) return;
    await page.keyboard.press("Tab");
  }
  assert.fail(`${condition} is not reached in ${stopsMax} stops`);
}

/** Where the keyboard stands: `name`, and what is wrong there. */
interface Stop {
  name: string;
  faults: string[];
}

/** Faults at the Tab stops from the beginning of the page to its end, and past it. */
export async function faultsOfStops(page: Page): Promise<string[]> {
  // Something that is in the middle may have the keyboard.
  if ((await page.evaluate("document.activeElement === document.body")) !== true) await toEnd(page);
  const stops = await toEnd(page);
  if (stops.length < 2) return ["there are no stops"];
  return stops.flatMap(({ name, faults }) => faults.map((fault) => `${name}: ${fault}`));
}

/** From where the keyboard is to the end, from where the next one is the beginning. */
async function toEnd(page: Page): Promise<Stop[]> {
  const stops: Stop[] = [];
  while (stops.length < stopsMax) {
    await page.keyboard.press("Tab");
    const stop = (await page.evaluate(standing)) as Stop | null;
    if (stop === null) return stops;
    stops.push(stop);
  }
  assert.fail(`there is no end: ${stops.at(-1)?.name}`);
}

// A text, since the types of a browser are not those of this program.
const standing = `(async () => {
  const element = document.activeElement;
  if (element === null || element === document.body) return null;
  const faults = [];
  const outlined = ({ outlineStyle, boxShadow }) => outlineStyle !== "none" || boxShadow !== "none";
  /** The strokes of a drawing, in place of its text. */
  const strokes = () => [...element.querySelectorAll("*")].map((part) => {
    const { stroke, strokeWidth } = getComputedStyle(part);
    return stroke + strokeWidth;
  }).join();
  const frame = () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
  const isDrawn = async () => {
    const before = strokes();
    element.blur();
    await frame();
    const after = strokes();
    element.focus({ preventScroll: true });
    return before !== after;
  };
  if (!outlined(getComputedStyle(element)) && !(element instanceof SVGElement && await isDrawn()))
    faults.push("no sign of focus");
  if (element.tabIndex > 0) faults.push("has an order of its own");
  const { left, top, right, bottom } = element.getBoundingClientRect();
  const x = (Math.max(0, left) + Math.min(innerWidth, right)) / 2;
  const y = (Math.max(0, top) + Math.min(innerHeight, bottom)) / 2;
  const shown = document.elementFromPoint(x, y);
  if (right - left < 1 || shown === null) faults.push("not on screen");
  else if (!element.contains(shown) && !shown.contains(element))
    faults.push("covered by " + shown.tagName + "." + shown.className);
  const words = element.getAttribute("aria-label") ?? element.textContent ?? "";
  return { name: element.tagName + " " + words.trim().slice(0, 40), faults };
})()`;
