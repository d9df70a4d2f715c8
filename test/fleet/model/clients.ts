import type { Random } from "../../random.ts";
import type { Simulation } from "../engine/simulation.ts";
import type { Thread } from "../engine/thread.ts";
import { Line } from "../engine/line.ts";
import { Waits } from "../engine/waits.ts";
import type { Request, Send } from "./request.ts";

/** The pauses of our clients (`client/src/retry.ts`), and the service's Retry-After. */
const retries = { firstS: 0.1, longestS: 10, retryAfterS: 1 };

export interface ClientSettings {
  send: Send;
  random: Random;
  points: number;
  bytes: number;
  /** Where the clients run on the machine of the service: their thread, and its work. */
  work?: { thread: Thread; requestS: number } | undefined;
}

/** Figures of all clients since the last `restart`. */
export class Received {
  waits = new Waits();
  points = 0;
  resends = 0;
  /** Resends of requests that were stored although their acknowledgement was lost. */
  repeats = 0;
  /** Acknowledged, and in no commit: a defect of the model. */
  lost = 0;
  longestOfSecondS = 0;

  restart(): void {
    Object.assign(this, new Received());
  }

  noteAcknowledged(points: number, waitedS: number): void {
    this.points += points;
    this.waits.note(waitedS);
    this.longestOfSecondS = Math.max(this.longestOfSecondS, waitedS);
  }
}

/** A client has one request under way, and sends it with the same ids until it is acknowledged. */
export class Client {
  readonly #simulation: Simulation;
  readonly #settings: ClientSettings;
  readonly #received: Received;
  readonly #experiment: number;
  readonly #due = new Line<number>();
  #isSending = false;

  constructor(
    simulation: Simulation,
    settings: ClientSettings,
    received: Received,
    experiment: number,
  ) {
    this.#simulation = simulation;
    this.#settings = settings;
    this.#received = received;
    this.#experiment = experiment;
  }

  /** Batches that are due and not acknowledged. */
  get waiting(): number {
    return this.#due.length + (this.#isSending ? 1 : 0);
  }

  /** A closed loop: the next batch is there when the last one is acknowledged. */
  sendAlways(): void {
    this.#due.push(this.#simulation.nowS);
    this.#next(() => this.sendAlways());
  }

  /** An open loop: a run records at its pace, whatever the service does. */
  sendEvery(intervalS: number, firstS: number): void {
    this.#simulation.after(firstS, () => {
      this.#due.push(this.#simulation.nowS);
      this.sendEvery(intervalS, intervalS);
      if (!this.#isSending) this.#next(() => undefined);
    });
  }

  #next(idle: () => void): void {
    const dueS = this.#due.shift();
    this.#isSending = dueS !== undefined;
    if (dueS === undefined) return idle();
    const { points, bytes, work } = this.#settings;
    const request = { points, bytes, dueS, attempts: 0, isStored: false };
    const send = (): void => this.#send({ ...request, experiment: this.#experiment }, idle);
    if (work === undefined) send();
    else work.thread.run(work.requestS, send);
  }

  #send(request: Request, idle: () => void): void {
    if (request.attempts++ > 0) {
      this.#received.resends++;
      if (request.isStored) this.#received.repeats++;
    }
    this.#settings.send(request, (answer) => {
      if (answer === "stored") {
        if (!request.isStored) this.#received.lost++;
        this.#received.noteAcknowledged(request.points, this.#simulation.nowS - request.dueS);
        return this.#next(idle);
      }
      const pauseS = this.#pauseS(request.attempts, answer === "busy");
      this.#simulation.after(pauseS, () => this.#send(request, idle));
    });
  }

  #pauseS(attempts: number, isAsked: boolean): number {
    const ceilingS = Math.min(retries.longestS, retries.firstS * 2 ** (attempts - 1));
    const ownS = ceilingS * (0.5 + this.#settings.random.below(1_000) / 2_000);
    return isAsked ? Math.max(ownS, retries.retryAfterS) : ownS;
  }
}
