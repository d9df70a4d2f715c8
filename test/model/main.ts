import { parseArgs } from "node:util";
import { begun, campaignOptions } from "../campaign-options.ts";
import { runModel } from "./run.ts";

const help = `npm run model: random requests to a small model of the service, to SQLite and to PostgreSQL.

  --runs N       sequences of requests (default 200)
  --commands N   requests in a sequence at most (default 300)
  --seed N       repeats a run (default: random, printed)
  --path P       of a failing run, as it was printed; with --replay R, its replayPath
`;

const { values } = parseArgs({
  options: {
    runs: { type: "string", default: "200" },
    commands: { type: "string", default: "300" },
    path: { type: "string" },
    replay: { type: "string" },
    ...campaignOptions,
  },
});

const seed = begun(help, values);
const requests = await runModel({
  runs: Number(values.runs),
  maxCommands: Number(values.commands),
  seed,
  ...(values.path === undefined ? {} : { path: values.path }),
  ...(values.replay === undefined ? {} : { replayPath: values.replay }),
});
console.log(`${requests} requests, each with the same reply from the model, SQLite and PostgreSQL`);
