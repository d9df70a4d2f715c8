import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { BrowserContextOptions, Page } from "playwright-core";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
/** WCAG 2.2, A and AA. */
const all = { type: "tag", values: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"] };
/** Those that colours and sizes can break; the others read the document, which is the same. */
const styles = { type: "rule", values: ["color-contrast", "link-in-text-block", "target-size"] };

/** How a page is looked at on a screen, and the rules that are held there. */
export const looks: Record<string, { options: BrowserContextOptions; rules: typeof all }> = {
  light: { options: { colorScheme: "light" }, rules: all },
  dark: { options: { colorScheme: "dark" }, rules: styles },
  "forced colours": { options: { forcedColors: "active", colorScheme: "dark" }, rules: styles },
};

/** What a page says that it must not, a rule and its first places each. */
export async function faultsOf(page: Page, rules = all): Promise<string[]> {
  await page.evaluate(axe);
  const found = await page.evaluate(`axe.run(document, {
    runOnly: ${JSON.stringify(rules)}, preload: false, resultTypes: ["violations"],
  }).then(({ violations }) => violations.map(({ id, help, nodes }) =>
    id + ": " + help + " at " + nodes.slice(0, 3).map(({ target, failureSummary }) =>
      target.join(" ") + " (" + failureSummary.split("\\n").slice(1, 3).join("; ") + ")").join(", ")))`);
  return found as string[];
}
