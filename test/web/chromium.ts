import chromium from "@sparticuz/chromium";
import { chromium as launcher, type Browser } from "playwright-core";

const noCanvasAcceleration = ["--disable-accelerated-2d-canvas"];

/**
 * A Chromium that npm brought, for x64 Linux; elsewhere the one that LOSSLESS_TEST_CHROMIUM names.
 * The emulated graphics card is off: it takes seconds for a first picture.
 */
export async function startChromium(): Promise<Browser> {
  const named = process.env.LOSSLESS_TEST_CHROMIUM;
  if (named === undefined && !(process.platform === "linux" && process.arch === "x64")) {
    throw new Error(
      "Name a Chromium in LOSSLESS_TEST_CHROMIUM: npm brings one for x64 Linux only.",
    );
  }
  return launcher.launch({
    executablePath: named ?? (await chromium.executablePath()),
    // Not the arguments that come with it: their single process shares cookies between contexts.
    args: ["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", ...noCanvasAcceleration],
    timeout: 120_000,
  });
}
