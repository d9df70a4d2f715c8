import { spawn } from "node:child_process";
import { mkdirSync, mkdtempDisposableSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { checkoutRoot } from "../service.ts";
import { runBitFlips } from "./bit-flips.ts";
import { type CampaignOptions, runCampaign } from "./campaign.ts";
import { LoopDisk } from "./loop-disk.ts";
import type { Mutant } from "./mutants.ts";
import { PatchedCheckout } from "./patched-checkout.ts";

export interface Detection {
  /** The detector's finding; undefined when the fault went unnoticed. */
  noticed: string | undefined;
  /** Cycles, or rounds, until then. */
  cycles: number;
}

/** Plants the fault and lets its detector look for it. */
export async function detect(mutant: Mutant, seed: number, cyclesMax: number): Promise<Detection> {
  using checkout = new PatchedCheckout(mutant.patches);
  switch (mutant.detector) {
    case "kill":
      return await detectByCampaign(checkout.directory, seed, cyclesMax, (directory) => ({
        directory,
        strike: (service) => service.kill(),
      }));
    case "power":
      return await detectByPowerLoss(checkout.directory, seed, cyclesMax);
    case "bit flips": {
      const { violations } = await runBitFlips({ seed, rounds: 5, checkout: checkout.directory });
      return { noticed: violations[0], cycles: 5 };
    }
    case "token test":
      return { noticed: await failureOf(checkout.directory, "metrics-v2/tokens"), cycles: 1 };
    case "attempt test":
      return { noticed: await failureOf(checkout.directory, "attempts-v1/attempts"), cycles: 1 };
  }
}

async function detectByCampaign(
  checkout: string,
  seed: number,
  cycles: number,
  faultIn: (directory: string) => CampaignOptions["fault"],
): Promise<Detection> {
  using directory = mkdtempDisposableSync(join(tmpdir(), "lossless-mutant-"));
  const fault = faultIn(directory.path);
  const result = await runCampaign({ cycles, seed, fault, checkout, stopEarly: true });
  return { noticed: result.violations[0], cycles: result.cycles };
}

async function detectByPowerLoss(
  checkout: string,
  seed: number,
  cycles: number,
): Promise<Detection> {
  using place = mkdtempDisposableSync(join(tmpdir(), "lossless-mutant-disk-"));
  mkdirSync(join(place.path, "data"));
  using disk = new LoopDisk(join(place.path, "disk.image"), join(place.path, "data"));
  const fault = { directory: place.path, strike: disk.losePower.bind(disk) };
  const result = await runCampaign({ cycles, seed, fault, checkout, stopEarly: true });
  return { noticed: result.violations[0], cycles: result.cycles };
}

/** Runs a topic of the contract on the patched checkout. */
async function failureOf(checkout: string, topic: string): Promise<string | undefined> {
  const file = join(checkoutRoot, `test/contract/${topic}.test.ts`);
  const environment = { LOSSLESS_TEST_CHECKOUT: checkout, LOSSLESS_TEST_BACKENDS: "sqlite" };
  const child = spawn(process.execPath, ["--test", "--test-isolation=none", file], {
    stdio: ["ignore", "pipe", "ignore"],
    env: { ...process.env, ...environment, NODE_TEST_CONTEXT: undefined },
  });
  let output = "";
  child.stdout.on("data", (chunk: Buffer) => (output += String(chunk)));
  const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
  return code === 0
    ? undefined
    : (/^ *(?:✖|not ok \d+ -) .*$/m.exec(output)?.[0].trim() ?? "failed");
}
