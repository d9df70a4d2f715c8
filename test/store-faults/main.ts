import { parseArgs } from "node:util";
import { begun, campaignOptions } from "../campaign-options.ts";
import { sharedPostgres } from "../postgres.ts";
import { runFaultCampaign } from "./campaign.ts";

const help = `npm run store-faults: versions are written to an S3 store that fails in every way it can, while metrics
are recorded; then every version is read back and compared with what was sent and with what the store holds.

  --count N      versions (default 2000)
  --faults P     percent of the store's requests that fail (default 20)
  --hangs P      percent of the faults that never answer (default 0.5)
  --seed N       repeats a run (default: random, printed)
  --postgres     with PostgreSQL
`;

const { values } = parseArgs({
  options: {
    count: { type: "string", default: "2000" },
    faults: { type: "string", default: "20" },
    hangs: { type: "string", default: "0.5" },
    postgres: { type: "boolean", default: false },
    ...campaignOptions,
  },
});

const seed = begun(help, values);
const server = values.postgres ? await sharedPostgres() : undefined;
const started = performance.now();
const report = await runFaultCampaign({
  seed,
  versions: Number(values.count),
  faultShare: Number(values.faults) / 100,
  hangShare: Number(values.hangs) / 100,
  hangsInCompletion: true,
  databaseUrl: await server?.createDatabase(),
  progress: (line) => console.log(line),
});
const seconds = Math.round((performance.now() - started) / 1_000);
console.log(JSON.stringify({ ...report, seconds }, null, 2));
process.exitCode = report.violations.length === 0 ? 0 : 1;
