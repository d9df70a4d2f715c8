import type { ChangedExperiment, ChangesReply } from "@lossless/protocol";
import type { GatheredStates, Reads } from "./gathered-states.ts";
import type { Pace } from "./pace.ts";
import type { WatchedMarks, Watcher } from "./watched-marks.ts";

/** What is waited for, and by whom. */
export interface Question {
  organizationId: string;
  /** Whose turns it takes. */
  caller: string;
  /** Revisions that were seen, by experiment. */
  seen: Map<string, number>;
  /** Experiments that had been opened; undefined where that is of no interest. */
  opened: number | undefined;
  waitMs: number;
}

/** What all that wait have in common. */
export interface Common {
  readonly experiments: WatchedMarks;
  readonly openings: WatchedMarks;
  readonly states: GatheredStates;
  readonly pace: Pace;
}

/** One request that waits for changes. It is woken when something may have changed, and reads. */
export class Wait implements Watcher, Disposable {
  /** Whether time went by, in which who asks may have lost the right to be told. */
  hasWaited = false;
  readonly #common: Common;
  readonly #storage: Reads;
  readonly #question: Question;
  readonly #deadlineMs: number;
  readonly #onEnd: () => void;
  #isEnded = false;
  #isWoken = false;
  #onWake: () => void = () => undefined;

  constructor(common: Common, storage: Reads, question: Question, onEnd: () => void) {
    this.#common = common;
    this.#storage = storage;
    this.#question = question;
    this.#deadlineMs = performance.now() + question.waitMs;
    this.#onEnd = onEnd;
    // Before the first read: what is acknowledged meanwhile is read again.
    for (const id of question.seen.keys()) common.experiments.add(id, this);
    if (question.opened !== undefined) common.openings.add(question.organizationId, this);
  }

  /** What differs from what was seen; nothing, when the time is over or it was ended. */
  async changes(): Promise<ChangesReply> {
    for (let hasTurn = false; ;) {
      this.#isWoken = false;
      const found = await this.#read();
      const isNews = found.experiments.length > 0 || found.openedExperiments > 0;
      if ((isNews && hasTurn) || this.#leftMs <= 0) return found;
      if (isNews) {
        const turnMs = this.#common.pace.takeTurn(this.#question.caller);
        if (turnMs === 0) return found;
        hasTurn = true;
        await this.#sleep(Math.min(turnMs, this.#leftMs), () => false);
      } else {
        await this.#sleep(this.#leftMs, () => this.#isWoken);
        if (!this.#isWoken) return found;
      }
      if (this.#isEnded) return found;
    }
  }

  wake(): void {
    this.#isWoken = true;
    this.#onWake();
  }

  /** Whoever asked is gone, or the service stops. */
  end(): void {
    this.#isEnded = true;
    this.wake();
  }

  [Symbol.dispose](): void {
    this.end();
    const { seen, organizationId } = this.#question;
    for (const id of seen.keys()) this.#common.experiments.remove(id, this);
    this.#common.openings.remove(organizationId, this);
    this.#onEnd();
  }

  get #leftMs(): number {
    return Math.ceil(this.#deadlineMs - performance.now());
  }

  async #sleep(milliseconds: number, isEnough: () => boolean): Promise<void> {
    const isOver = () => this.#isEnded || isEnough();
    if (isOver()) return;
    this.hasWaited = true;
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, milliseconds);
    this.#onWake = () => isOver() && resolve();
    await promise;
    clearTimeout(timer);
  }

  async #read(): Promise<ChangesReply> {
    const { organizationId, seen, opened: openedBefore } = this.#question;
    const ids = seen.keys();
    const states = await this.#common.states.read(this.#storage, organizationId, ids);
    const experiments: ChangedExperiment[] = [];
    for (const [id, revision] of seen) {
      const state = states.experiments.get(id);
      if (state === undefined) this.#forget(id);
      else if (state.revision !== revision) experiments.push(state);
    }
    const { opened } = states;
    const openedExperiments = Math.max(0, opened - (openedBefore ?? opened));
    return { experiments, opened: String(opened), openedExperiments };
  }

  /** There is no such experiment in the organization. */
  #forget(id: string): void {
    this.#question.seen.delete(id);
    this.#common.experiments.remove(id, this);
  }
}
