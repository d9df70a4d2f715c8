import { parseArgs } from "node:util";
import { begun, campaignOptions } from "../campaign-options.ts";
import { failOver, runFailover } from "./campaign.ts";
import { StandbyPair } from "./standby-pair.ts";

const help = `npm run failover: kill -9 of a PostgreSQL primary under load, promotion of its synchronous standby.

  --times N   failovers (default 20)
  --seed N    repeats a run's data (default: random, printed)
`;

const { values } = parseArgs({
  options: {
    times: { type: "string", default: "20" },
    ...campaignOptions,
  },
});

const seed = begun(help, values);
const times = Number(values.times);
await using pair = await StandbyPair.start();
const result = await runFailover(
  { databaseUrl: await pair.createDatabase(), seed },
  async (stage) => {
    for (let time = 1; time <= times; time++) {
      await failOver(stage, pair, Math.random() * 1_000);
      console.log(`failover ${time}: ${stage.acknowledged()} points acknowledged`);
    }
  },
);
console.log(
  `${times} failovers, ${result.acknowledgedPoints} points acknowledged, ${result.storedPoints} stored and ` +
    `read back, ${result.unknownRequests} requests of unknown outcome, ${result.violations.length} violations`,
);
for (const violation of result.violations.slice(0, 20)) console.log(`  ${violation}`);
process.exitCode = result.violations.length === 0 ? 0 : 1;
