import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { runCampaign } from "./campaign.ts";
import { LoopDisk, whyNoLoopDisk } from "./loop-disk.ts";
import { describeResult } from "./report.ts";

const help = `npm run crash:power: power loss under load, on a file system of its own, and an independent checker (R3).
Needs root and loop devices.

  --cycles N   power losses (default 100)
  --seed N     repeats a run's data and choices (default: random, printed)
`;

const { values } = parseArgs({
  options: {
    cycles: { type: "string", default: "100" },
    seed: { type: "string" },
    help: { type: "boolean", default: false },
  },
});

const obstacle = whyNoLoopDisk();
if (values.help) {
  console.log(help);
} else if (obstacle !== undefined) {
  console.error(`NOT RUN: power loss was not tested. ${obstacle}`);
  process.exitCode = 1;
} else {
  const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 32));
  console.log(`seed ${seed}, kernel ${execFileSync("uname", ["-r"], { encoding: "utf8" }).trim()}`);
  await using resources = new AsyncDisposableStack();
  const directory = mkdtempSync(join(tmpdir(), "lossless-power-"));
  resources.defer(() => rmSync(directory, { recursive: true, force: true }));
  mkdirSync(join(directory, "data"));
  using disk = new LoopDisk(join(directory, "disk.image"), join(directory, "data"));
  const result = await runCampaign({
    cycles: Number(values.cycles),
    seed,
    fault: { directory, strike: (service) => disk.losePower(service) },
    progress: (line) =>
      process.stdout.write(process.stdout.isTTY ? `\r${line}\u001b[K` : `${line}\n`),
  });
  console.log(`\n${describeResult(result)}`);
  process.exitCode = result.violations.length === 0 ? 0 : 1;
}
