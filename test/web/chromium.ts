import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import chromium from "@sparticuz/chromium";
import { chromium as launcher, type Browser } from "playwright-core";
import { checkoutRoot } from "../service.ts";

/** The emulated graphics card is off: it takes seconds for a first picture. */
const noGraphicsCard = ["--disable-gpu", "--disable-accelerated-2d-canvas"];

/**
 * A Chromium that npm brought, for x64 Linux; elsewhere the one that LOSSLESS_TEST_CHROMIUM names.
 */
export async function startChromium(): Promise<Browser> {
  const named = process.env.LOSSLESS_TEST_CHROMIUM;
  if (named === undefined && !(process.platform === "linux" && process.arch === "x64")) {
    throw new Error(
      "Name a Chromium in LOSSLESS_TEST_CHROMIUM: npm brings one for x64 Linux only.",
    );
  }
  const executablePath = named ?? (await unpacked());
  for (let busy = 0; ; busy++) {
    try {
      return await launcher.launch({
        executablePath,
        // Not its own arguments: their single process shares cookies between contexts.
        args: ["--no-sandbox", "--disable-dev-shm-usage", ...noGraphicsCard],
        timeout: 120_000,
      });
    } catch (error) {
      // Another suite is unpacking it, for the first time.
      if ((error as NodeJS.ErrnoException).code !== "ETXTBSY" || busy > 240) throw error;
      await setTimeout(500);
    }
  }
}

/** It has 200 MB: once for all runs, as what is temporary may be in memory and go at the end. */
function unpacked(): Promise<string> {
  const { TMPDIR } = process.env;
  process.env.TMPDIR = join(checkoutRoot, "node_modules/.cache/lossless-test/chromium");
  mkdirSync(process.env.TMPDIR, { recursive: true });
  try {
    // It has chosen all its places when it returns the promise.
    return chromium.executablePath();
  } finally {
    if (TMPDIR === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = TMPDIR;
  }
}
