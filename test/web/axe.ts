import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
/** WCAG 2.2, A and AA. */
const rules = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];

/** What a page says that it must not, a rule and its first places each. */
export async function faultsOf(page: Page): Promise<string[]> {
  await page.evaluate(axe);
  const found = await page.evaluate(`axe.run(document, {
    runOnly: ${JSON.stringify(rules)}, preload: false, resultTypes: ["violations"],
  }).then(({ violations }) => violations.map(({ id, help, nodes }) =>
    id + ": " + help + " at " + nodes.slice(0, 3).map(({ target, failureSummary }) =>
      target.join(" ") + " (" + failureSummary.split("\\n").slice(1, 3).join("; ") + ")").join(", ")))`);
  return found as string[];
}
