import assert from "node:assert/strict";
import { setTimeout } from "node:timers/promises";
import type { Page } from "playwright-core";
import { patienceMs } from "./new-page.ts";

/** Repeats what may be seen too early until it holds. */
export async function until(holds: () => Promise<void>): Promise<void> {
  const endsAtMs = Date.now() + patienceMs;
  for (;;) {
    try {
      await holds();
      return;
    } catch (error) {
      if (Date.now() > endsAtMs) throw error;
    }
    await setTimeout(50);
  }
}

/** Until an expression is true in a page, whose policy lets no test wait in it. */
export async function untilTrue(page: Page, expression: string): Promise<void> {
  await until(async () => assert.ok(await page.evaluate(expression), `never ${expression}`));
}
