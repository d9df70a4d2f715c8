import { type Cores, turnS } from "./cores.ts";
import type { Simulation } from "./simulation.ts";

/** Threads of other programs for each core that they use: one of them always waits for its turn. */
const threadsPerCore = 4;

/** Other programs of a machine, which use so many of its cores in the mean, whoever else waits. */
export function runOtherWork(simulation: Simulation, cores: Cores, used: number): void {
  const threads = threadsPerCore * Math.ceil(used);
  for (let thread = 0; thread < threads; thread++) runOne(simulation, cores, used / threads);
}

/** Pauses after each turn for as long as it is ahead of its share. */
function runOne(simulation: Simulation, cores: Cores, share: number): void {
  let usedS = 0;
  const done = (): void => {
    usedS += turnS;
    simulation.after(Math.max(0, usedS / share - simulation.nowS), turn);
  };
  const turn = (): void => cores.useFirst({ seconds: turnS, done });
  turn();
}
