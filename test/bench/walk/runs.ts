/** The metric that most runs have. */
export const metric = "val/loss";

/** The run with a spike in one single step, which a person would want to find. */
export const spike = { run: "2024-10-13_llmc", metric: "grad/norm", step: 9_025, steps: 19_560 };

/** The configuration in a run's name. */
export function configOf(name: string): { record: string; repeat: number; year: number } {
  const [, record, repeat] = /^(.*?)(?:-repeat(\d+))?$/.exec(name)!;
  return { record, repeat: Number(repeat ?? 0), year: Number(name.slice(0, 4)) };
}

/** Questions about what the real runs have not: they are asked where the made ones are alone. */
export const aboutMade: ReadonlySet<number> = new Set([2, 12, 13, 15, 19]);

/** A run that goes on. */
export const live = { run: "live", metric: "reward", steps: 1_000, next: 1_500, later: 2_000 };

/** One that became NaN and ended soon after, as runs do; with what it had saved before. */
export const diverged = {
  run: "diverged",
  metric: "loss",
  nanFrom: 9_000,
  steps: 9_010,
  checkpoints: [4_000, 8_000],
};

/** One of many metrics, of which one is looked for. */
export const wide = { run: "wide", metrics: 2_000, wanted: "layer3/w1393" };

export const madeRuns = [live.run, diverged.run, wide.run];

export interface MadePoint {
  name: string;
  step: number;
  value: number;
}

/** The points of a made run, the same in every tracker. */
export function* pointsOf(run: string): Generator<MadePoint> {
  if (run === live.run)
    for (let step = 0; step < live.steps; step++)
      yield { name: live.metric, step, value: Math.sin(step / 100) };
  if (run === diverged.run)
    for (let step = 0; step < diverged.steps; step++) {
      const value = step < diverged.nanFrom ? 2 + Math.cos(step / 50) / 10 : NaN;
      yield { name: diverged.metric, step, value };
    }
  if (run === wide.run)
    for (const step of [1, 2, 3])
      for (let at = 0; at < wide.metrics; at++)
        yield { name: `layer${at % 10}/w${at}`, step, value: at * step };
}
