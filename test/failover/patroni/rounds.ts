import { setTimeout as sleep } from "node:timers/promises";
import type { Random } from "../../random.ts";
import type { Opening } from "../beside.ts";
import type { Stage } from "../campaign.ts";
import type { Cluster } from "./cluster.ts";
import type { Member } from "./member.ts";
import { Pause } from "./pause.ts";
import { Witness } from "./witness.ts";

export type Fault = keyof typeof acts;

/** Times are in ms from the fault. */
export interface Round {
  fault: Fault;
  old: string;
  next: string;
  nextMs: number;
  /** The end of the longest time without an acknowledgement. */
  acknowledgedMs: number;
  /** All members are in order again. */
  settledMs: number;
  /** How the old primary became a standby. */
  rejoined: string;
  outcome: Outcome;
  /** Openings that were begun until the new primary was there, where a worker fails over. */
  opened: { count: number; delayed: number } | undefined;
  /** The longest time without one of what has to go on meanwhile, by its name. */
  longestMs: Map<string, number>;
}

interface Outcome {
  /** A revived old primary that took itself for the primary beside the new one. */
  hadTwoPrimaries?: boolean;
  /** Reads that a node answered from a revived old primary, as docs/operating.md says. */
  staleReads?: number;
}

/** Time after which a worker that is away gets no openings. */
const noticedMs = 15_000;
/** Time in which one at least has to come of all that goes on while a worker is away. */
const windowMs = 5_000;
/** Reads become long: each is of all points of an experiment. */
const readsWindowMs = 10_000;

interface Scene {
  cluster: Cluster;
  stage: Stage;
  old: Member;
  /** Resolves when another member is the primary. */
  next(): Promise<Member>;
}

const acts = {
  killed: async ({ stage, old, next }: Scene): Promise<Outcome> => {
    await old.kill();
    await next();
    await stage.acknowledgedMore(500);
    old.start();
    return {};
  },

  /** The primary alone has the last writes of its clients. */
  "cut off, then killed": async (scene: Scene): Promise<Outcome> => {
    const { cluster, stage, old, next } = scene;
    const others = cluster.members.filter((member) => member !== old);
    const forget = await Promise.all(others.map((member) => member.cutOff()));
    // Replies that were on their way.
    await sleep(500);
    const before = stage.acknowledged();
    if (cluster.isSynchronous) await sleep(500);
    else await stage.acknowledgedMore(500);
    const alone = stage.acknowledged() - before;
    if (alone > 0) stage.violations.push(`${alone} points were acknowledged without a standby`);
    await old.kill();
    for (const one of forget) one();
    await next();
    await stage.acknowledgedMore(500);
    old.start();
    return {};
  },

  switchover: async ({ stage, old, next }: Scene): Promise<Outcome> => {
    await old.ask("/switchover", { leader: old.name });
    await next();
    await stage.acknowledgedMore(500);
    return {};
  },

  /** Nodes still wait for answers of the old primary when it lives again. */
  "frozen, soon revived": async (scene: Scene): Promise<Outcome> => {
    await scene.old.freeze();
    await scene.next();
    return revive(scene);
  },

  "frozen, revived late": async (scene: Scene): Promise<Outcome> => {
    await scene.old.freeze();
    await scene.next();
    await scene.stage.acknowledgedMore(500);
    return revive(scene);
  },
};

/** Two of every five faults are kills, and one is each of the others, unless only one is wanted. */
export function faultsOf(rounds: number, random: Random, only?: string): Fault[] {
  if (only !== undefined && !Object.hasOwn(acts, only))
    throw new Error(`there are only the faults ${Object.keys(acts).join("; ")}`);
  if (only !== undefined) return Array<Fault>(rounds).fill(only as Fault);
  const chosen: Fault[] = [];
  while (chosen.length < rounds) {
    const frozen = random.pick(["frozen, soon revived", "frozen, revived late"] as const);
    const left: Fault[] = ["killed", "killed", "cut off, then killed", "switchover", frozen];
    while (left.length > 0) chosen.push(...left.splice(random.below(left.length), 1));
  }
  return chosen.slice(0, rounds);
}

