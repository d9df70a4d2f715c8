import type { ChangedExperiment, ChangesBody, ChangesReply } from "@lossless/protocol";
import { limits } from "@lossless/protocol/limits";
import { ServiceError } from "../../ground/errors.ts";
import type { GatheredStates, Reads } from "./gathered-states.ts";
import type { Load } from "./load.ts";
import type { Turns } from "./turns.ts";
import type { WatchedMarks, Watcher } from "./watched-marks.ts";

/** The experiments to wait for, and the caller. */
export interface Question {
  organizationId: string;
  /** Holder of the shares that the wait takes. */
  holder: string;
  /** The caller whose turns the wait takes. */
  caller: string;
  /** Revisions that the caller has seen; of a repeated id the last counts. The list is not kept. */
  seen: ChangesBody["experiments"];
  /** Experiments that had been opened; undefined where the caller does not ask. */
  opened: number | undefined;
  waitMs: number;
  /** Whether the caller pauses between its waits, however short they are. */
  pacesItself?: boolean;
}

/** The objects that all waits share. */
export interface Common {
  readonly experiments: WatchedMarks;
  readonly openings: WatchedMarks;
  readonly states: GatheredStates;
  readonly turns: Turns;
  readonly load: Pick<Load, "apartMs">;
}

/** Requests with a shorter wait repeat so soon that each takes a turn before it reads anything. */
const pacedByItselfMs = 5_000;

/**
 * One request that waits for changes. It is in one of four states.
 *
 * READING is the first. Before the read all experiments of the question are watched, so that a
 * change during the read is not missed. A read covers only the experiments that may have changed
 * since the last one (`#stale`). With news it goes to TURN, without it to SLEEPING.
 *
 * SLEEPING ends when a watched experiment is woken (`wake`), at the deadline, or when the client
 * has gone or the service stops (`end`). Woken it goes to TURN, else it answers without news.
 *
 * TURN waits for the caller's next turn: a caller gets at most four answers a second, fewer while
 * the service is busy. Then READING again, or the answer if nothing was woken meanwhile. Requests
 * with a wait below five seconds take their turn before the first read instead, unless they pace
 * themselves.
 *
 * ENDED is final: nothing is watched any more.
 */
export class Wait implements Watcher, Disposable {
  /** Whether time has passed in which the caller may have lost the right to be told. */
  hasWaited = false;
  readonly #common: Common;
  readonly #storage: Reads;
  readonly #question: Omit<Question, "seen">;
  /**
   * Revisions seen of experiments that exist, in the order of the question. A thousand requests
   * wait for a hundred each: two arrays have a quarter of the size of a Map, and are short.
   */
  readonly #ids: string[];
  readonly #revisions: number[];
  readonly #deadlineMs: number;
  readonly #onEnd: () => void;
  /** Latest states of experiments that differ from the revisions seen: mostly none do. */
  readonly #news = new Map<string, ChangedExperiment>();
  /** Experiments that may differ from those states; before the first read all of them. */
  #stale: readonly string[] | Set<string>;
  #isEnded = false;
  #isWoken = false;
  #onWake: () => void = () => undefined;

