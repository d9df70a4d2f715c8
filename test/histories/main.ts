import { parseArgs } from "node:util";
import { begun, campaignOptions } from "../campaign-options.ts";
import { sharedPostgres } from "../postgres.ts";
import { runCampaign } from "./campaign.ts";

const help = `npm run histories: writers that take one artifact over from each other while the service is
killed and stopped; every history is checked for an order in which all replies are right.

  --histories N    how many (default 100)
  --operations N   of each (default 200)
  --writers N      of each (default 8)
  --seed N         repeats a run (default: random, printed)
  --postgres       two nodes on PostgreSQL
  --no-kills       nobody is killed or stopped
`;

const { values } = parseArgs({
  allowNegative: true,
  options: {
    histories: { type: "string", default: "100" },
    operations: { type: "string", default: "200" },
    writers: { type: "string", default: "8" },
    postgres: { type: "boolean", default: false },
    kills: { type: "boolean", default: true },
    ...campaignOptions,
  },
});

const seed = begun(help, values);
const server = values.postgres ? await sharedPostgres() : undefined;
const started = performance.now();
const report = await runCampaign({
  seed,
  histories: Number(values.histories),
  operations: Number(values.operations),
  writers: Number(values.writers),
  concurrent: 8,
  databaseUrl: await server?.createDatabase(),
  killEveryMs: values.kills ? 500 : undefined,
  progress: (line) => console.log(line),
});
const seconds = Math.round((performance.now() - started) / 1_000);
console.log(JSON.stringify({ ...report, seconds }, null, 2));
process.exitCode = report.violations.length === 0 ? 0 : 1;
