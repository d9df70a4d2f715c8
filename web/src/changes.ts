import { type ChangesBody, type ChangesReply, isTransient } from "@lossless/client";
import { limits } from "@lossless/protocol/limits";
import { signal } from "@preact/signals";
import { pause } from "./parts/pause.ts";
import { messageOf } from "./parts/words.ts";

/** Something on the page that shows experiments and follows them. */
export interface Watch {
  /** What is shown, with the revision that was read; 0 where none was. */
  seen: () => ChangesBody["experiments"];
  /** Whether it also follows how many experiments there are. */
  opened?: boolean;
  /**
   * Reads what is to be shown: at the beginning without a reply, then with each one that concerns
   * it. Nothing more is asked for before it resolves. What it throws is told as `problem`, and it
   * is tried again as at the beginning; others go on.
   */
  look: (changes: ChangesReply | undefined) => Promise<void> | void;
}

export interface ChangesPage {
  readonly hidden: boolean;
  addEventListener(type: "visibilitychange", listener: () => void): void;
}

interface WatchState {
  /** Whether it has looked since it came, or since it failed. */
  hasLooked: boolean;
}

type Ask = (body: ChangesBody, signal: AbortSignal) => Promise<ChangesReply>;

const longestWaitMs = 25_000;
/** Between two looks, so that what changes all the time is drawn twice a second. */
const pauseMs = 400;
const problemPauseMs = 1_000;
const problemPauseMsMax = 5_000;
/**
 * What is lost is sent again, and nobody has to know before that took three seconds: at the third
 * failure in a row, or at the first that comes so late. It is a little less since timers are not
 * exact.
 */
const quietMs = 2_900;
/** Where more experiments are shown than one request may name, each part of them waits so long. */
const partWaitMs = 2_000;

/**
 * The one request by which a page learns that something changed, whatever it shows. Nobody watches,
 * or the tab is hidden: nothing is asked.
 */
export class Changes {
  /** Why what is shown may be old. */
  readonly problem = signal<string | undefined>(undefined);
  readonly #ask: Ask;
  readonly #page: ChangesPage;
  readonly #watches = new Map<Watch, WatchState>();
  #opened: string | undefined;
  #part = 0;
  #asking = new AbortController();
  #isRunning = false;
  #isHeld = false;
  #failures = 0;
  /** When the answer that is waited for has to be there. */
  #dueMs = 0;
  #failingSinceMs: number | undefined;
  #beginLooks = (): void => undefined;

  constructor(ask: Ask, page: ChangesPage) {
    this.#ask = ask;
    this.#page = page;
    page.addEventListener("visibilitychange", () => this.again());
  }

  /** Follows until the function that it gives is called. */
  watch(watch: Watch): () => void {
    this.#watches.set(watch, { hasLooked: false });
    this.#beginLooks();
    this.again();
    return () => {
      this.#watches.delete(watch);
      this.again();
    };
  }

  /** Nothing is asked until the function that it gives is called. */
  hold(): () => void {
    this.#isHeld = true;
    this.again();
    return () => {
      this.#isHeld = false;
      this.again();
    };
  }

  /** Something else is shown: what is under way waits for the wrong experiments. */
  again(): void {
    this.#asking.abort();
    this.#asking = new AbortController();
    if (!this.#isRunning) void this.#run();
  }

  get #isWanted(): boolean {
    return this.#watches.size > 0 && !this.#page.hidden && !this.#isHeld;
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    while (this.#isWanted) {
      const { signal: stopped } = this.#asking;
      try {
        await this.#round(stopped);
        this.#failures = 0;
        this.#failingSinceMs = undefined;
        this.problem.value = undefined;
      } catch (error) {
        if (!stopped.aborted) await this.#fail(error, stopped);
      }
    }
    this.#isRunning = false;
  }

  /** One watch that fails keeps none of the others from what is new. */
  async #round(stopped: AbortSignal): Promise<void> {
    const failures: unknown[] = [];
    const look = async (watch: Watch, state: WatchState, reply?: ChangesReply) => {
      try {
        await watch.look(reply);
        state.hasLooked = true;
      } catch (error) {
        state.hasLooked = false;
        failures.push(error);
        // It was tried again already.
        if (!stopped.aborted) this.problem.value = messageOf(error);
      }
    };
    await this.#firstLooks(look);
    if (stopped.aborted) return;
    const watches = [...this.#watches].filter(([, { hasLooked }]) => hasLooked);
    if (watches.length === 0) throw failures[0];
    const body = this.#body(watches.map(([watch]) => watch));
    if (failures.length > 0) body.waitMs = 0;
    this.#dueMs = performance.now() + body.waitMs;
    const reply = await this.#ask(body, stopped);
    const changed = new Set(reply.experiments.map(({ experimentId }) => experimentId));
    const isOpened = reply.openedExperiments > 0 || this.#opened === undefined;
    const isConcerned = (watch: Watch) =>
      (isOpened && watch.opened) ||
      watch.seen().some(({ experimentId }) => changed.has(experimentId));
    const concerned = watches.filter(([watch]) => isConcerned(watch));
    await Promise.all(concerned.map(([watch, state]) => look(watch, state, reply)));
    this.#opened = reply.opened;
    if (failures.length > 0) throw failures[0];
    if (changed.size > 0 || isOpened) await pause(pauseMs, stopped);
  }

  /** Side by side, also of those who come while others are at theirs. */
  async #firstLooks(look: (watch: Watch, state: WatchState) => Promise<void>): Promise<void> {
    const begun = new Map<Watch, Promise<void>>();
    this.#beginLooks = () => {
      for (const [watch, state] of this.#watches)
        if (!state.hasLooked && !begun.has(watch)) begun.set(watch, look(watch, state));
    };
    this.#beginLooks();
    for (let count = 0; count < begun.size;) {
      count = begun.size;
      await Promise.all(begun.values());
    }
    this.#beginLooks = () => undefined;
  }

  #body(watches: readonly Watch[]): ChangesBody {
    const { experiments, isPart } = this.#partOf(watches.flatMap((watch) => watch.seen()));
    // That the service is back is told by an answer, and not when something happens.
    const waitMs = this.#failures > 0 ? 0 : isPart ? partWaitMs : longestWaitMs;
    if (!watches.some(({ opened }) => opened)) return { experiments, waitMs };
    if (this.#opened === undefined) return { experiments, waitMs: 0 };
    return { experiments, opened: this.#opened, waitMs };
  }

  /** What one request has room for: of more experiments another part each time. */
  #partOf(seen: ChangesBody["experiments"]) {
    const oldest = new Map<string, number>();
    for (const { experimentId, revision } of seen)
      oldest.set(experimentId, Math.min(revision, oldest.get(experimentId) ?? revision));
    const all = [...oldest].map(([experimentId, revision]) => ({ experimentId, revision }));
    const parts = Math.ceil(all.length / limits.experimentIdsMax);
    if (parts <= 1) return { experiments: all, isPart: false };
    const start = (this.#part++ % parts) * limits.experimentIdsMax;
    return { experiments: all.slice(start, start + limits.experimentIdsMax), isPart: true };
  }

  async #fail(error: unknown, stopped: AbortSignal): Promise<void> {
    const ms = Math.min(problemPauseMsMax, problemPauseMs * 2 ** this.#failures++);
    const nowMs = performance.now();
    this.#failingSinceMs ??= Math.min(nowMs, this.#dueMs);
    if (!isTransient(error) || nowMs - this.#failingSinceMs >= quietMs)
      this.problem.value = messageOf(error);
    await pause(ms, stopped);
  }
}
