import { readFile } from "node:fs/promises";
import type { Browser, Page } from "playwright-core";

/** Private bytes of the page's process, as Linux counts them; otherwise the heap of its scripts. */
export async function privateBytes(browser: Browser, page: Page): Promise<number> {
  // Garbage does not count; a second collection frees objects that the first one held.
  const collecting = await page.context().newCDPSession(page);
  for (let round = 0; round < 2; round++) await collecting.send("HeapProfiler.collectGarbage");
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send("SystemInfo.getProcessInfo");
  const renderers = processInfo.filter(({ type }) => type === "renderer").map(({ id }) => id);
  const bytes = await Promise.all(renderers.map(privateOf));
  if (bytes.length > 0 && bytes.every((each) => each > 0)) return Math.max(...bytes);
  return (await page.evaluate("performance.memory.usedJSHeapSize")) as number;
}

async function privateOf(processId: number): Promise<number> {
  const text = await readFile(`/proc/${processId}/smaps_rollup`, "utf8").catch(() => "");
  const kibs = [...text.matchAll(/^Private_(?:Clean|Dirty): +(\d+) kB$/gm)];
  return kibs.reduce((sum, [, kib]) => sum + 1_024 * Number(kib), 0);
}
