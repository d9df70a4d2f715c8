import { parseArgs } from "node:util";
import { begun, campaignOptions } from "../campaign-options.ts";
import { detect } from "./detect.ts";
import { whyNoLoopDisk } from "./loop-disk.ts";
import { mutants } from "./mutants.ts";

const help = `npm run crash:mutants: faults are planted into copies of the source, and each must be noticed (R0).

  --cycles N   kills or power losses for each fault at most (default 100)
  --only TEXT  only faults whose name contains it
  --seed N     repeats a run's data and choices (default: random, printed)
`;

const { values } = parseArgs({
  options: {
    cycles: { type: "string", default: "100" },
    only: { type: "string", default: "" },
    ...campaignOptions,
  },
});

const seed = begun(help, values);
const obstacle = whyNoLoopDisk();
let unnoticed = 0;
for (const mutant of mutants.filter(({ name }) => name.includes(values.only))) {
  if (mutant.detector === "power" && obstacle !== undefined) {
    console.error(`NOT RUN: ${mutant.name}. ${obstacle}`);
    unnoticed += 1;
    continue;
  }
  const { noticed, cycles } = await detect(mutant, seed, Number(values.cycles));
  if (noticed === undefined) unnoticed += 1;
  const verdict = noticed === undefined ? "NOT NOTICED" : `noticed by ${mutant.detector}`;
  console.log(
    `${mutant.name}: ${verdict}, ${cycles} cycles${noticed === undefined ? "" : `: ${noticed.slice(0, 160)}`}`,
  );
}
console.log(
  unnoticed === 0
    ? "every planted fault was noticed"
    : `${unnoticed} planted faults were not noticed`,
);
process.exitCode = unnoticed === 0 ? 0 : 1;
