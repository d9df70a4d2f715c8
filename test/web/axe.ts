import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
/** WCAG 2.2, A and AA. */
const all = { type: "tag", values: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"] };
/** Those that colours and sizes can break; the others read the document, which is the same. */
const styles = { type: "rule", values: ["color-contrast", "link-in-text-block", "target-size"] };

interface Look {
  media: Parameters<Page["emulateMedia"]>[0];
  width: number;
  /** The rules that are held there. */
  rules: typeof all;
}

const looks: Record<string, Look> = {
  "in light": { media: { colorScheme: "light" }, width: 1_280, rules: all },
  "in dark": { media: { colorScheme: "dark" }, width: 1_280, rules: styles },
  "in forced colours": {
    media: { forcedColors: "active", colorScheme: "dark" },
    width: 1_280,
    rules: styles,
  },
  "on a phone": { media: { colorScheme: "light" }, width: 390, rules: all },
};

/**
 * Faults of a page in any look, a rule and its first places each. The page stays open: opening it
 * again takes longer than checking it.
 */
export async function faultsInAllLooks(page: Page): Promise<string[]> {
  const faults: string[] = [];
  await page.evaluate(axe);
  for (const [name, { media, width, rules }] of Object.entries(looks)) {
    await page.setViewportSize({ width, height: width < 500 ? 844 : 720 });
    await page.emulateMedia({ forcedColors: "none", ...media });
    await painted(page);
    for (const fault of await faultsOf(page, rules)) faults.push(`${name}: ${fault}`);
  }
  await page.setViewportSize({ width: 1_280, height: 720 });
  await page.emulateMedia({ forcedColors: "none", colorScheme: "light" });
  return faults;
}

/** Waits until a new size or new colours are drawn, which takes two frames. */
async function painted(page: Page): Promise<void> {
  await page.evaluate(
    "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))",
  );
}

async function faultsOf(page: Page, rules: typeof all): Promise<string[]> {
  const found = await page.evaluate(`axe.run(document, {
    runOnly: ${JSON.stringify(rules)}, preload: false, resultTypes: ["violations"],
  }).then(({ violations }) => violations.map(({ id, help, nodes }) =>
    id + ": " + help + " at " + nodes.slice(0, 3).map(({ target, failureSummary }) =>
      target.join(" ") + " (" + failureSummary.split("\\n").slice(1, 3).join("; ") + ")").join(", ")))`);
  return found as string[];
}
