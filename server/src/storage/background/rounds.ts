import type { Task } from "./runner.ts";

/** A round that changed something, or failed, as traces show it. */
export interface Round {
  /** Name of the work: "seal". */
  name: string;
  beganAtMs: number;
  endedAtMs: number;
  /** Increases of its counters. */
  changed: Record<string, number>;
  failed: boolean;
}

type Rounds = Task["round"];

/** The task with something around each of its rounds. */
export function aroundRounds(
  task: Task,
  around: (round: () => ReturnType<Rounds>) => ReturnType<Rounds>,
): Task {
  const { failure, everyMs, firstMs = everyMs, jitterMs = 0, lease } = task;
  return {
    failure,
    everyMs,
    firstMs,
    jitterMs,
    lease,
    round: (stopped) => around(() => task.round(stopped)),
    idle: () => task.idle?.(),
    settled: async () => task.settled?.(),
  };
}

/** Returns the task, which reports rounds in which a counter grew, or that failed. */
export function toldRounds(
  name: string,
  task: Task,
  figures: () => Readonly<Record<string, number>>,
  tell: (round: Round) => void,
): Task {
  return aroundRounds(task, async (round) => {
    const [before, beganAtMs] = [{ ...figures() }, Date.now()];
    let failed = true;
    try {
      const isMoreAtHand = await round();
      failed = false;
      return isMoreAtHand;
    } finally {
      const changed = Object.fromEntries(
        Object.entries(figures())
          .map(([figure, value]) => [figure, value - (before[figure] ?? 0)] as const)
          .filter(([, by]) => by > 0),
      );
      const endedAtMs = Date.now();
      if (failed || Object.keys(changed).length > 0)
        tell({ name, beganAtMs, endedAtMs, changed, failed });
    }
  });
}
