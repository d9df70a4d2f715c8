import type { Simulation } from "../engine/simulation.ts";
import type { Costs } from "./costs.ts";
import type { DatabaseServer } from "./database-server.ts";
import type { FleetNode } from "./node.ts";

/** Points that are folded and sealed at a time: the model's, so that others get their turns. */
const slicePoints = 16_384;
/** `--seal-points`: of each seal two objects are put, one after the other. */
const pointsPerSeal = 262_144;
const putsPerSeal = 2;
/** A changing experiment is folded so often. */
const foldEveryS = 5;
/** The pace of summaries, 8,000 series a second, for experiments of 20; others are due later. */
const foldsPerS = 400;

export interface SealingSettings {
  server: DatabaseServer;
  costs: Costs;
  /** Seconds of a PUT; 0 where sealed points stay in PostgreSQL. */
  putS: number;
  /** The node that has the lease for this server. */
  holder: () => FleetNode | undefined;
}

/** The background work of one PostgreSQL server: one node at a time does it, in one thread. */
export class Sealing {
  readonly #simulation: Simulation;
  readonly #settings: SealingSettings;
  #waiting = { folds: 0, records: 0, points: 0 };
  /** When each experiment is due to be folded again. */
  readonly #foldedUntilS = new Map<number, number>();
  #nextFoldS = 0;
  #isRunning = false;
  sealedPoints = 0;
  /** Seconds in which something was being sealed: its steps wait for each other. */
  busyS = 0;

  constructor(simulation: Simulation, settings: SealingSettings) {
    this.#simulation = simulation;
    this.#settings = settings;
  }

  get waitingPoints(): number {
    return this.#waiting.points;
  }

  add(experiments: readonly number[], points: number): void {
    const { nowS } = this.#simulation;
    for (const experiment of experiments) {
      // Before the simulation began they were folded one after the other, too.
      const firstS = ((experiment * 0.618) % 1) * foldEveryS;
      if (nowS < (this.#foldedUntilS.get(experiment) ?? firstS) || nowS < this.#nextFoldS) continue;
      this.#nextFoldS = Math.max(this.#nextFoldS, nowS - 1) + 1 / foldsPerS;
      this.#foldedUntilS.set(experiment, nowS + foldEveryS);
      this.#waiting.folds++;
    }
    this.#waiting.records += experiments.length;
    this.#waiting.points += points;
    if (!this.#isRunning) this.#next();
  }

  #next(): void {
    const { server, costs, putS, holder } = this.#settings;
    this.#isRunning = this.#waiting.points >= slicePoints;
    if (!this.#isRunning) return;
    const beganS = this.#simulation.nowS;
    const node = holder();
    const again = (): void => this.#simulation.after(1, () => this.#next());
    if (node === undefined || !server.isUp) return again();
    const share = slicePoints / this.#waiting.points;
    const [folds, records] = [share * this.#waiting.folds, share * this.#waiting.records];
    const { foldUs, recordUs, pointUs, sealedPointUs } = costs.background;
    const pointsUs = (pointUs + sealedPointUs) * slicePoints;
    const ownS = (foldUs * folds + recordUs * records + pointsUs) / 1e6;
    // Many experiments are folded at once, so that sealing does not wait for their statements.
    server.work((costs.server.foldUs * folds) / 1e6, () => undefined);
    node.background.run(ownS, () =>
      server.work((costs.server.sealedPointUs * slicePoints) / 1e6, (isDone) => {
        if (!isDone) return again();
        this.#waiting.folds -= folds;
        this.#waiting.records -= records;
        this.#waiting.points -= slicePoints;
        this.sealedPoints += slicePoints;
        const putsS = (putS * putsPerSeal * slicePoints) / pointsPerSeal;
        this.#simulation.after(putsS, () => {
          this.busyS += this.#simulation.nowS - beganS;
          this.#next();
        });
      }),
    );
  }
}
