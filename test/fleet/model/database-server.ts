import type { Random } from "../../random.ts";
import { Batcher } from "../engine/batcher.ts";
import type { Cores } from "../engine/cores.ts";
import { exponential } from "../engine/exponential.ts";
import { RowLocks } from "../engine/row-locks.ts";
import type { Simulation } from "../engine/simulation.ts";

export interface ServerSettings {
  cores: Cores;
  random: Random;
  /** A sync of its log in the mean, and the bytes that its disk takes in a second beside it. */
  syncS: number;
  logBytesPerS: number;
}

/** A transaction that holds the heads of its experiments. */
export interface OpenTransaction {
  commit(work: { cpuS: number; logBytes: number }, done: (isStored: boolean) => void): void;
  abort(): void;
}

/** One PostgreSQL server: cores, locks of rows, and a log whose flushes take what waits. */
export class DatabaseServer {
  readonly cores: Cores;
  readonly #simulation: Simulation;
  readonly #settings: ServerSettings;
  #life: Life;
  flushS = 0;
  /** Seconds of processors, whoever else uses the same ones. */
  usedS = 0;
  logBytes = 0;

  constructor(simulation: Simulation, settings: ServerSettings) {
    this.cores = settings.cores;
    this.#simulation = simulation;
    this.#settings = settings;
    this.#life = this.#begun();
  }

  get isUp(): boolean {
    return this.#life.isUp;
  }

  /** Work without a lock: a read, or what the background thread asks for. */
  work(cpuS: number, done: (isDone: boolean) => void): void {
    const life = this.#life;
    if (!life.isUp) return done(false);
    const settle = once(life, done);
    this.#use(cpuS, () => settle(true));
  }

  /** Locks the heads of experiments; undefined when the server is not there. */
  begin(
    experiments: readonly number[],
    cpuS: number,
    begun: (transaction: OpenTransaction | undefined) => void,
  ): void {
    const life = this.#life;
    if (!life.isUp) return begun(undefined);
    const settle = once(life, (isDone, transaction?: OpenTransaction) =>
      begun(isDone ? transaction : undefined),
    );
    life.locks.take(experiments, (release) =>
      this.#use(cpuS, () => settle(true, this.#transaction(life, release))),
    );
  }

  /** All that it had in work fails; what its log has is there when it is back. */
  kill(): void {
    const { open } = this.#life;
    this.#life = { ...this.#begun(), isUp: false };
    for (const fail of open) fail();
  }

  restart(): void {
    this.#life = this.#begun();
  }

  #use(cpuS: number, done: () => void): void {
    this.cores.use({
      seconds: cpuS,
      done: () => {
        this.usedS += cpuS;
        done();
      },
    });
  }

  #transaction(life: Life, release: () => void): OpenTransaction {
    return {
      abort: release,
      commit: ({ cpuS, logBytes }, done) => {
        const settle = once(life, done);
        if (life !== this.#life) return settle(false);
        this.#use(cpuS, () => {
          if (life !== this.#life) return;
          life.log.add({
            bytes: logBytes,
            done: () => {
              release();
              settle(true);
            },
          });
        });
      },
    };
  }

  #begun(): Life {
    const life: Life = {
      isUp: true,
      open: new Set(),
      locks: new RowLocks(),
      log: new Batcher<LogWrite>({
        atOnce: 1,
        weightMax: Infinity,
        weightOf: ({ bytes }) => bytes,
        serve: (batch, done) => this.#flush(life, batch, done),
      }),
    };
    return life;
  }

  #flush(life: Life, batch: LogWrite[], done: () => void): void {
    const bytes = batch.reduce((sum, write) => sum + write.bytes, 0);
    const { syncS, logBytesPerS, random } = this.#settings;
    const ownS = syncS / 2 + exponential(random, syncS / 2);
    const seconds = ownS + bytes / logBytesPerS;
    this.#simulation.after(seconds, () => {
      if (life !== this.#life) return;
      this.flushS += seconds;
      this.logBytes += bytes;
      done();
      for (const write of batch) write.done();
    });
  }
}

interface LogWrite {
  bytes: number;
  done: () => void;
}

/** From a start to the next failure. */
interface Life {
  isUp: boolean;
  /** Called when it dies: each tells somebody who waits for an answer. */
  open: Set<() => void>;
  locks: RowLocks;
  log: Batcher<LogWrite>;
}

/** Answers once: with what was found, or with false when the server dies before. */
function once<Found>(
  { open }: Life,
  done: (isDone: boolean, found?: Found) => void,
): (isDone: boolean, found?: Found) => void {
  let isSettled = false;
  const settle = (isDone: boolean, found?: Found): void => {
    if (isSettled) return;
    isSettled = true;
    open.delete(fail);
    done(isDone, found);
  };
  const fail = (): void => settle(false);
  open.add(fail);
  return settle;
}
