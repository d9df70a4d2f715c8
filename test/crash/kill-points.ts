import { mkdtempDisposableSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type CampaignResult, runCampaign } from "./campaign.ts";
import { type Patch, PatchedCheckout } from "./patched-checkout.ts";

export interface KillPoint {
  name: string;
  file: string;
  /** The statement in front of which, or the line behind which, the process kills itself. */
  before?: string;
  behind?: string;
  /** How probable it is to die when it is reached, or what has to be true there. */
  probability?: number;
  when?: string;
}

/** Places between two steps that belong together: dying there must leave no half of them (R2). */
const killPoints: KillPoint[] = [
  {
    name: "before a commit",
    file: "server/src/database/sqlite.ts",
    before: 'transaction.execute("COMMIT");',
    probability: 0.05,
  },
  {
    name: "after a commit, before its acknowledgements",
    file: "server/src/storage/lane.ts",
    behind: "#answer(group: Waiting[], answers: WriteAnswer[]): void {",
    probability: 0.05,
  },
  {
    name: "an object is written, under another name",
    file: "server/src/buckets/segments/disk.ts",
    before: "await rename(unfinished, path);",
    probability: 0.3,
  },
  {
    name: "an object has its name, its directory is not synced",
    file: "server/src/buckets/segments/disk.ts",
    before: "await syncDirectory(dirname(path));",
    probability: 0.3,
  },
  {
    name: "one of a seal's two objects is stored",
    file: "server/src/points/seal.ts",
    before: "rows.push({ kind, key, ...span, bytes });",
    probability: 0.3,
  },
  {
    name: "a seal's objects are stored and not published",
    file: "server/src/points/seal.ts",
    before: "const isPublished = await staged.publish(",
    probability: 0.3,
  },
  {
    name: "a seal is published, its log rows are still there",
    file: "server/src/points/seal.ts",
    before: "await this.trim(experimentId);",
    probability: 0.3,
  },
  {
    name: "a merged object is stored and not published",
    file: "server/src/points/merge.ts",
    before: "return staged.publish(",
    probability: 0.5,
  },
  {
    name: "a console's object is stored and not published",
    file: "server/src/console/sealer.ts",
    before: "const seal = { experimentId, from, lines: lines.length, key, bytes };",
    probability: 0.3,
  },
  {
    name: "a console's object is in the manifest, and its rows are still there",
    file: "server/src/console/seal.ts",
    before: "const rows = await transaction.all<{ bytes: number }>(",
    probability: 0.3,
  },
];

export interface KillPointsResult extends CampaignResult {
  /** How often the process died at each point. */
  deaths: Map<string, number>;
}

export interface KillPointsOptions {
  cycles: number;
  seed: number;
  progress?: (line: string) => void;
}

/** A service may run under load this long until its kill point; then it is killed from outside. */
const patienceMs = 1_500;

/** A campaign on a copy of the source that dies at these places, one place a cycle. */
export async function runKillPoints(options: KillPointsOptions): Promise<KillPointsResult> {
  using checkout = new PatchedCheckout(killPoints.map(patchOf));
  using directory = mkdtempDisposableSync(join(tmpdir(), "lossless-kill-points-"));
  const armedFile = join(directory.path, "armed");
  const deaths = new Map(killPoints.map(({ name }): [string, number] => [name, 0]));
  let cycle = 0;
  const result = await runCampaign({
    ...options,
    checkout: checkout.directory,
    environment: { LOSSLESS_TEST_KILL_POINT: armedFile },
    fault: {
      directory: directory.path,
      async strike(service) {
        const { name } = killPoints[cycle++ % killPoints.length];
        writeFileSync(armedFile, name);
        const exit = await Promise.race([service.exited, sleep(patienceMs, "patience")]);
        if (exit === "SIGKILL") deaths.set(name, deaths.get(name)! + 1);
        await service.kill();
        rmSync(armedFile);
      },
    },
  });
  return { ...result, deaths };
}

/** The armed point is named in a file, so no start is in danger, only a service under load. */
export function patchOf(point: KillPoint): Patch {
  const { name, file, before, behind, probability = 1, when } = point;
  const isDue = when ?? `Math.random() < ${probability}`;
  const die = `{
    const { existsSync, readFileSync } = process.getBuiltinModule("node:fs");
    const file = process.env.LOSSLESS_TEST_KILL_POINT!;
    const isArmed = existsSync(file) && readFileSync(file, "utf8") === ${JSON.stringify(name)};
    if (isArmed && (${isDue})) process.kill(process.pid, "SIGKILL");
  }`;
  return before === undefined
    ? { file, find: behind!, replace: `${behind}\n${die}` }
    : { file, find: before, replace: `${die}\n${before}` };
}