/** One failover under load, from a cluster in order to a cluster in order. */
export async function runRound(fault: Fault, cluster: Cluster, stage: Stage): Promise<Round> {
  const old = await cluster.settled();
  const written = (await old.log()).length;
  const pause = new Pause(stage);
  const beganMs = performance.now();
  let nextMs = 0;
  const next = async (): Promise<Member> => {
    const member = await cluster.successorOf(old);
    nextMs = performance.now() - beganMs;
    return member;
  };
  const outcome = await acts[fault]({ cluster, stage, old, next });
  const acknowledgedMs = (await pause.end()) - beganMs;
  const leader = await cluster.settled();
  const settledMs = performance.now() - beganMs;
  const rejoined = wayIn((await old.log()).slice(written));
  const names = { old: old.name, next: leader.name };
  const opened = openingsOf(stage, beganMs, beganMs + nextMs);
  const longestMs = stage.beside?.takeLongest() ?? new Map<string, number>();
  for (const [name, ms] of longestMs)
    if (ms > (name.startsWith("reads") ? readsWindowMs : windowMs))
      stage.violations.push(`none of the ${name} for ${Math.round(ms)} ms`);
  const times = { nextMs, acknowledgedMs, settledMs, longestMs };
  return { fault, ...names, ...times, rejoined, outcome, opened };
}

/** A worker that has been away for a while gets no openings: each is acknowledged at once. */
function openingsOf({ beside, violations }: Stage, fromMs: number, toMs: number): Round["opened"] {
  if (beside === undefined) return undefined;
  const during = beside.openings.filter(({ beganMs }) => beganMs > fromMs && beganMs < toMs);
  const delayed = during.filter(isDelayed);
  const late = delayed.filter(({ beganMs }) => beganMs > fromMs + noticedMs);
  if (late.length > 0)
    violations.push(`${late.length} openings went to a worker that had been away for 15 s`);
  return { count: during.length, delayed: delayed.length };
}

function isDelayed({ beganMs, refusals, acknowledgedMs = Infinity }: Opening): boolean {
  return refusals > 0 || acknowledgedMs - beganMs > windowMs;
}

/**
 * First PostgreSQL alone, since Patroni ends it at once: two primaries. The old one must
 * acknowledge nothing, neither to a node nor to a client of its own.
 */
async function revive({ cluster, stage, old }: Scene): Promise<Outcome> {
  const { violations } = stage;
  const before = violations.length;
  const witness = new Witness(old.port);
  await old.revivePostgres();
  await sleep(3_000);
  await old.revive();
  await stage.acknowledgedMore(500);
  await cluster.settled();
  await witness.stop();
  const staleReads = takeStaleReads(stage, before);
  if (witness.acknowledged > 0)
    violations.push(`the revived old primary acknowledged ${witness.acknowledged} commits`);
  return { hadTwoPrimaries: witness.wasPrimary, staleReads };
}

/** No violations: as long as an old primary lives, a node may still read from it. */
function takeStaleReads({ violations, isAboutFailing }: Stage, from: number): number {
  const added = violations.splice(from);
  const isStale = (one: string): boolean =>
    isAboutFailing(one) && /^a running service (misses|has \d+ of) /.test(one);
  violations.push(...added.filter((one) => !isStale(one)));
  return added.filter(isStale).length;
}

/** By the log of its Patroni. */
function wayIn(log: string): string {
  const ways = [
    ...(log.includes("running pg_rewind") ? ["pg_rewind"] : []),
    ...(log.includes("replica has been created using basebackup") ? ["base backup"] : []),
  ];
  return ways.length === 0 ? "its own data" : ways.join(", then ");
}
