import type { Page } from "playwright-core";

/** Objects that a page keeps alive. */
export interface Kept {
  heapBytes: number;
  nodes: number;
  listeners: number;
}

/** The page's objects after garbage collection. */
export async function keptBy(page: Page): Promise<Kept> {
  const session = await page.context().newCDPSession(page);
  await session.send("Performance.enable");
  // A second collection frees objects that the first one held.
  for (let round = 0; round < 2; round++) await session.send("HeapProfiler.collectGarbage");
  const { metrics: found } = await session.send("Performance.getMetrics");
  await session.detach();
  const value = (name: string) => found.find((metric) => metric.name === name)!.value;
  return {
    heapBytes: value("JSHeapUsedSize"),
    nodes: value("Nodes"),
    listeners: value("JSEventListeners"),
  };
}
