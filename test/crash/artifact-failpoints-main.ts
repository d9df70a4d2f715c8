import { parseArgs } from "node:util";
import { begun, campaignOptions } from "../campaign-options.ts";
import { sharedPostgres } from "../postgres.ts";
import { runFailpoints } from "./artifact-failpoints.ts";

const help = `npm run crash:artifacts: the service is killed at every named point of open, begin and commit; then
every version is whole or not there, every request succeeds when it is repeated, and gc leaves nothing over.

  --times N      deaths at each point (default 10)
  --store S      built-in, s3 or both (default both)
  --seed N       repeats a run (default: random, printed)
  --postgres     with PostgreSQL
`;

const { values } = parseArgs({
  options: {
    times: { type: "string", default: "10" },
    store: { type: "string", default: "both" },
    postgres: { type: "boolean", default: false },
    ...campaignOptions,
  },
});

const seed = begun(help, values);
const server = values.postgres ? await sharedPostgres() : undefined;
for (const store of ["built-in", "s3"] as const) {
  if (values.store !== "both" && values.store !== store) continue;
  const report = await runFailpoints({
    times: Number(values.times),
    store,
    seed,
    databaseUrl: await server?.createDatabase(),
    progress: (line) => console.log(`${store}: ${line}`),
  });
  console.log(JSON.stringify(report, null, 2));
}
