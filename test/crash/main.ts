import { mkdtempDisposableSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { begun, campaignOptions } from "../campaign-options.ts";
import { startPostgres } from "../postgres.ts";
import { type CampaignOptions, type CampaignResult, runCampaign } from "./campaign.ts";
import { runKillPoints } from "./kill-points.ts";
import { describeResult } from "./report.ts";

const help = `npm run crash: kill -9 under load, and an independent checker (R1).

  --cycles N         kills (default 100)
  --seed N           repeats a run's data and choices (default: random, printed)
  --database-url U   an empty PostgreSQL database instead of embedded storage
  --postgres         the same on a PostgreSQL that is started for the run
  --kill-points      dies at named places between two steps instead (R2)
`;

const { values } = parseArgs({
  options: {
    cycles: { type: "string", default: "100" },
    "database-url": { type: "string" },
    postgres: { type: "boolean", default: false },
    "kill-points": { type: "boolean", default: false },
    ...campaignOptions,
  },
});

const seed = begun(help, values);
await using resources = new AsyncDisposableStack();
const directory = resources.use(mkdtempDisposableSync(join(tmpdir(), "lossless-crash-"))).path;
let databaseUrl = values["database-url"];
if (values.postgres) {
  databaseUrl = await resources.use(await startPostgres({ durable: true })).createDatabase();
}
const cycles = Number(values.cycles);
const progress = (line: string): boolean =>
  process.stdout.write(process.stdout.isTTY ? `\r${line}\u001b[K` : `${line}\n`);
const result = values["kill-points"] ? await atKillPoints() : await atRandom();
console.log(`\n${describeResult(result)}`);
process.exitCode = result.violations.length === 0 ? 0 : 1;

function atRandom(): Promise<CampaignResult> {
  const fault: CampaignOptions["fault"] = { directory, strike: (service) => service.kill() };
  return runCampaign({
    cycles,
    seed,
    fault,
    progress,
    ...(databaseUrl === undefined ? {} : { databaseUrl }),
  });
}

async function atKillPoints(): Promise<CampaignResult> {
  const { deaths, ...rest } = await runKillPoints({ cycles, seed, progress });
  for (const [name, count] of deaths) console.log(`\n${count} deaths: ${name}`);
  return rest;
}