  constructor(common: Common, storage: Reads, { seen, ...question }: Question, onEnd: () => void) {
    this.#common = common;
    this.#storage = storage;
    this.#question = question;
    this.#deadlineMs = performance.now() + question.waitMs;
    this.#onEnd = onEnd;
    // Watched before the first read: changes acknowledged meanwhile are read again.
    [this.#ids, this.#revisions] = this.#watched(seen);
    this.#stale = [...this.#ids];
    if (question.opened !== undefined) common.openings.add(question.organizationId, this);
  }

  /**
   * Returns the differences from the revisions seen; none when the time is over or the wait was
   * ended.
   */
  async changes(): Promise<ChangesReply> {
    if (this.#isShort) await this.#turn();
    let found = await this.#read();
    if (isNews(found)) {
      if (!this.#isShort) await this.#turn();
      return this.#isWoken ? this.#read() : found;
    }
    while (!this.#isEnded && this.#leftMs > 0) {
      await this.#sleep(this.#leftMs, () => this.#isWoken);
      if (!this.#isWoken || this.#isEnded) break;
      await this.#turn();
      found = await this.#read();
      if (isNews(found)) return found;
    }
    return found;
  }

  /** Waits without a read, whatever changes; less where the wait was ended. */
  async pause(milliseconds: number): Promise<void> {
    await this.#sleep(milliseconds, () => false);
  }

  /** Waits for the caller's next turn, or the deadline, without a read. */
  async turn(): Promise<void> {
    if (!this.#isEnded) await this.#turn();
  }

  wake(id: string): void {
    if (id !== this.#question.organizationId) {
      if (!(this.#stale instanceof Set)) this.#stale = new Set(this.#stale);
      this.#stale.add(id);
    }
    this.#isWoken = true;
    this.#onWake();
  }

  /** Ends the wait: the client is gone, or the service stops. */
  end(): void {
    this.#isEnded = true;
    this.#onWake();
  }

  [Symbol.dispose](): void {
    this.end();
    for (const id of this.#ids) this.#common.experiments.remove(id, this);
    this.#common.openings.remove(this.#question.organizationId, this);
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

  get #isShort(): boolean {
    return this.#question.pacesItself !== true && this.#question.waitMs < pacedByItselfMs;
  }

  /**
   * Waits for the caller's next turn. A long wait is answered at its end in any case, and more
   * rarely while the service is busy.
   */
  async #turn(): Promise<void> {
    const { caller, organizationId } = this.#question;
    const mostMs = this.#isShort ? limits.changesWaitMsMax : Math.max(0, this.#leftMs);
    const apartMs = this.#isShort ? 0 : this.#common.load.apartMs();
    const turnMs = this.#common.turns.take(caller, mostMs, apartMs, this.#ids[0] ?? organizationId);
    if (turnMs === 0) return;
    if (turnMs === undefined && this.#isShort) {
      throw new ServiceError(
        "overloaded",
        "Too many requests of this person or key ask for changes without waiting; let them wait.",
      );
    }
    await this.#sleep(turnMs ?? mostMs, () => false);
  }

  async #read(): Promise<ChangesReply> {
    const { organizationId, opened: openedBefore } = this.#question;
    const ids = this.#stale;
    // Changes acknowledged from now on are read again.
    this.#stale = [];
    this.#isWoken = false;
    const { experiments, opened } = await this.#common.states.read(
      this.#storage,
      organizationId,
      ids,
    );
    let next = 0;
    for (const id of ids) {
      const state = experiments.get(id);
      // The first read returns them in this order.
      const at = this.#ids[next] === id ? next : this.#ids.indexOf(id);
      if (at === -1) continue;
      if (state === undefined) this.#forget(at);
      else {
        next = at + 1;
        if (state.revision === this.#revisions[at]) this.#news.delete(id);
        else this.#news.set(id, state);
      }
    }
    const changed = this.#news.size === 0 ? [] : this.#newsInOrder();
    const openedExperiments = Math.max(0, opened - (openedBefore ?? opened));
    return { experiments: changed, opened: String(opened), openedExperiments };
  }

  /** Returns the news in the order of the question. */
  #newsInOrder(): ChangedExperiment[] {
    return this.#ids.flatMap((id) => this.#news.get(id) ?? []);
  }

  #watched(seen: Question["seen"]): [string[], number[]] {
    const ids: string[] = [];
    const revisions: number[] = [];
    for (const { experimentId, revision } of seen) {
      const { id, isNew } = this.#common.experiments.add(experimentId, this);
      if (isNew) ids.push(id);
      revisions[isNew ? ids.length - 1 : ids.indexOf(id)] = revision;
    }
    // Copies have no spare capacity.
    return [ids.slice(), revisions.slice()];
  }

  /** Removes an experiment that the organization does not have. */
  #forget(at: number): void {
    const [id] = this.#ids.splice(at, 1);
    this.#revisions.splice(at, 1);
    this.#news.delete(id);
    this.#common.experiments.remove(id, this);
  }
}

function isNews({ experiments, openedExperiments }: ChangesReply): boolean {
  return experiments.length > 0 || openedExperiments > 0;
}
