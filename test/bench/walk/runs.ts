/** What most runs have. */
export const metric = "val/loss";

/** The run with a spike in one single step, which a person would want to find. */
export const spike = { run: "2024-10-13_llmc", metric: "grad/norm", step: 9_025, steps: 19_560 };

/** What somebody has configured, as far as a run's name says it. */
export function configOf(name: string): { record: string; repeat: number; year: number } {
  const [, record, repeat] = /^(.*?)(?:-repeat(\d+))?$/.exec(name)!;
  return { record, repeat: Number(repeat ?? 0), year: Number(name.slice(0, 4)) };
}
