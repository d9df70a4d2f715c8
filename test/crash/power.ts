import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempDisposableSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type ArtifactCampaignResult, runArtifactCampaign } from "./artifact-campaign.ts";
import { runCampaign } from "./campaign.ts";
import { LoopDisk, whyNoLoopDisk } from "./loop-disk.ts";
import { describeResult } from "./report.ts";

const help = `npm run crash:power: power loss under load, on a file system of its own, and an independent checker (R3).
Needs root and loop devices.

  --cycles N   power losses (default 100)
  --seed N     repeats a run's data and choices (default: random, printed)
`;

/** The disk has 1 GiB, and each cycle writes up to 10 MB. */
const artifactCyclesMax = 50;

function show(line: string): void {
  process.stdout.write(process.stdout.isTTY ? `\r${line}\u001b[K` : `${line}\n`);
}

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
  using directory = mkdtempDisposableSync(join(tmpdir(), "lossless-power-"));
  mkdirSync(join(directory.path, "data"));
  using disk = new LoopDisk(join(directory.path, "disk.image"), join(directory.path, "data"));
  const result = await runCampaign({
    cycles: Number(values.cycles),
    seed,
    fault: { directory: directory.path, strike: (service) => disk.losePower(service) },
    progress: show,
  });
  console.log(`\n${describeResult(result)}`);
  const artifacts = await artifactCampaign(Number(values.cycles), seed);
  console.log(`\nartifacts: ${JSON.stringify(artifacts)}`);
  const violations = result.violations.length + artifacts.violations.length;
  process.exitCode = violations === 0 ? 0 : 1;
}

/** On a file system of its own, so that one campaign does not fill the disk of the other. */
async function artifactCampaign(cycles: number, seed: number): Promise<ArtifactCampaignResult> {
  using directory = mkdtempDisposableSync(join(tmpdir(), "lossless-artifact-power-"));
  mkdirSync(join(directory.path, "data"));
  using disk = new LoopDisk(join(directory.path, "disk.image"), join(directory.path, "data"));
  return await runArtifactCampaign({
    cycles: Math.min(cycles, artifactCyclesMax),
    seed,
    directory: directory.path,
    strike: (service) => disk.losePower(service),
    progress: show,
  });
}
