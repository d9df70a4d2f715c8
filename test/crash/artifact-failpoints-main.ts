import { parseArgs } from "node:util";
import { sharedPostgres } from "../postgres.ts";
import { runFailpoints } from "./artifact-failpoints.ts";

const help = `npm run crash:artifacts: the service is killed at every named point of open, begin and commit; then
every version is whole or not there, every request succeeds when it is repeated, and gc leaves nothing over.

  --times N      deaths at each point (default 10)
  --store S      built-in, s3 or both (default both)
  --seed N       (default: the time)
  --postgres     with PostgreSQL
`;

const { values } = parseArgs({
  options: {
    times: { type: "string", default: "10" },
    store: { type: "string", default: "both" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
    postgres: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});

if (values.help) {
  console.log(help);
} else {
  console.log(`seed ${values.seed}`);
  const server = values.postgres ? await sharedPostgres() : undefined;
  for (const store of ["built-in", "s3"] as const) {
    if (values.store !== "both" && values.store !== store) continue;
    const report = await runFailpoints({
      times: Number(values.times),
      store,
      seed: Number(values.seed),
      databaseUrl: await server?.createDatabase(),
      progress: (line) => console.log(`${store}: ${line}`),
    });
    console.log(JSON.stringify(report, null, 2));
  }
}
