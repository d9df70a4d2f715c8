import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { sharedPostgres } from "../postgres.ts";
import { Service } from "../service.ts";
import { Backend } from "./backend.ts";
import { commands } from "./commands.ts";
import { Reference } from "./reference.ts";

export interface ModelOptions {
  runs: number;
  maxCommands: number;
  seed: number;
  /** Path and replayPath of a failing run, as fast-check prints them. */
  path?: string;
  replayPath?: string;
}

/** A failing run is shrunk by running parts of it again, each with organizations of its own. */
const shrinkRuns = 300;

/** Sealing is made frequent, so that reads meet tails, segments and merged segments. */
const flags = [
  "--seal-points",
  "20",
  "--seal-idle-ms",
  "50",
  "--log-level",
  "error",
  "--disk-reserve-bytes",
  "0",
];

/**
 * Random sequences of requests to the model, to a service on SQLite and to one on PostgreSQL.
 * Rejects with the shortest failing sequence, its seed and its path. Resolves with the number of
 * requests that were compared.
 */
export async function runModel({
  runs,
  maxCommands,
  seed,
  path,
  replayPath,
}: ModelOptions): Promise<number> {
  const keys = new Map<string, string>();
  for (let run = 0; run < 2 * (runs + shrinkRuns); run++) {
    keys.set(`organization ${run}`, `ak_${randomBytes(33).toString("base64url")}`);
  }
  const unused = [...keys.values()];
  const databaseUrl = await (await sharedPostgres()).createDatabase();
  await using sqlite = await Service.start({ keys, flags });
  await using postgres = await Service.start({ keys, flags, databaseUrl });
  let requests = 0;
  const property = fc.asyncProperty(commands(maxCommands, replayPath), async (sequence) => {
    const pair = [unused.pop(), unused.pop()];
    if (pair[0] === undefined || pair[1] === undefined) return; // Shrunk long enough.
    const backends = [
      new Backend("sqlite", sqlite, pair[0], pair[1]),
      new Backend("postgres", postgres, pair[0], pair[1]),
    ];
    const list = [...sequence];
    requests += list.length;
    await fc.asyncModelRun(() => ({ model: new Reference(), real: { backends, sent: 0 } }), list);
  });
  await fc.assert(property, {
    seed,
    numRuns: runs,
    interruptAfterTimeLimit: 3_600_000,
    ...(path === undefined ? {} : { path }),
  });
  return requests;
}
