import { Client } from "pg";
import type { Journal } from "../crash/journal.ts";
import type { Target } from "../crash/load.ts";
import { openTarget } from "../crash/open-target.ts";
import type { Balancer } from "../nodes/balancer.ts";
import { Service } from "../service.ts";

/** Experiments on the server that fails over, and those on each other server, by its name. */
export interface Placed {
  failing: Target[];
  spared: { name: string; targets: Target[] }[];
}

const each = 2;

/** Opens experiments on the directory: it has no workers yet. */
export async function openOnDirectory(
  databaseUrl: string,
  balancer: Balancer,
  journal: Journal,
): Promise<Target[]> {
  const flags = ["--base-url", balancer.origin];
  await using service = await Service.start({ databaseUrl, flags });
  balancer.nodes.add(service.listenUrl);
  const targets: Target[] = [];
  while (targets.length < each)
    targets.push(await openTarget(balancer.origin, journal, targets.length));
  balancer.nodes.clear();
  await service.stop();
  return targets;
}

/** Opens experiments until both workers have some. The first worker is the one that fails over. */
export async function openOnWorkers(
  databaseUrl: string,
  baseUrl: string,
  journal: Journal,
  onDirectory: Target[],
): Promise<Placed> {
  const servers: Target[][] = [onDirectory, [], []];
  const [, first, second] = servers;
  let number = onDirectory.length;
  while (first.length < each || second.length < each) {
    const target = await openTarget(baseUrl, journal, number++);
    // New ones are on the directory until all nodes know the workers.
    servers[await serverOf(databaseUrl, target)].push(target);
  }
  const spared = [
    { name: "the directory", targets: onDirectory },
    { name: "the other worker", targets: second },
  ];
  return { failing: first, spared };
}

/** The number of the worker with an experiment's points; 0: the directory. */
export async function serverOf(databaseUrl: string, { experimentId }: Target): Promise<number> {
  const sql = `SELECT server FROM experiment WHERE id = '${experimentId}'`;
  return Number((await rowOf(databaseUrl, sql)).server);
}

export async function countErrands(databaseUrl: string): Promise<number> {
  return Number((await rowOf(databaseUrl, "SELECT count(*) AS errands FROM errand")).errands);
}

async function rowOf(databaseUrl: string, sql: string): Promise<Record<string, unknown>> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows[0];
  } finally {
    await client.end();
  }
}
